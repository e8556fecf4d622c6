"""The squared hinge over pairs with its gradient by score.

Queries with few pairs a document are summed pair by pair: sorted by grade, the documents below
one are neighbours, so that a pair takes a fraction of a nanosecond and no order by score is
needed. Others are sorted and swept in O(m log m), as in `pairs`. Where all scores of a query are
within one, as near weights of 0, every pair is violated, and sums by grade are enough.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.compile import compiled
from ranksieve.kernels.pairs.sums import _add, _sum_below
from ranksieve.kernels.sorting import order_descending

# Pairs a document up to which they are visited one by one.
_FEW_PAIRS = 256


def squared_hinge(
    scores: NDArray[np.float64],
    levels: NDArray[np.int32],
    query_ptr: NDArray[np.int64],
    by_level: NDArray[np.int32],
    weights: NDArray[np.float64],
    gradient: NDArray[np.float64],
) -> float:
    """Return the sum over pairs of max(0, 1 - (s_i - s_j))^2, and write its gradient.

    `by_level` is that of `pairs.order_by_level`. A query's pairs count with its weight. The sweep
    is a kernel by itself: data without a query that needs it do not wait for its compilation.
    """
    n_queries = len(query_ptr) - 1
    values, many = np.empty(n_queries), np.empty(n_queries, dtype=np.int64)
    n_many = squared_hinge_by_pairs(
        scores,
        levels,
        query_ptr,
        by_level,
        weights,
        np.empty((3, len(scores))),
        gradient,
        values,
        many,
    )
    if n_many > 0:
        squared_hinge_by_tree(scores, levels, query_ptr, many[:n_many], weights, gradient, values)
    # One after the other, and not in pairs as by sum(): the order in which a kernel would add.
    return float(values.cumsum()[-1]) if n_queries > 0 else 0.0


@compiled
def squared_hinge_by_pairs(
    scores: NDArray[np.float64],
    levels: NDArray[np.int32],
    query_ptr: NDArray[np.int64],
    by_level: NDArray[np.int32],
    weights: NDArray[np.float64],
    spare: NDArray[np.float64],
    gradient: NDArray[np.float64],
    values: NDArray[np.float64],
    many: NDArray[np.int64],
) -> int:
    """Write each query's weighted sum and its part of the gradient.

    Queries with many pairs that are not all violated are left out and written into `many`;
    returns their number.
    """
    ranked, worse, better = spare[0], spare[1], spare[2]
    ends = np.empty(len(scores), dtype=np.int32)
    n_many = 0
    for query in range(len(query_ptr) - 1):
        start, stop = query_ptr[query], query_ptr[query + 1]
        m = stop - start
        first = scores[start]
        lowest = highest = first
        n_levels = 0
        for index in range(m):
            document = start + by_level[start + index]
            score = scores[document]
            lowest, highest = min(lowest, score), max(highest, score)
            # Differences alone matter: measured from one document, large offsets eat no digits.
            ranked[index] = score - first
            # Of the documents of a level, the last one to write is the end.
            n_levels = levels[document] + 1
            ends[levels[document]] = index + 1
        n_pairs = 0
        for level in range(1, n_levels):
            n_pairs += np.int64(ends[level - 1]) * (ends[level] - ends[level - 1])
        if lowest > highest - 1.0:
            squares = _excesses_of_all(ranked, m, ends, n_levels, worse, better)
        elif n_pairs <= _FEW_PAIRS * m:
            squares = _excesses_by_pairs(ranked, m, ends, n_levels, worse, better)
        else:
            many[n_many] = query
            n_many += 1
            continue
        values[query] = weights[query] * squares
        for index in range(m):
            slope = 2.0 * (better[index] - worse[index])
            gradient[start + by_level[start + index]] = weights[query] * slope
    return n_many


@compiled
def _excesses_of_all(
    scores: NDArray[np.float64],
    m: int,
    ends: NDArray[np.int32],
    n_levels: int,
    worse: NDArray[np.float64],
    better: NDArray[np.float64],
) -> float:
    """Write and return the same as _excesses_by_pairs, where no margin reaches one."""
    value, total = 0.0, 0.0
    for index in range(m):
        total += scores[index]
    below, start = 0.0, 0
    for level in range(n_levels):
        stop = ends[level]
        level_sum = 0.0
        for index in range(start, stop):
            level_sum += scores[index]
        above = total - below - level_sum
        for index in range(start, stop):
            s = scores[index]
            worse[index] = start + below - start * s
            better[index] = (m - stop) - above + (m - stop) * s
            value += worse[index] * (1.0 - s) + better[index] * s
        below += level_sum
        start = stop
    return value


# Reassociation lets sums use vector lanes; their order is fixed at compile time.
@compiled(fastmath={"reassoc", "contract"})
def _excesses_by_pairs(
    scores: NDArray[np.float64],
    m: int,
    ends: NDArray[np.int32],
    n_levels: int,
    worse: NDArray[np.float64],
    better: NDArray[np.float64],
) -> float:
    """Write the sums of d = max(0, 1 - (s_i - s_j)) over pairs with each document as i, and as j.

    Documents are sorted by level. Returns the sum of d^2.
    """
    value = 0.0
    for index in range(m):
        worse[index], better[index] = 0.0, 0.0
    for level in range(1, n_levels):
        for index in range(ends[level - 1], ends[level]):
            base = 1.0 - scores[index]
            excess, squares = 0.0, 0.0
            for lower in range(ends[level - 1]):
                d = base + scores[lower]
                d = d if d > 0.0 else 0.0
                better[lower] += d
                excess += d
                squares += d * d
            worse[index] = excess
            value += squares
    return value


@compiled
def squared_hinge_by_tree(
    scores: NDArray[np.float64],
    levels: NDArray[np.int32],
    query_ptr: NDArray[np.int64],
    queries: NDArray[np.int64],
    weights: NDArray[np.float64],
    gradient: NDArray[np.float64],
    values: NDArray[np.float64],
) -> None:
    """Write the weighted sums of some queries and their part of the gradient."""
    for query in queries:
        start, stop = query_ptr[query], query_ptr[query + 1]
        m = stop - start
        indices, numbers = np.empty((4, m), dtype=np.int32), np.empty((3, m))
        order, ranked_levels, reach, first = indices[0], indices[1], indices[2], indices[3]
        ranked, worse, better = numbers[0], numbers[1], numbers[2]
        order_descending(scores[start:stop], order)
        n_levels = 0
        for index in range(m):
            ranked[index] = scores[start + order[index]]
            ranked_levels[index] = levels[start + order[index]]
            n_levels = max(n_levels, levels[start + order[index]] + 1)
        _find_reach(ranked, m, reach, first)
        for index in range(m):
            ranked[index] -= scores[start]
        squares = _excesses_by_tree(ranked, m, ranked_levels, n_levels, reach, first, worse, better)
        values[query] = weights[query] * squares
        for index in range(m):
            slope = 2.0 * (better[index] - worse[index])
            gradient[start + order[index]] = weights[query] * slope


@compiled
def _find_reach(
    scores: NDArray[np.float64], m: int, reach: NDArray[np.int32], first: NDArray[np.int32]
) -> None:
    """Write how many documents are less than one below each, and how many one or more above.

    One merge of falling scores with themselves, without a branch that depends on them.
    """
    lower, upper = 0, 0
    while lower < m:
        # The same comparison as in `pairs`.
        within = scores[lower] > scores[upper] - 1.0
        reach[upper] = lower
        first[lower] = upper
        lower += within
        upper += not within
    for index in range(upper, m):
        reach[index] = m


@compiled
def _excesses_by_tree(
    scores: NDArray[np.float64],
    m: int,
    levels: NDArray[np.int32],
    n_levels: int,
    reach: NDArray[np.int32],
    first: NDArray[np.int32],
    worse: NDArray[np.float64],
    better: NDArray[np.float64],
) -> float:
    """Write and return the same as _excesses_by_pairs, for documents sorted by falling score."""
    tree = np.zeros((n_levels, 2))
    value = 0.0
    added = 0
    for index in range(m):
        while added < reach[index]:
            _add(tree, levels[added], scores[added])
            added += 1
        count, total = _sum_below(tree, levels[index])
        worse[index] = count + total - count * scores[index]
        value += worse[index] * (1.0 - scores[index])
    tree = np.zeros((n_levels, 2))
    for index in range(m - 1, -1, -1):
        while added > first[index]:
            added -= 1
            _add(tree, n_levels - 1 - levels[added], scores[added])
        count, total = _sum_below(tree, n_levels - 1 - levels[index])
        better[index] = count - total + count * scores[index]
        value += better[index] * scores[index]
    return value
