"""Documents of each query by falling value of each feature: one sort that serves many scores."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.compile import compiled
from ranksieve.kernels.importance.differences import _ROUNDING, _add_difference
from ranksieve.kernels.sorting import order_descending

# Up to this many values numpy takes hundredths of a second, a few times what the kernel takes, and
# its sort need not be compiled, which takes a second.
_FEW_VALUES = 1 << 19


def rank_columns(
    X: NDArray[Any],
    query_ptr: NDArray[np.int64],
    order: NDArray[np.int32],
    group_end: NDArray[np.int32],
) -> None:
    """Write the documents of each query by falling value, and where equal values end.

    Row f of `order` holds, for feature f, positions from row query_ptr[0] of X on; each
    query keeps its places. Row f of `group_end` holds, at each place, the place after the
    last document with the same value in the same query. Equal values stay in row order.
    """
    if order.size <= _FEW_VALUES:
        _rank_by_numpy(X, query_ptr, order, group_end)
    else:
        rank_columns_by_radix(X, query_ptr, order, group_end)


def _rank_by_numpy(
    X: NDArray[Any],
    query_ptr: NDArray[np.int64],
    order: NDArray[np.int32],
    group_end: NDArray[np.int32],
) -> None:
    queries = np.repeat(np.arange(len(query_ptr) - 1), np.diff(query_ptr))
    if len(query_ptr) <= np.iinfo(np.uint16).max:
        # numpy sorts numbers of two bytes by radix.
        queries = queries.astype(np.uint16)
    changes = np.append(queries[1:] != queries[:-1], True)[: len(queries)]
    for feature in range(X.shape[1]):
        values = X[query_ptr[0] : query_ptr[-1], feature]
        falling = np.argsort(-values, kind="stable")
        places = falling[np.argsort(queries[falling], kind="stable")]
        is_last = changes.copy()
        is_last[:-1] |= values[places[1:]] != values[places[:-1]]
        ends = np.flatnonzero(is_last) + 1
        order[feature], group_end[feature] = places, np.repeat(ends, np.diff(ends, prepend=0))


@compiled
def rank_columns_by_radix(
    X: NDArray[Any],
    query_ptr: NDArray[np.int64],
    order: NDArray[np.int32],
    group_end: NDArray[np.int32],
) -> None:
    """Write the same as `rank_columns`, for any number of values."""
    first = query_ptr[0]
    for feature in range(X.shape[1]):
        column, places, ends = X[:, feature], order[feature], group_end[feature]
        for query in range(len(query_ptr) - 1):
            low, high = query_ptr[query] - first, query_ptr[query + 1] - first
            values, of_query = column[first + low : first + high], places[low:high]
            order_descending(values, of_query)
            end = high
            for index in range(high - low - 1, -1, -1):
                if low + index + 1 < high and (
                    values[of_query[index]] != values[of_query[index + 1] - low]
                ):
                    end = low + index + 1
                ends[low + index] = end
                of_query[index] += low


@compiled
def sort_both_ways(
    order: NDArray[np.int32],
    group_end: NDArray[np.int32],
    y: NDArray[np.float64],
    grades: NDArray[np.float64],
    scores: NDArray[np.float64],
) -> None:
    """Write grades and scores of some features, best place first, and again worst place first.

    [f, 0] is for ranking by feature f, [f, 1] for ranking by its negative; there the queries
    stand in reverse order too. A score is minus the place after its group: equal within a
    group, and falling.
    """
    n = order.shape[1]
    for feature in range(len(order)):
        places, ends = order[feature], group_end[feature]
        down_grades, up_grades = grades[feature, 0], grades[feature, 1]
        down_scores, up_scores = scores[feature, 0], scores[feature, 1]
        for index in range(n):
            grade, end = y[places[index]], float(ends[index])
            down_grades[index] = grade
            down_scores[index] = -end
            up_grades[n - 1 - index] = grade
            up_scores[n - 1 - index] = end


@compiled
def add_concordance(
    order: NDArray[np.int32],
    group_end: NDArray[np.int32],
    query_ptr: NDArray[np.int64],
    levels: NDArray[np.int32],
    evidence: NDArray[np.float64],
) -> None:
    """Add, for each feature, the pairs in the order of the grades minus those in the other.

    Pairs that are equal in the feature or in the grade count for neither. Walking down the
    order, a binary indexed tree over the levels knows how many better documents were seen.
    `evidence` gets the sum over queries, the sum of squares, and the number of queries that
    do not have 0; numbers below 2^53, so that the sums are exact.
    """
    tree = np.zeros(levels.max() + 2, dtype=np.int64)
    for feature in range(len(order)):
        places, ends = order[feature], group_end[feature]
        for query in range(len(query_ptr) - 1):
            low, high = query_ptr[query], query_ptr[query + 1]
            balance = 0
            tree[:] = 0
            while low < high:
                end = ends[low]
                for index in range(low, end):
                    level = levels[places[index]]
                    lower = _count(tree, level)
                    balance += low - query_ptr[query] - lower - _count(tree, level + 1)
                for index in range(low, end):
                    _count_in(tree, levels[places[index]])
                low = end
            _add_difference(float(balance), evidence, feature)


@compiled
def _count(tree: NDArray[np.int64], level: int) -> int:
    """Return how many documents below a level the tree holds."""
    total = 0
    while level > 0:
        total += tree[level]
        level &= level - 1
    return total


@compiled
def _count_in(tree: NDArray[np.int64], level: int) -> None:
    index = level + 1
    while index < len(tree):
        tree[index] += 1
        index += index & -index


@compiled
def add_rank_correlations(
    order: NDArray[np.int32],
    group_end: NDArray[np.int32],
    query_ptr: NDArray[np.int64],
    unit_ranks: NDArray[np.float64],
    evidence: NDArray[np.float64],
) -> None:
    """Add each query's Spearman correlation of each feature with the grade.

    `unit_ranks` are the ranks of the grades in each query, centred and of unit length, or 0
    where a query has one grade. Equal values share the mean of their ranks; a feature that
    is constant in a query adds 0. `evidence` gets sums, sums of squares, and the number of
    queries whose correlation is not 0, up to rounding.
    """
    for feature in range(len(order)):
        places, ends = order[feature], group_end[feature]
        for query in range(len(query_ptr) - 1):
            start, stop = query_ptr[query], query_ptr[query + 1]
            m = float(stop - start)
            product, ties = 0.0, 0.0
            low = start
            while low < stop:
                end = ends[low]
                within, count = 0.0, float(end - low)
                for index in range(low, end):
                    within += unit_ranks[places[index]]
                # Twice the mean place; larger places are smaller values.
                product -= 0.5 * float(low + end - 1 - 2 * start) * within
                ties += count * count * count - count
                low = end
            spread = m * m * m - m - ties
            if spread > 0.0:
                correlation = product / np.sqrt(spread / 12.0)
                if abs(correlation) > _ROUNDING:
                    _add_difference(correlation, evidence, feature)


@compiled
def add_rank_bins(
    order: NDArray[np.int32],
    group_end: NDArray[np.int32],
    query_ptr: NDArray[np.int64],
    levels: NDArray[np.int64],
    table: NDArray[np.int64],
) -> None:
    """Count, for each feature, the documents by bin of their place in the query and by level.

    Places of a query are cut into table.shape[1] equal bins; equal values share the bin of
    their middle place. Queries of one document are left out: their place says nothing.
    """
    n_bins = table.shape[1]
    for feature in range(len(order)):
        places, ends, counts = order[feature], group_end[feature], table[feature]
        for query in range(len(query_ptr) - 1):
            start, stop = query_ptr[query], query_ptr[query + 1]
            if stop - start < 2:
                continue
            low = start
            while low < stop:
                end = ends[low]
                # The middle of the group in halves of a place, so that all is whole numbers.
                middle = low + end - 2 * start
                row = (middle * n_bins) // (2 * (stop - start))
                for index in range(low, end):
                    counts[row, levels[places[index]]] += 1
                low = end
