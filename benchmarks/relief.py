"""RankFilter against skrebate's ReliefF, and how RankFilter and GAS grow with the data."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial

import numpy as np
from skrebate import ReliefF as SkrebateReliefF

from benchmarks.timing import best_of, print_cold
from ranksieve import GAS, RankFilter, make_ranking
from ranksieve.data import RankingData
from ranksieve.selectors import Selector
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
    """Two grades, where RankFilter is ReliefF and the weights must be equal."""
    data, truth = make_ranking(
        N_QUERIES,
        (N_DOCUMENTS, N_DOCUMENTS),
        n_relevant=N_PLANTED,
        n_redundant=0,
        n_irrelevant=N_FEATURES - N_PLANTED,
        n_grades=2,
        dtype=np.float64,
    )
    print(
        f"RankFilter over all documents and skrebate's ReliefF, {data.n_documents:,} documents "
        f"of 2 grades, {N_FEATURES} features, 5 neighbours, Manhattan"
    )
    for n_jobs in (1, -1):
        started = time.perf_counter()
        peer = SkrebateReliefF(n_neighbors=5, n_jobs=n_jobs).fit(data.X, data.y)
        theirs = time.perf_counter() - started
        ours, weights = timed(data, n_jobs)
        for values in (peer.feature_importances_, weights):
            assert set(np.argsort(-values)[:N_PLANTED]) == set(truth.relevant)
        difference = np.abs(peer.feature_importances_ - weights).max()
        assert difference < 1e-12, difference
        print(
            f"  {'one core' if n_jobs == 1 else 'all cores':<9}  skrebate {theirs:8.2f} s   "
            f"RankFilter {ours:7.4f} s   {theirs / ours:6,.0f} times (aim: {TARGET})"
        )
    print(f"  the {N_PLANTED} planted features on top of both, largest difference {difference:.1e}")


def timed(data: RankingData, n_jobs: int) -> tuple[float, np.ndarray]:
    def fit() -> np.ndarray:
        return RankFilter(scope="all").fit(data).scores_

    if n_jobs == -1:
        return best_of(9, fit)
    with threads(1):
        return best_of(9, fit)


def growth() -> None:
    print("Growth on one thread: exponent of the size in the time, best of 5 each")
    features, documents = (512, 1024, 2048), (20_000, 40_000, 80_000)
    wide = [generated(20, n) for n in features]
    tall = [generated(n // 100, 100) for n in documents]
    in_documents = RankFilter(scope="all", n_samples=500)
    print_growth("RankFilter in features", RankFilter(), features, wide)
    print_growth("RankFilter in documents", in_documents, documents, tall)
    print_growth("GAS in features", GAS(), features, wide)
    print("  RankFilter in documents visits 500 of them and compares them with all")


def print_growth(
    name: str, selector: Selector, sizes: Sequence[int], data: Sequence[RankingData]
) -> None:
    with threads(1):
        seconds = [best_of(5, partial(selector.fit, part))[0] for part in data]
    exponent = np.polyfit(np.log(sizes), np.log(seconds), 1)[0]
    points = "  ".join(
        f"{size:>6,}: {took:6.3f} s" for size, took in zip(sizes, seconds, strict=True)
    )
    print(f"  {name:<24} {exponent:5.2f}   ({points})")


def generated(n_queries: int, n_features: int) -> RankingData:
    data, _ = make_ranking(
        n_queries, (100, 100), n_relevant=4, n_redundant=0, n_irrelevant=n_features - 4
    )
    return data


if __name__ == "__main__":
    main()
