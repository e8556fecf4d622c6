"""RankBoost's distribution over pairs, seen from the documents: no pair is ever built.

The pair of a better document i and a worse document j of a query weighs exp(H_j - H_i). All
documents below i share H_i, so a sum over pairs is a product of sums over levels. A document's
*potential* is the weight of its pairs with worse documents less that with better ones.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.compile import compiled


@compiled
def pair_potentials(
    scores: NDArray[np.float64],
    levels: NDArray[np.int32],
    order: NDArray[np.int32],
    query_ptr: NDArray[np.int64],
    query_weights: NDArray[np.float64],
    out: NDArray[np.float64],
) -> tuple[float, float]:
    """Write each document's potential, divided by e^shift; return the pairs' weight, and shift.

    `order` is that of `pairs.order_by_level`. A pair of query q weighs
    query_weights[q] exp(H_j - H_i - shift), where shift is the largest H_j - H_i of all pairs:
    nothing overflows, and what vanishes is small beside the largest. At least one pair.
    """
    shift = -np.inf
    for query in range(len(query_ptr) - 1):
        start, stop = query_ptr[query], query_ptr[query + 1]
        shift = max(shift, _largest_gap(scores[start:stop], levels[start:stop], order[start:stop]))
    total = 0.0
    for query in range(len(query_ptr) - 1):
        start, stop = query_ptr[query], query_ptr[query + 1]
        total += query_weights[query] * _potentials(
            scores[start:stop],
            levels[start:stop],
            order[start:stop],
            shift,
            query_weights[query],
            out[start:stop],
        )
    return total, shift


@compiled
def _largest_gap(
    scores: NDArray[np.float64], levels: NDArray[np.int32], order: NDArray[np.int32]
) -> float:
    """Return the largest H_j - H_i over pairs of i above j, or -inf where there is none."""
    largest, top, top_of_level = -np.inf, -np.inf, -np.inf
    level = levels[order[0]]
    for index in range(len(order)):
        i = order[index]
        if levels[i] != level:
            level = levels[i]
            top = max(top, top_of_level)
        largest = max(largest, top - scores[i])
        top_of_level = max(top_of_level, scores[i])
    return largest


@compiled
def _potentials(
    scores: NDArray[np.float64],
    levels: NDArray[np.int32],
    order: NDArray[np.int32],
    shift: float,
    weight: float,
    out: NDArray[np.float64],
) -> float:
    """Write the potentials of one query, and return the weight of its pairs."""
    total = 0.0
    m = len(order)
    # Sums over the documents below are kept relative to the largest of them, over those
    # above relative to the least: exponents of the products are then at most 0.
    top, below, first = 0.0, 0.0, 0
    while first < m:
        end = _end_of_level(levels, order, first)
        new_top = -np.inf
        for index in range(first, end):
            i = order[index]
            worth = below * np.exp(top - scores[i] - shift) if first > 0 else 0.0
            out[i] = weight * worth
            total += worth
            new_top = max(new_top, scores[i])
        if first > 0:
            new_top = max(new_top, top)
            below *= np.exp(top - new_top)
        for index in range(first, end):
            below += np.exp(scores[order[index]] - new_top)
        top, first = new_top, end
    bottom, above, end = 0.0, 0.0, m
    while end > 0:
        first = _start_of_level(levels, order, end)
        new_bottom = np.inf
        for index in range(first, end):
            i = order[index]
            if end < m:
                out[i] -= weight * above * np.exp(scores[i] - bottom - shift)
            new_bottom = min(new_bottom, scores[i])
        if end < m:
            new_bottom = min(new_bottom, bottom)
            above *= np.exp(new_bottom - bottom)
        for index in range(first, end):
            above += np.exp(new_bottom - scores[order[index]])
        bottom, end = new_bottom, first
    return total


@compiled
def _end_of_level(levels: NDArray[np.int32], order: NDArray[np.int32], first: int) -> int:
    end = first + 1
    while end < len(order) and levels[order[end]] == levels[order[first]]:
        end += 1
    return end


@compiled
def _start_of_level(levels: NDArray[np.int32], order: NDArray[np.int32], end: int) -> int:
    first = end - 1
    while first > 0 and levels[order[first - 1]] == levels[order[end - 1]]:
        first -= 1
    return first
