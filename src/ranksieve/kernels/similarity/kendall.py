"""Pairs of documents that two features order alike, by bit sets and population counts.

Of a query with m documents, feature f has two sets of m (m - 1) / 2 bits, one bit a pair of
documents j < i: the pair is in the set `up` where f puts j above i, in `down` where it puts j
below i, and in neither where they are tied. Two features agree on the pairs that are in both
`up` or in both `down`; as no pair is in both, one population count serves the two.

Rows of bits come from comparing ranks, 64 at a time. They are packed without gaps and made in
tiles of about `TILE_WORDS` words, so that all features' tiles stay in the second-level cache
and memory is linear in m.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.compile import compiled
from ranksieve.kernels.similarity.bits import popcount
from ranksieve.kernels.similarity.kendall_totals import _add_half_shares, _add_shares, _add_taus
from ranksieve.kernels.similarity.masks import mask_above, mask_below
from ranksieve.kernels.sorting import order_descending

# Words of a set in a tile: 136 features take half of a second-level cache of 512 KiB.
TILE_WORDS = 128
# Sets end with empty words up to a multiple of this, as many as a step of the counting loop
# takes: what is left over is counted a word at a time.
_STEP = 16


@compiled
def add_agreements(
    X: NDArray[Any], query_ptr: NDArray[np.int64], total: NDArray[np.float64]
) -> int:
    """Add each query's share of agreeing pairs, for all f <= g, to `total`; count the queries.

    A query with one document has no pairs: it adds nothing and is not counted. A query has
    less than 2^15 documents, as ranks are kept in 16 bits.
    """
    counts = np.empty((X.shape[1], X.shape[1]), dtype=np.int64)
    n_voters = 0
    for query in range(len(query_ptr) - 1):
        start = query_ptr[query]
        m = query_ptr[query + 1] - start
        if m > 1:
            _count_by_bits(X, start, m, counts)
            _add_shares(counts, m, total)
            n_voters += 1
    return n_voters


@compiled
def add_half_agreements(
    X: NDArray[Any], query_ptr: NDArray[np.int64], total: NDArray[np.float64]
) -> int:
    """As `add_agreements`, with half an agreement for each pair that f or g ties."""
    counts = np.empty((X.shape[1], X.shape[1]), dtype=np.int64)
    n_voters = 0
    for query in range(len(query_ptr) - 1):
        start = query_ptr[query]
        m = query_ptr[query + 1] - start
        if m > 1:
            _count_net_by_bits(X, start, m, counts)
            _add_half_shares(counts, m, total)
            n_voters += 1
    return n_voters


@compiled
def add_tau_b(X: NDArray[Any], query_ptr: NDArray[np.int64], total: NDArray[np.float64]) -> int:
    """Add each query's tau-b, for all f <= g, to `total`; count the queries.

    A feature that is constant in a query adds nothing. A query with one document has no
    pairs: it adds nothing and is not counted. A query has less than 2^15
    documents, as ranks are kept in 16 bits.
    """
    counts = np.empty((X.shape[1], X.shape[1]), dtype=np.int64)
    n_voters = 0
    for query in range(len(query_ptr) - 1):
        start = query_ptr[query]
        m = query_ptr[query + 1] - start
        if m > 1:
            _count_net_by_bits(X, start, m, counts)
            _add_taus(counts, total)
            n_voters += 1
    return n_voters


@compiled
def _count_by_bits(X: NDArray[Any], start: int, m: int, counts: NDArray[np.int64]) -> None:
    """Count, for all f <= g, the pairs ordered strictly alike."""
    counts[:] = 0
    ranks, used = _ranks_of_varying(X, start, m)
    tile = _new_tile(len(used), m)
    first = 1
    while first < m:
        first, n_words = _fill_tile(ranks, first, m, tile)
        _add_agreements(tile, n_words, used, counts)


@compiled
def _count_net_by_bits(X: NDArray[Any], start: int, m: int, counts: NDArray[np.int64]) -> None:
    """Count, for all f <= g, the pairs ordered strictly alike less those ordered contrarily."""
    counts[:] = 0
    ranks, used = _ranks_of_varying(X, start, m)
    tile = _new_tile(len(used), m)
    first = 1
    while first < m:
        first, n_words = _fill_tile(ranks, first, m, tile)
        _add_net_agreements(tile, n_words, used, counts)


@compiled
def _new_tile(n_features: int, m: int) -> NDArray[np.uint64]:
    """Return room for two sets of each feature: a tile of them, or one row that is longer."""
    longest = max(TILE_WORDS, m // 64 + 1)
    # One word more: a shifted row may touch the word after its last one.
    return np.empty((n_features, 2, longest + _STEP + 1), dtype=np.uint64)


@compiled
def _ranks_of_varying(
    X: NDArray[Any], start: int, m: int
) -> tuple[NDArray[np.int16], NDArray[np.int64]]:
    """Return ranks (equal for ties) of the features that are not constant, and their indices.

    A row of ranks is longer than m, so that 64 can be read from any of its first m on.
    """
    n_features = X.shape[1]
    ranks = np.zeros((n_features, m + 64), dtype=np.int16)
    used = np.empty(n_features, dtype=np.int64)
    order = np.empty(m, dtype=np.int32)
    n_used = 0
    for f in range(n_features):
        column = X[start : start + m, f]
        order_descending(column, order)
        rank = 0
        before = column[order[0]]
        for index in range(m):
            value = column[order[index]]
            rank += value != before
            before = value
            ranks[n_used, order[index]] = rank
        used[n_used] = f
        n_used += rank > 0
    return ranks[:n_used], used[:n_used]


@compiled
def _fill_tile(
    ranks: NDArray[np.int16], first: int, m: int, tile: NDArray[np.uint64]
) -> tuple[int, int]:
    """Write sets from row `first` on; return the row after the last one, and the words of a set.

    Row i has a bit for each document before i.
    """
    last, n_bits = first + 1, first
    while last < m and n_bits + last <= 64 * TILE_WORDS:
        n_bits += last
        last += 1
    n_words = 0
    for feature in range(len(ranks)):
        n_words = _fill_sets(ranks[feature], first, last, tile[feature, 0], tile[feature, 1])
    return last, n_words


@compiled
def _fill_sets(
    ranks: NDArray[np.int16],
    first: int,
    last: int,
    up: NDArray[np.uint64],
    down: NDArray[np.uint64],
) -> int:
    """Write the rows first:last of a feature's sets, and return how many words they take."""
    up[0] = down[0] = np.uint64(0)
    bit = 0
    for row in range(first, last):
        rank = ranks[row]
        for document in range(0, row, 64):
            n_bits = min(row - document, 64)
            mask = np.uint64(2**64 - 1) >> np.uint64(64 - n_bits)
            _append(mask_below(ranks, document, rank) & mask, bit, up)
            _append(mask_above(ranks, document, rank) & mask, bit, down)
            bit += n_bits
    n_words = (bit + 63) >> 6
    padded = (n_words + _STEP - 1) // _STEP * _STEP
    for word in range(n_words, padded):
        up[word] = down[word] = np.uint64(0)
    return padded


@compiled
def _append(bits: Any, bit: int, out: NDArray[np.uint64]) -> None:
    """Write up to 64 bits from a bit on; words after it need not be empty."""
    word = bit >> 6
    left = np.uint64(bit & 63)
    out[word] |= bits << left
    # In two steps: a shift by 64 is undefined.
    out[word + 1] = (bits >> np.uint64(1)) >> (np.uint64(63) - left)


@compiled
def _add_agreements(
    tile: NDArray[np.uint64], n_words: int, used: NDArray[np.int64], counts: NDArray[np.int64]
) -> None:
    for a in range(len(used)):
        up, down = tile[a, 0, :n_words], tile[a, 1, :n_words]
        for b in range(a, len(used)):
            other_up, other_down = tile[b, 0, :n_words], tile[b, 1, :n_words]
            alike = np.uint64(0)
            for word in range(len(up)):
                alike += popcount((up[word] & other_up[word]) | (down[word] & other_down[word]))
            counts[used[a], used[b]] += np.int64(alike)


@compiled
def _add_net_agreements(
    tile: NDArray[np.uint64], n_words: int, used: NDArray[np.int64], counts: NDArray[np.int64]
) -> None:
    for a in range(len(used)):
        up, down = tile[a, 0, :n_words], tile[a, 1, :n_words]
        for b in range(a, len(used)):
            other_up, other_down = tile[b, 0, :n_words], tile[b, 1, :n_words]
            alike = contrary = np.uint64(0)
            for word in range(len(up)):
                alike += popcount((up[word] & other_up[word]) | (down[word] & other_down[word]))
                contrary += popcount((up[word] & other_down[word]) | (down[word] & other_up[word]))
            counts[used[a], used[b]] += np.int64(alike) - np.int64(contrary)
