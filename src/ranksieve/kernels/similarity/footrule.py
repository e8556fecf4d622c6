"""Spearman's footrule of all pairs of features: sums of differences of ranks."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.compile import compiled
from ranksieve.kernels.similarity.ranks import _centred_ranks

# Documents of a tile: ranks of 136 features stay in the second-level cache, and 32 bits hold
# the sum of as many differences for queries of up to four million documents.
_TILE = 256


@compiled
def add_footrule(X: NDArray[Any], query_ptr: NDArray[np.int64], total: NDArray[np.float64]) -> int:
    """Add each query's 1 - distance / largest distance, for all f <= g; count the queries.

    A query with one document has one order only: it adds nothing and is not counted.
    """
    n_features = X.shape[1]
    distances = np.empty((n_features, n_features), dtype=np.int64)
    n_voters = 0
    for query in range(len(query_ptr) - 1):
        start, stop = query_ptr[query], query_ptr[query + 1]
        m = stop - start
        if m < 2:
            continue
        n_voters += 1
        distances[:] = 0
        ranks = _ranks(X, start, stop)
        for low in range(0, m, _TILE):
            _add_distances(ranks, low, min(low + _TILE, m), distances)
        # Ranks are doubled, and so are distances.
        largest = 2.0 * (m * m // 2)
        for f in range(n_features):
            similarities, apart = total[f], distances[f]
            for g in range(f, n_features):
                similarities[g] += 1.0 - apart[g] / largest
    return n_voters


@compiled
def _ranks(X: NDArray[Any], start: int, stop: int) -> NDArray[np.int32]:
    """Return doubled and centred average ranks, a row per feature."""
    ranks = np.empty((X.shape[1], stop - start), dtype=np.int32)
    order = np.empty(stop - start, dtype=np.int32)
    for f in range(X.shape[1]):
        _centred_ranks(X[start:stop, f], order, ranks[f])
    return ranks


@compiled
def _add_distances(
    ranks: NDArray[np.int32], low: int, high: int, distances: NDArray[np.int64]
) -> None:
    for f in range(len(ranks)):
        a = ranks[f, low:high]
        for g in range(f, len(ranks)):
            b = ranks[g, low:high]
            distance = np.int32(0)
            for row in range(len(a)):
                distance = np.int32(distance + abs(np.int32(a[row] - b[row])))
            distances[f, g] += distance
