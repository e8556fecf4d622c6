"""Pairs of documents that two features order alike, in O(m log m) steps: for long queries.

Walk down the order by feature f and write down each document's place in the order by g. Two
documents are ordered alike exactly where the earlier one has the smaller place, if ties are
broken against agreement: documents that f ties are walked from the lowest by g to the
highest, and of documents that g ties the later one gets the smaller place.

What remains is to count the rising pairs of a permutation. It is split at the middle place:
each document of the lower half that stands before one of the upper half is a rising pair; then
each half is on its own. Split in place and in order, this takes no branch that a processor
would have to guess. The last 64 places fit into one word, whose population counts end it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.compile import compiled
from ranksieve.kernels.similarity.bits import popcount
from ranksieve.kernels.similarity.kendall_totals import _add_half_shares, _add_shares, _add_taus
from ranksieve.kernels.sorting import order_descending

_LEAF = 64


@compiled
def add_agreements_long(
    X: NDArray[Any], query_ptr: NDArray[np.int64], total: NDArray[np.float64]
) -> int:
    """Add each query's share of agreeing pairs, for all f <= g, to `total`; count the queries.

    A query with one document has no pairs: it adds nothing and is not counted.
    """
    counts = np.empty((X.shape[1], X.shape[1]), dtype=np.int64)
    n_voters = 0
    for query in range(len(query_ptr) - 1):
        start = query_ptr[query]
        m = query_ptr[query + 1] - start
        if m > 1:
            _count_by_splitting(X, start, m, counts, False)
            _add_shares(counts, m, total)
            n_voters += 1
    return n_voters


@compiled
def add_half_agreements_long(
    X: NDArray[Any], query_ptr: NDArray[np.int64], total: NDArray[np.float64]
) -> int:
    """As `add_agreements_long`, with half an agreement for each pair that f or g ties."""
    counts = np.empty((X.shape[1], X.shape[1]), dtype=np.int64)
    n_voters = 0
    for query in range(len(query_ptr) - 1):
        start = query_ptr[query]
        m = query_ptr[query + 1] - start
        if m > 1:
            _count_by_splitting(X, start, m, counts, True)
            _add_half_shares(counts, m, total)
            n_voters += 1
    return n_voters


@compiled
def add_tau_b_long(
    X: NDArray[Any], query_ptr: NDArray[np.int64], total: NDArray[np.float64]
) -> int:
    """Add each query's tau-b, for all f <= g, to `total`; count the queries.

    A feature that is constant in a query adds nothing. A query with one document has no
    pairs: it adds nothing and is not counted.
    """
    counts = np.empty((X.shape[1], X.shape[1]), dtype=np.int64)
    n_voters = 0
    for query in range(len(query_ptr) - 1):
        start = query_ptr[query]
        m = query_ptr[query + 1] - start
        if m > 1:
            _count_by_splitting(X, start, m, counts, True)
            _add_taus(counts, total)
            n_voters += 1
    return n_voters


@compiled
def _count_by_splitting(
    X: NDArray[Any], start: int, m: int, counts: NDArray[np.int64], net: bool
) -> None:
    """Count, for all f <= g, the pairs ordered strictly alike; `net`: less those contrarily."""
    n_features = X.shape[1]
    order, group, ends = _groups(X, start, m)
    cursor = np.empty(m, dtype=np.int32)
    places = np.empty(m, dtype=np.int32)
    scratch = np.empty(m, dtype=np.int32)
    tied = np.empty(n_features, dtype=np.int64)
    for f in range(n_features):
        tied[f] = _tied_pairs(ends[f])
    for f in range(n_features):
        for g in range(f, n_features):
            _walk(group[f], ends[f], order[g], group[g], cursor, places)
            tied_twice = _pairs_tied_twice(ends[f], places) if net else 0
            _break_ties(ends[g], cursor, places)
            counts[f, g] = _rising_pairs(places, scratch)
            if net:
                # All pairs that neither ties are ordered alike or contrarily.
                strict = m * (m - 1) // 2 - tied[f] - tied[g] + tied_twice
                counts[f, g] = 2 * counts[f, g] - strict


@compiled
def _groups(
    X: NDArray[Any], start: int, m: int
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """Return, a row per feature, its order, each document's group, and where groups end in it.

    A group holds the documents with one value; groups are numbered from the largest value on.
    """
    n_features = X.shape[1]
    order = np.empty((n_features, m), dtype=np.int32)
    group = np.empty((n_features, m), dtype=np.int32)
    ends = np.zeros((n_features, m), dtype=np.int32)
    for f in range(n_features):
        column = X[start : start + m, f]
        order_descending(column, order[f])
        number = 0
        for index in range(m):
            if index > 0 and column[order[f, index]] != column[order[f, index - 1]]:
                number += 1
            group[f, order[f, index]] = number
            ends[f, number] = index + 1
    return order, group, ends


@compiled
def _walk(
    group_f: NDArray[np.int32],
    ends_f: NDArray[np.int32],
    order_g: NDArray[np.int32],
    group_g: NDArray[np.int32],
    cursor: NDArray[np.int32],
    places: NDArray[np.int32],
) -> None:
    """Write the groups by g in the order by f; of documents that f ties, the lowest first."""
    cursor[0] = 0
    for number in range(1, len(cursor)):
        cursor[number] = ends_f[number - 1]
    for index in range(len(order_g) - 1, -1, -1):
        document = order_g[index]
        number = group_f[document]
        places[cursor[number]] = group_g[document]
        cursor[number] += 1


@compiled
def _break_ties(
    ends_g: NDArray[np.int32], cursor: NDArray[np.int32], places: NDArray[np.int32]
) -> None:
    """Replace each group by a place of its own, the last of the group first."""
    cursor[:] = ends_g
    for step in range(len(places)):
        number = places[step]
        cursor[number] -= 1
        places[step] = cursor[number]


@compiled
def _rising_pairs(places: NDArray[np.int32], scratch: NDArray[np.int32]) -> int:
    """Count the pairs of a permutation whose earlier member is smaller; `places` is sorted."""
    m = len(places)
    width = _LEAF
    while width < m:
        width *= 2
    count = 0
    while width > _LEAF:
        half = width // 2
        for first in range(0, m - half, width):
            count += _split(places[first : min(first + width, m)], first + half, scratch)
        width = half
    for first in range(0, m, _LEAF):
        count += _rising_pairs_of_word(places[first : min(first + _LEAF, m)], first)
    return count


@compiled
def _split(places: NDArray[np.int32], middle: int, upper: NDArray[np.int32]) -> int:
    """Move places below `middle` before the others, in order; count those overtaken so far."""
    count = 0
    n_lower = 0
    n_upper = 0
    for step in range(len(places)):
        index = places[step]
        is_upper = index >= middle
        # Both are written and one counts: the other is overwritten, or already read.
        places[n_lower] = index
        upper[n_upper] = index
        count += n_lower * is_upper
        n_upper += is_upper
        n_lower += not is_upper
    for step in range(n_upper):
        places[n_lower + step] = upper[step]
    return count


@compiled
def _rising_pairs_of_word(places: NDArray[np.int32], first: int) -> Any:
    """Count the rising pairs of at most 64 places from `first` on."""
    seen = np.uint64(0)
    count = np.uint64(0)
    for step in range(len(places)):
        bit = np.uint64(1) << np.uint64(places[step] - first)
        count += popcount(seen & (bit - np.uint64(1)))
        seen |= bit
    return np.int64(count)


@compiled
def _tied_pairs(ends: NDArray[np.int32]) -> int:
    """Count the pairs inside groups."""
    count = 0
    before = 0
    for number in range(len(ends)):
        end = ends[number]
        if end == 0:
            break
        size = end - before
        count += size * (size - 1) // 2
        before = end
    return count


@compiled
def _pairs_tied_twice(ends_f: NDArray[np.int32], places: NDArray[np.int32]) -> int:
    """Count the pairs that both features tie, given the groups by g in the order by f."""
    count = 0
    before = 0
    for number in range(len(ends_f)):
        end = ends_f[number]
        if end == 0:
            break
        equal = 0
        for step in range(before + 1, end):
            equal = equal + 1 if places[step] == places[step - 1] else 0
            count += equal
        before = end
    return count
