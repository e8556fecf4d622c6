"""Kendall's agreement of all pairs of features, by bit sets and population counts.

Of a query with m documents, feature f has a set of m rows of m bits: bit j of row i is set
where f puts j strictly above i. Two features agree on a pair exactly where both have the
bit, so the number of agreements is the population count of the intersection.

Rows come from one sort a feature: walking down the order, the documents seen so far are the
row of the next one. They are packed without gaps and made in tiles of `TILE_WORDS` words a
feature, so that all features' tiles stay in the second-level cache and memory is linear in m.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.bits import popcount
from ranksieve.kernels.compile import compiled
from ranksieve.kernels.sorting import order_descending

TILE_WORDS = 256


@compiled
def add_agreements(
    X: NDArray[Any], query_ptr: NDArray[np.int64], total: NDArray[np.float64]
) -> int:
    """Add each query's share of agreeing pairs, for all f <= g, to `total`; count the queries.

    A query with one document has no pairs: it adds nothing and is not counted.
    """
    n_features = X.shape[1]
    n_voters = 0
    for query in range(len(query_ptr) - 1):
        start, stop = query_ptr[query], query_ptr[query + 1]
        m = stop - start
        if m < 2:
            continue
        n_voters += 1
        counts = np.zeros((n_features, n_features), dtype=np.int64)
        _count_agreements(X, start, m, counts)
        n_pairs = m * (m - 1) / 2.0
        for f in range(n_features):
            for g in range(f, n_features):
                total[f, g] += counts[f, g] / n_pairs
    return n_voters


@compiled
def _count_agreements(X: NDArray[Any], start: int, m: int, counts: NDArray[np.int64]) -> None:
    n_features = X.shape[1]
    order = np.empty((n_features, m), dtype=np.int32)
    scratch = np.empty(m, dtype=np.int32)
    for f in range(n_features):
        order_descending(X[start : start + m, f], order[f], scratch)
    # Each tile walks all orders once: at least 64 rows keep that small beside the counting.
    tile_rows = min(m, max(64, TILE_WORDS * 64 // m))
    # A shifted row may touch the word after its last one.
    tile = np.empty((n_features, (tile_rows * m + 63) // 64 + 1), dtype=np.uint64)
    above = np.empty((m + 63) // 64, dtype=np.uint64)
    used = np.empty(n_features, dtype=np.int64)
    for first in range(0, m, tile_rows):
        rows = min(tile_rows, m - first)
        n_used = 0
        for f in range(n_features):
            column = X[start : start + m, f]
            if _fill_tile(column, order[f], first, rows, above, tile[n_used]):
                used[n_used] = f
                n_used += 1
        n_words = (rows * m + 63) // 64
        for low in range(0, n_words, TILE_WORDS):
            _add_intersections(tile, used[:n_used], low, min(low + TILE_WORDS, n_words), counts)


@compiled
def _fill_tile(
    column: NDArray[Any],
    order: NDArray[np.int32],
    first: int,
    rows: int,
    above: NDArray[np.uint64],
    tile: NDArray[np.uint64],
) -> bool:
    """Write the rows first:first + rows of a feature's bit matrix; False if it is constant."""
    m = len(order)
    if column[order[0]] == column[order[m - 1]]:
        return False
    tile[:] = np.uint64(0)
    above[:] = np.uint64(0)
    group = 0
    while group < m:
        value = column[order[group]]
        end = group
        while end < m and column[order[end]] == value:
            document = order[end]
            if first <= document < first + rows:
                _place_row(above, (document - first) * m, tile)
            end += 1
        # Only now, so that documents with equal values are not above each other.
        for place in range(group, end):
            document = order[place]
            above[document >> 6] |= np.uint64(1) << np.uint64(document & 63)
        group = end
    return True


@compiled
def _place_row(above: NDArray[np.uint64], bit: int, tile: NDArray[np.uint64]) -> None:
    """Or the words of a row into a tile, from a bit on that need not start a word."""
    word, shift = bit >> 6, bit & 63
    if shift == 0:
        for k in range(len(above)):
            tile[word + k] |= above[k]
        return
    left, right = np.uint64(shift), np.uint64(64 - shift)
    for k in range(len(above)):
        tile[word + k] |= above[k] << left
        # The last word's overflow is empty unless the row reaches into the next word.
        if word + k + 1 < len(tile):
            tile[word + k + 1] |= above[k] >> right


@compiled
def _add_intersections(
    tile: NDArray[np.uint64],
    used: NDArray[np.int64],
    low: int,
    high: int,
    counts: NDArray[np.int64],
) -> None:
    for a in range(len(used)):
        left = tile[a, low:high]
        for b in range(a, len(used)):
            right = tile[b, low:high]
            agreements = np.uint64(0)
            for word in range(len(left)):
                agreements += popcount(left[word] & right[word])
            counts[used[a], used[b]] += np.int64(agreements)
