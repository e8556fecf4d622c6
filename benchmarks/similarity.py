"""Kendall similarity of all pairs of features against a loop over scipy.stats.kendalltau."""

from __future__ import annotations

import time
from itertools import combinations_with_replacement, pairwise

import numpy as np
from scipy.stats import kendalltau

from benchmarks.timing import best_of, print_cold
from ranksieve.data import from_arrays
from ranksieve.similarity import KendallSimilarity

N_FEATURES, N_QUERIES, N_DOCUMENTS, TARGET = 136, 4, 120, 1000
COLD = """
import numpy as np
from ranksieve.data import from_arrays
from ranksieve.similarity import KendallSimilarity
X = np.random.default_rng(0).random((240, 4), dtype=np.float32)
data = from_arrays(X, np.zeros(240), np.arange(240) // 120)
TIMED = lambda: KendallSimilarity().matrix(data)
"""


def scipy_matrix(X: np.ndarray, query_ptr: np.ndarray) -> np.ndarray:
    """The same matrix for data without ties, where the share of agreements is (tau + 1) / 2."""
    total = np.zeros((X.shape[1], X.shape[1]))
    for start, stop in pairwise(query_ptr):
        for f, g in combinations_with_replacement(range(X.shape[1]), 2):
            total[f, g] += (kendalltau(X[start:stop, f], X[start:stop, g]).statistic + 1) / 2
    return total / (len(query_ptr) - 1)


def main() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N_QUERIES * N_DOCUMENTS, N_FEATURES)).astype(np.float32)
    data = from_arrays(X, np.zeros(len(X)), np.arange(len(X)) // N_DOCUMENTS)
    ours, matrix = best_of(20, lambda: KendallSimilarity().matrix(data))
    started = time.perf_counter()
    peer = scipy_matrix(data.X, data.query_ptr)
    theirs = time.perf_counter() - started
    difference = np.abs(np.triu(matrix) - peer).max()
    assert difference < 1e-12, difference
    print(
        f"Kendall similarity, {N_FEATURES} features, {N_QUERIES} queries of {N_DOCUMENTS} "
        "documents, both on one thread"
    )
    print(f"  loop over scipy.stats.kendalltau  {theirs:10.3f} s")
    print(
        f"  KendallSimilarity                 {ours:10.5f} s   {theirs / ours:,.0f} times "
        f"(aim: {TARGET:,})"
    )
    print(f"  largest difference {difference:.1e}")
    print_cold(COLD)


if __name__ == "__main__":
    main()
