"""GreedyRankRLS: how its time grows, and against fits that really leave each query out."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from ranksieve import GreedyRankRLS, RankingData, make_ranking
from ranksieve.selectors.wrappers._centred_rows import CentredRows
from ranksieve.threads import threads

CALLS, STRENGTH = 5, 0.01
DOCUMENTS, FEATURES, STEPS = (20_000, 40_000, 80_000), (64, 128, 256), (10, 20, 40)
TARGET = 20


def main() -> None:
    growth()
    against_refits()


def growth() -> None:
    print(f"GreedyRankRLS: exponent of the size in the time, processor time, best of {CALLS}")
    base = {"n_documents": 20_000, "n_features": 64, "n_steps": 10}
    sizes = {"documents": DOCUMENTS, "features": FEATURES, "steps": STEPS}
    for name, values in sizes.items():
        options = [{**base, f"n_{name}": value} for value in values]
        seconds = [seconds_of_fit(**each) for each in options]
        print_exponent(f"in {name}", values, seconds)
    seconds = [seconds_of_fit(20_000, 64, 10, m) for m in (10, 100, 1000)]
    print_exponent("in documents a query", (10, 100, 1000), seconds)


def seconds_of_fit(n_documents: int, n_features: int, n_steps: int, per_query: int = 50) -> float:
    data = generated(n_documents // per_query, per_query, n_features)
    with threads(1):
        return least_seconds(partial(GreedyRankRLS(n_features_to_select=n_steps).fit, data))


def print_exponent(name: str, sizes: Sequence[int], seconds: Sequence[float]) -> None:
    exponent = np.polyfit(np.log(sizes), np.log(seconds), 1)[0]
    points = "  ".join(
        f"{size:>6,}: {took:6.3f} s" for size, took in zip(sizes, seconds, strict=True)
    )
    print(f"  {name:<24} {exponent:5.2f}   ({points})")


def against_refits() -> None:
    print("GreedyRankRLS against the same steps with a ridge solved for each query left out")
    for n_queries in (30, 60, 120):
        data = generated(n_queries, 20, 20)
        ours = least_seconds(partial(GreedyRankRLS(STRENGTH, n_features_to_select=5).fit, data))
        theirs, (order, errors) = timed_once(partial(refitted, data, 5))
        fitted = GreedyRankRLS(STRENGTH, n_features_to_select=5).fit(data)
        assert fitted.order_[:5].tolist() == order
        assert np.allclose(fitted.errors_, errors, rtol=1e-9)
        print(
            f"  {n_queries:>4} queries of 20 documents, 20 features, 5 steps: "
            f"refits {theirs:7.3f} s   GreedyRankRLS {ours:7.4f} s   {theirs / ours:6,.0f} times "
            f"(aim: {TARGET})"
        )


def refitted(data: RankingData, n_steps: int) -> tuple[list[int], list[float]]:
    """Steps on the same centred rows, with Gram matrices but a solve for each query left out."""
    rows = CentredRows.of(data, weighting="queries", standardise=True)
    Z, t, query_ptr = rows.matrix(), rows.grades(), rows.query_ptr
    parts = [slice(a, b) for a, b in itertools.pairwise(query_ptr)]
    grams = [Z[part].T @ Z[part] for part in parts]
    sides = [Z[part].T @ t[part] for part in parts]
    gram, side = sum(grams), sum(sides)
    order: list[int] = []
    errors = [float(t @ t)]
    for _ in range(n_steps):
        tried = {}
        for feature in range(data.n_features):
            if feature in order:
                continue
            kept = [*order, feature]
            total = 0.0
            for part, own, product in zip(parts, grams, sides, strict=True):
                left = (gram - own)[np.ix_(kept, kept)] + STRENGTH * np.eye(len(kept))
                w = np.linalg.solve(left, (side - product)[kept])
                rest = t[part] - Z[part][:, kept] @ w
                total += rest @ rest
            tried[feature] = total
        order.append(min(tried, key=tried.get))
        errors.append(float(tried[order[-1]]))
    return order, errors


def least_seconds(call: Callable[[], object]) -> float:
    call()
    return min(timed_once(call)[0] for _ in range(CALLS))


def timed_once(call: Callable[[], object]) -> tuple[float, object]:
    started = time.process_time()
    result = call()
    return time.process_time() - started, result


def generated(n_queries: int, n_documents: int, n_features: int) -> RankingData:
    data, _ = make_ranking(
        n_queries,
        (n_documents, n_documents),
        n_relevant=4,
        n_redundant=0,
        n_irrelevant=n_features - 4,
    )
    return data


if __name__ == "__main__":
    main()
