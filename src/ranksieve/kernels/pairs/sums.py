"""Sums over the pairs of a query with different grades, in O(m log m), without the pairs.

Documents are visited in the order of their scores while a pointer adds those that come into
reach to a binary indexed (Fenwick) tree over the grade levels; a prefix of the tree then
answers for all documents of lower grade at once. Any number of levels, so real-valued
relevance costs no more than a logarithm.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.compile import compiled, inner
from ranksieve.kernels.pairs.curvature_few import add_spreads_of_few, is_few
from ranksieve.kernels.sorting import order_descending

# Up to this many levels, sums over the lower ones are kept as they are, without a tree.
_FEW_LEVELS = 8
# Up to this many documents numpy sorts in a fraction of a millisecond, and its sorts need not be
# compiled, which takes a second.
_FEW_DOCUMENTS = 4096


def grade_levels(
    y: NDArray[np.float64], query_ptr: NDArray[np.int64], levels: NDArray[np.int32]
) -> int:
    """Write each document's level (0 for the lowest grade of its query); return the pairs."""
    order = np.empty(len(y), dtype=np.int32)
    order_queries(y, query_ptr, order)
    return int(levels_in_order(y, query_ptr, order, levels))


@compiled
def levels_in_order(
    y: NDArray[np.float64],
    query_ptr: NDArray[np.int64],
    order: NDArray[np.int32],
    levels: NDArray[np.int32],
) -> int:
    """Write and return the same as `grade_levels`; `order` is that of `order_queries` at y.

    The sort is not a part of this, so that it is compiled once for grades and scores.
    """
    n_pairs = 0
    for query in range(len(query_ptr) - 1):
        start, stop = query_ptr[query], query_ptr[query + 1]
        level = 0
        below = 0  # documents of strictly lower grade than the current group
        grade = 0.0
        for index in range(stop - 1, start - 1, -1):
            document = start + order[index]
            if index < stop - 1 and y[document] != grade:
                level += 1
                below = stop - 1 - index
            grade = y[document]
            levels[document] = level
            n_pairs += below
    return n_pairs


@inner
def count_levels(levels: NDArray[np.int32], start: int, stop: int) -> int:
    """Return how many levels the documents of a query have."""
    highest = 0
    for index in range(start, stop):
        highest = max(highest, levels[index])
    return highest + 1


@inner
def pairs_of_levels(levels: NDArray[np.int32], start: int, stop: int, n_levels: int) -> int:
    """Return how many pairs of a query's documents have different levels."""
    counts = np.zeros(n_levels, dtype=np.int64)
    for document in range(start, stop):
        counts[levels[document]] += 1
    n_pairs, below = 0, 0
    for level in range(n_levels):
        n_pairs += below * counts[level]
        below += counts[level]
    return n_pairs


@compiled
def count_pairs(
    levels: NDArray[np.int32], query_ptr: NDArray[np.int64], n_pairs: NDArray[np.int64]
) -> None:
    """Write each query's number of pairs with different levels."""
    for query in range(len(query_ptr) - 1):
        start, stop = query_ptr[query], query_ptr[query + 1]
        n_levels = count_levels(levels, start, stop)
        n_pairs[query] = pairs_of_levels(levels, start, stop, n_levels)


@compiled
def _add(tree: NDArray[np.float64], level: int, value: float) -> None:
    """Count a document of a level, and add its value."""
    n_levels = len(tree)
    index = level + 1
    if n_levels <= _FEW_LEVELS:
        # With few levels row k is the sum over all levels below k: no logarithm, and one look.
        while index < n_levels:
            tree[index, 0] += 1.0
            tree[index, 1] += value
            index += 1
        return
    while index < n_levels:
        tree[index, 0] += 1.0
        tree[index, 1] += value
        index += index & -index


@compiled
def _sum_below(tree: NDArray[np.float64], level: int) -> tuple[float, float]:
    """Return how many documents of lower levels were added, and the sum of their values."""
    if len(tree) <= _FEW_LEVELS:
        return tree[level, 0], tree[level, 1]
    count, total = 0.0, 0.0
    index = level
    while index > 0:
        count += tree[index, 0]
        total += tree[index, 1]
        index -= index & -index
    return count, total


def order_queries(
    scores: NDArray[np.float64], query_ptr: NDArray[np.int64], order: NDArray[np.int32]
) -> None:
    """Write each query's documents, counted from its first, by falling score; ties in row order."""
    if len(order) <= _FEW_DOCUMENTS:
        _order_by_numpy(-scores, query_ptr, order)
    else:
        order_queries_by_radix(scores, query_ptr, order)


def order_by_level(
    levels: NDArray[np.int32], query_ptr: NDArray[np.int64], order: NDArray[np.int32]
) -> None:
    """Write each query's documents, counted from its first, by rising level; ties in row order."""
    if len(order) <= _FEW_DOCUMENTS:
        _order_by_numpy(levels, query_ptr, order)
    else:
        order_by_counting(levels, query_ptr, order)


def _order_by_numpy(
    keys: NDArray[Any], query_ptr: NDArray[np.int64], order: NDArray[np.int32]
) -> None:
    """Write each query's documents by rising key."""
    sizes = np.diff(query_ptr)
    queries = np.repeat(np.arange(len(sizes)), sizes)
    order[:] = np.lexsort((keys, queries)) - np.repeat(query_ptr[:-1], sizes)


@compiled
def order_queries_by_radix(
    scores: NDArray[np.float64], query_ptr: NDArray[np.int64], order: NDArray[np.int32]
) -> None:
    """Write the same as `order_queries`, for any number of documents."""
    for query in range(len(query_ptr) - 1):
        start, stop = query_ptr[query], query_ptr[query + 1]
        order_descending(scores[start:stop], order[start:stop])


@compiled
def order_by_counting(
    levels: NDArray[np.int32], query_ptr: NDArray[np.int64], order: NDArray[np.int32]
) -> None:
    """Write the same as `order_by_level`, for any number of documents."""
    for query in range(len(query_ptr) - 1):
        start, stop = query_ptr[query], query_ptr[query + 1]
        starts = np.zeros(stop - start + 1, dtype=np.int32)
        for document in range(start, stop):
            starts[levels[document] + 1] += 1
        for level in range(1, stop - start):
            starts[level] += starts[level - 1]
        for document in range(start, stop):
            level = levels[document]
            order[start + starts[level]] = document - start
            starts[level] += 1


@compiled
def sums_over_violations(
    scores: NDArray[np.float64],
    levels: NDArray[np.int32],
    query_ptr: NDArray[np.int64],
    order: NDArray[np.int32],
    weights: NDArray[np.float64],
    carried: NDArray[np.float64],
    worse: NDArray[np.float64],
    better: NDArray[np.float64],
) -> None:
    """Sum, for each document, over the pairs in which its margin is below one.

    A pair of documents i above j (by grade) is violated where s_j > s_i - 1. Row 0 of `worse`
    receives the number of j that are violated with i, and row 1 the sum of c_j - c_i over
    them, where c is `carried`; `better` receives the same for j, over the documents i. All are
    times the query's weight. `order` is that of `order_queries` at `scores`.
    """
    for query in range(len(query_ptr) - 1):
        start, stop = query_ptr[query], query_ptr[query + 1]
        n_levels = count_levels(levels, start, stop)
        weight = weights[query]
        if n_levels < 2:
            for document in range(start, stop):
                for row in range(2):
                    worse[row, document] = better[row, document] = 0.0
            continue
        # Differences alone matter: measured from one document, large offsets eat no digits.
        base = carried[start]
        tree = np.zeros((n_levels, 2))
        reach = start
        for index in range(start, stop):
            i = start + order[index]
            limit = scores[i] - 1.0
            while reach < stop:
                j = start + order[reach]
                if not scores[j] > limit:
                    break
                _add(tree, levels[j], carried[j] - base)
                reach += 1
            count, total = _sum_below(tree, levels[i])
            worse[0, i] = weight * count
            worse[1, i] = weight * (total - count * (carried[i] - base))
        for level in range(n_levels):
            tree[level, 0] = tree[level, 1] = 0.0
        reach = stop - 1
        for index in range(stop - 1, start - 1, -1):
            j = start + order[index]
            score = scores[j]
            while reach >= start:
                i = start + order[reach]
                # The same comparison as above, so that both see the same pairs.
                if not score > scores[i] - 1.0:
                    break
                _add(tree, n_levels - 1 - levels[i], carried[i] - base)
                reach -= 1
            count, total = _sum_below(tree, n_levels - 1 - levels[j])
            better[0, j] = weight * count
            better[1, j] = weight * (total - count * (carried[j] - base))


def add_pair_spreads(
    X: NDArray[Any],
    start: int,
    levels: NDArray[np.int32],
    query_ptr: NDArray[np.int64],
    weights: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None:
    """Add, for each column, the sum of (x_i - x_j)^2 over the pairs with different levels.

    Each pair counts with its query's weight.
    Document d of `levels` and `query_ptr`, which start at 0, is row start + d of X.
    """
    few = is_few(X.shape[1], query_ptr)
    add = add_spreads_of_few if few else add_spreads_by_levels
    add(X, start, levels, query_ptr, weights, out)


@compiled
def add_spreads_by_levels(
    X: NDArray[Any],
    start: int,
    levels: NDArray[np.int32],
    query_ptr: NDArray[np.int64],
    weights: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None:
    """Add what `add_pair_spreads` does, for any number of documents.

    Of m numbers, the sum over all pairs is m sum x^2 - (sum x)^2; pairs of one level come off.
    """
    for query in range(len(query_ptr) - 1):
        first, stop = query_ptr[query], query_ptr[query + 1]
        n_levels = count_levels(levels, first, stop)
        if n_levels < 2:
            continue
        sums = np.zeros((n_levels, 3))
        for column in range(X.shape[1]):
            values = X[start + first : start + stop, column]
            for level in range(n_levels):
                for row in range(3):
                    sums[level, row] = 0.0
            for index in range(len(values)):
                # Measured from one document, large offsets eat no digits.
                value = np.float64(values[index]) - np.float64(values[0])
                level = levels[first + index]
                sums[level, 0] += 1.0
                sums[level, 1] += value
                sums[level, 2] += value * value
            n, total, squares = 0.0, 0.0, 0.0
            for level in range(n_levels):
                n += sums[level, 0]
                total += sums[level, 1]
                squares += sums[level, 2]
                within = sums[level, 0] * sums[level, 2] - sums[level, 1] ** 2
                out[column] -= weights[query] * within
            out[column] += weights[query] * (n * squares - total**2)
