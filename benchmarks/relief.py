"""RankFilter against skrebate's ReliefF, and how RankFilter and GAS grow with the data."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np
from skrebate import ReliefF as SkrebateReliefF

from benchmarks.timing import best_of, print_cold
from ranksieve import GAS, RankFilter, make_ranking
from ranksieve.data import RankingData
from ranksieve.threads import threads

N_PLANTED, N_FEATURES, N_QUERIES, N_DOCUMENTS, TARGET = 3, 136, 100, 20, 50
COLD = """
from ranksieve import RankFilter, make_ranking
data, _ = make_ranking(5)
TIMED = lambda: RankFilter().fit(data)
"""


def main() -> None:
    against_skrebate()
    print_cold(COLD)
    growth()


def against_skrebate() -> None:
    print(
        f"RankFilter over all documents and skrebate's ReliefF, {N_QUERIES * N_DOCUMENTS:,} "
        f"documents, {N_FEATURES} features, 5 neighbours, Manhattan"
    )
    for n_grades in (2, 5):
        data, truth = planted(n_grades)
        for n_jobs, cores in ((1, "one core"), (-1, "all cores")):
            started = time.perf_counter()
            peer = SkrebateReliefF(n_neighbors=5, n_jobs=n_jobs).fit(data.X, data.y)
            theirs = time.perf_counter() - started
            ours, weights = timed(data, n_jobs)
            check(peer.feature_importances_, weights, truth.relevant, n_grades)
            print(
                f"  {n_grades} grades, {cores:<9}  skrebate {theirs:8.2f} s   RankFilter "
                f"{ours:7.4f} s   {theirs / ours:6,.0f} times (aim: {TARGET})"
            )
    print(
        f"  the same {N_PLANTED} planted features on top; with 2 grades, where both are ReliefF, "
        "equal weights"
    )


def planted(n_grades: int):
    return make_ranking(
        N_QUERIES,
        (N_DOCUMENTS, N_DOCUMENTS),
        n_relevant=N_PLANTED,
        n_redundant=0,
        n_irrelevant=N_FEATURES - N_PLANTED,
        n_grades=n_grades,
        dtype=np.float64,
    )


def timed(data: RankingData, n_jobs: int) -> tuple[float, np.ndarray]:
    def fit() -> np.ndarray:
        return RankFilter(scope="all").fit(data).scores_

    if n_jobs == -1:
        return best_of(9, fit)
    with threads(1):
        return best_of(9, fit)


def check(peer: np.ndarray, weights: np.ndarray, relevant: np.ndarray, n_grades: int) -> None:
    for found in (peer, weights):
        assert set(np.argsort(-found)[:N_PLANTED]) == set(relevant)
    if n_grades == 2:
        assert np.abs(peer - weights).max() < 1e-12


def growth() -> None:
    print("Growth on one thread: exponent of the size in the time, best of 5 each")
    features, documents = (256, 512, 1024), (20_000, 40_000, 80_000)
    wide = [generated(40, n) for n in features]
    tall = [generated(n // 100, 100) for n in documents]
    rows: list[tuple[str, Sequence[int], list[RankingData], Callable[[RankingData], object]]] = [
        ("RankFilter in features", features, wide, RankFilter().fit),
        (
            "RankFilter in documents",
            documents,
            tall,
            RankFilter(scope="all", n_samples=500).fit,
        ),
        ("GAS in features", features, wide, GAS().fit),
    ]
    for name, sizes, data, fit in rows:
        with threads(1):
            seconds = [best_of(5, lambda part=part: fit(part))[0] for part in data]
        exponent = np.polyfit(np.log(sizes), np.log(seconds), 1)[0]
        points = "  ".join(
            f"{size:>6,}: {took:6.3f} s" for size, took in zip(sizes, seconds, strict=True)
        )
        print(f"  {name:<24} {exponent:5.2f}   ({points})")
    print("  RankFilter in documents visits 500 of them and compares them with all")


def generated(n_queries: int, n_features: int) -> RankingData:
    data, _ = make_ranking(
        n_queries, (100, 100), n_relevant=4, n_redundant=0, n_irrelevant=n_features - 4
    )
    return data


if __name__ == "__main__":
    main()
