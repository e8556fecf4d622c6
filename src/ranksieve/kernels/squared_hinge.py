"""The squared hinge over pairs with its gradient by score, in one go over the queries."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.compile import compiled
from ranksieve.kernels.pairs import _add, _sum_below
from ranksieve.kernels.sorting import reorder_descending

# Up to so many levels, running sums for each cost less than one tree for all.
_FEW_LEVELS = 6


@compiled
def squared_hinge(
    scores: NDArray[np.float64],
    levels: NDArray[np.int32],
    query_ptr: NDArray[np.int64],
    order: NDArray[np.int32],
    gradient: NDArray[np.float64],
) -> float:
    """Return the sum over pairs of max(0, 1 - (s_i - s_j))^2, and write its gradient.

    `order` has each query's documents, counted from its first, in any order, best one near that
    of `pairs.order_queries`. It is sorted to that wherever a query has margins on both sides of
    one; elsewhere all pairs are violated or none is there, and no order is needed.
    """
    longest = 0
    for query in range(len(query_ptr) - 1):
        longest = max(longest, query_ptr[query + 1] - query_ptr[query])
    ranks, numbers = np.empty((4, longest), dtype=np.int32), np.empty((5, longest + 1))
    value = 0.0
    for query in range(len(query_ptr) - 1):
        start, stop = query_ptr[query], query_ptr[query + 1]
        n_levels = 1 + levels[start:stop].max()
        if n_levels < 2:
            gradient[start:stop] = 0.0
            continue
        value += _squared_hinge_of_query(
            scores[start:stop],
            levels[start:stop],
            n_levels,
            order[start:stop],
            gradient[start:stop],
            ranks,
            numbers,
        )
    return value


@compiled
def _squared_hinge_of_query(
    scores: NDArray[np.float64],
    levels: NDArray[np.int32],
    n_levels: int,
    order: NDArray[np.int32],
    gradient: NDArray[np.float64],
    ranks: NDArray[np.int32],
    numbers: NDArray[np.float64],
) -> float:
    m = len(order)
    # Rows first, then columns: slices of the other kind would not be known to be contiguous.
    ranked, worse, better = numbers[0][:m], numbers[1][:m], numbers[2][:m]
    ranked_levels, reach, first = ranks[0][:m], ranks[1][:m], ranks[2][:m]
    all_violated = scores.min() > scores.max() - 1.0
    if not all_violated:
        reorder_descending(scores, order, ranks[3])
    for place in range(m):
        ranked[place] = scores[order[place]]
        ranked_levels[place] = levels[order[place]]
    if all_violated:
        reach[:] = m
        first[:] = 0
    else:
        _find_reach(ranked, reach, first)
    for place in range(m):
        # Differences alone matter: measured from one document, large offsets eat no digits.
        ranked[place] -= scores[0]
    if n_levels <= _FEW_LEVELS:
        sums = numbers[3:]
        _excesses_by_sums(ranked, ranked_levels, n_levels, reach, first, worse, better, sums)
    else:
        _excesses_by_tree(ranked, ranked_levels, n_levels, reach, first, worse, better)
    # The sum of d^2 with d = 1 - s_i + s_j over violated pairs, each seen from both sides.
    value = 0.0
    for place in range(m):
        value += worse[place] * (1.0 - ranked[place]) + better[place] * ranked[place]
        gradient[order[place]] = 2.0 * (better[place] - worse[place])
    return value


@compiled
def _find_reach(
    scores: NDArray[np.float64], reach: NDArray[np.int32], first: NDArray[np.int32]
) -> None:
    """Write how many documents are less than one below each, and how many one or more above.

    One merge of the scores with themselves lowered by one, without a branch that depends on them.
    """
    m = len(scores)
    lower, upper = 0, 0
    while lower < m:
        within = scores[lower] > scores[upper] - 1.0
        reach[upper] = lower
        first[lower] = upper
        lower += within
        upper += not within
    for place in range(upper, m):
        reach[place] = m


@compiled
def _excesses_by_sums(
    scores: NDArray[np.float64],
    levels: NDArray[np.int32],
    n_levels: int,
    reach: NDArray[np.int32],
    first: NDArray[np.int32],
    worse: NDArray[np.float64],
    better: NDArray[np.float64],
    running: NDArray[np.float64],
) -> None:
    """Write the sums of d over the violated pairs in which each document is i, and is j.

    For each level, from running sums over all that are lower and over all that are not.
    """
    m = len(scores)
    counts, sums = running[0], running[1]
    worse[:] = 0.0
    better[:] = 0.0
    for level in range(1, n_levels):
        count, total = 0.0, 0.0
        counts[0], sums[0] = 0.0, 0.0
        for place in range(m):
            counted = np.float64(levels[place] < level)
            count += counted
            total += counted * scores[place]
            counts[place + 1], sums[place + 1] = count, total
        for place in range(m):
            n, own = counts[reach[place]], sums[reach[place]]
            excess = n + own - n * scores[place]
            worse[place] = excess if levels[place] == level else worse[place]
        count, total = 0.0, 0.0
        counts[m], sums[m] = 0.0, 0.0
        for place in range(m - 1, -1, -1):
            counted = np.float64(levels[place] >= level)
            count += counted
            total += counted * scores[place]
            counts[place], sums[place] = count, total
        for place in range(m):
            n, own = counts[first[place]], sums[first[place]]
            excess = n - own + n * scores[place]
            better[place] = excess if levels[place] == level - 1 else better[place]


@compiled
def _excesses_by_tree(
    scores: NDArray[np.float64],
    levels: NDArray[np.int32],
    n_levels: int,
    reach: NDArray[np.int32],
    first: NDArray[np.int32],
    worse: NDArray[np.float64],
    better: NDArray[np.float64],
) -> None:
    """Write the same sums for any number of levels."""
    m = len(scores)
    tree = np.zeros((n_levels, 2))
    added = 0
    for place in range(m):
        while added < reach[place]:
            _add(tree, levels[added], scores[added])
            added += 1
        count, total = _sum_below(tree, levels[place])
        worse[place] = count + total - count * scores[place]
    tree[:] = 0.0
    added = m
    for place in range(m - 1, -1, -1):
        while added > first[place]:
            added -= 1
            _add(tree, n_levels - 1 - levels[added], scores[added])
        count, total = _sum_below(tree, n_levels - 1 - levels[place])
        better[place] = count - total + count * scores[place]
