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


@compiled
def squared_hinge(
    scores: NDArray[np.float64],
    levels: NDArray[np.int32],
    query_ptr: NDArray[np.int64],
    by_level: NDArray[np.int32],
    weights: NDArray[np.float64],
    gradient: NDArray[np.float64],
) -> float:
    """Return the sum over pairs of max(0, 1 - (s_i - s_j))^2, and write its gradient.

    `by_level` is that of `pairs.order_by_level`. A query's pairs count with its weight.
    """
    longest = 0
    for query in range(len(query_ptr) - 1):
        longest = max(longest, query_ptr[query + 1] - query_ptr[query])
    places, numbers = np.empty((5, longest), dtype=np.int32), np.empty((3, longest))
    ends, order, ranked_levels, reach, first = places[0], places[1], places[2], places[3], places[4]
    ranked, worse, better = numbers[0], numbers[1], numbers[2]
    value = 0.0
    for query in range(len(query_ptr) - 1):
        start, stop = query_ptr[query], query_ptr[query + 1]
        m = stop - start
        for index in range(m):
            order[index] = by_level[start + index]
            # Of the documents of a level, the last one to write is the end.
            ends[levels[start + order[index]]] = index + 1
        n_levels = 1 + levels[start + order[m - 1]]
        lowest, highest = _range(scores, start, stop)
        all_violated = lowest > highest - 1.0
        pair_by_pair = all_violated or _pairs_of_levels(ends, n_levels) <= _FEW_PAIRS * m
        if not pair_by_pair:
            order_descending(scores[start:stop], order[:m])
        for index in range(m):
            ranked[index] = scores[start + order[index]]
        if not pair_by_pair:
            _find_reach(ranked, m, reach, first)
            for index in range(m):
                ranked_levels[index] = levels[start + order[index]]
        for index in range(m):
            # Differences alone matter: measured from one document, large offsets eat no digits.
            ranked[index] -= scores[start]
        if all_violated:
            squares = _excesses_of_all(ranked, m, ends, n_levels, worse, better)
        elif pair_by_pair:
            squares = _excesses_by_pairs(ranked, m, ends, n_levels, worse, better)
        else:
            squares = _excesses_by_tree(
                ranked, m, ranked_levels, n_levels, reach, first, worse, better
            )
        value += weights[query] * squares
        for index in range(m):
            slope = 2.0 * (better[index] - worse[index])
            gradient[start + order[index]] = weights[query] * slope
    return value


@compiled
def _range(scores: NDArray[np.float64], start: int, stop: int) -> tuple[float, float]:
    lowest = highest = scores[start]
    for document in range(start, stop):
        lowest = min(lowest, scores[document])
        highest = max(highest, scores[document])
    return lowest, highest


@compiled
def _pairs_of_levels(ends: NDArray[np.int32], n_levels: int) -> int:
    n_pairs = 0
    for level in range(1, n_levels):
        n_pairs += np.int64(ends[level - 1]) * (ends[level] - ends[level - 1])
    return n_pairs


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
