"""Perceptron steps on pairs of documents that are drawn as they are needed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.compile import compiled
from ranksieve.kernels.pairs.sums import count_levels


@compiled
def perceptron_steps(
    rows: NDArray[Any],
    levels: NDArray[np.int32],
    order: NDArray[np.int32],
    query_ptr: NDArray[np.int64],
    visits: NDArray[np.int64],
    draws: NDArray[np.float64],
    rates: NDArray[np.float64],
    w: NDArray[np.float64],
) -> int:
    """Move `w` at every drawn pair that it does not order; return how many it did not.

    The queries in `visits` are visited in turn, and in each the documents in turn. A document
    meets one of its query that has another grade: with `order` from `pairs.order_by_level` and
    o such documents, number floor(draws[document] * o) of them. Where w . (better - worse) is
    not above 0, w gains rates * (better - worse), feature by feature. `rows` is row-major.
    """
    mistakes = 0
    for visit in range(len(visits)):
        start, stop = query_ptr[visits[visit]], query_ptr[visits[visit] + 1]
        m = stop - start
        n_levels = count_levels(levels, start, stop)
        starts = np.zeros(n_levels + 1, dtype=np.int64)
        for document in range(start, stop):
            starts[levels[document] + 1] += 1
        for level in range(n_levels):
            starts[level + 1] += starts[level]
        for document in range(start, stop):
            level = levels[document]
            first, alike = starts[level], starts[level + 1] - starts[level]
            if alike == m:
                break
            index = min(np.int64(draws[document] * (m - alike)), m - alike - 1)
            if index >= first:
                index += alike
            other = start + order[start + index]
            if levels[other] < level:
                mistakes += _step(rows[document], rows[other], rates, w)
            else:
                mistakes += _step(rows[other], rows[document], rates, w)
    return mistakes


@compiled
def _step(
    better: NDArray[Any], worse: NDArray[Any], rates: NDArray[np.float64], w: NDArray[np.float64]
) -> int:
    margin = 0.0
    for feature in range(len(w)):
        margin += w[feature] * (np.float64(better[feature]) - np.float64(worse[feature]))
    if margin > 0.0:
        return 0
    for feature in range(len(w)):
        difference = np.float64(better[feature]) - np.float64(worse[feature])
        w[feature] += rates[feature] * difference
    return 1


@compiled
def orders_all_pairs(
    rows: NDArray[Any],
    levels: NDArray[np.int32],
    order: NDArray[np.int32],
    query_ptr: NDArray[np.int64],
    w: NDArray[np.float64],
) -> bool:
    """Return whether w puts every document above all those of lower grade in its query."""
    for query in range(len(query_ptr) - 1):
        start, stop = query_ptr[query], query_ptr[query + 1]
        level, below, highest = 0, -np.inf, -np.inf
        for index in range(start, stop):
            document = start + order[index]
            score = 0.0
            for feature in range(len(w)):
                score += w[feature] * rows[document, feature]
            if levels[document] > level:
                level, below = levels[document], highest
            if score <= below:
                return False
            highest = max(highest, score)
    return True
