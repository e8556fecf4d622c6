"""Normalised discounted cumulative gain, one value per query."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.compile import compiled
from ranksieve.kernels.measures.ordering import AVERAGE, INPUT, best_rows, group_end, longest_query

# Grades below this many are counted instead of sorted.
_FEW_GRADES = 16


@compiled
def ndcg_per_query(
    y: NDArray[np.float64],
    scores: NDArray[np.float64],
    query_ptr: NDArray[np.int64],
    out: NDArray[np.float64],
    k: int,
    ties: int,
    no_relevant: float,
    exponential: bool,
    discounts: NDArray[np.float64],
    short_scores_zero: bool,
    sorts: bool | None = True,
) -> None:
    """Write DCG / ideal DCG; `no_relevant` where no gain is positive.

    `discounts[j]` multiplies the gain at position j + 1 and covers min(k, longest query). Where
    `sorts` is None, which is for at most RUN positions, the kernel is compiled without a sort.
    """
    longest = longest_query(query_ptr)
    rows = np.empty(longest, dtype=np.int64)
    spare = None if sorts is None else np.empty(longest, dtype=np.int64)
    counts = np.empty(_FEW_GRADES, dtype=np.int64)
    for query in range(len(out)):
        start, stop = query_ptr[query], query_ptr[query + 1]
        depth = min(k, stop - start)
        ideal = _ideal_dcg(y[start:stop], depth, ties, exponential, discounts, counts)
        if ideal < 0.0:
            # Tied documents of the ideal order are alike: those after position k are not needed.
            count = best_rows(y, y, start, stop, depth, np.int64(INPUT), rows, spare)
            ideal = _dcg(y, y, rows, count, depth, ties, exponential, discounts)
        if not ideal > 0.0:
            out[query] = no_relevant
        elif short_scores_zero and stop - start < k:
            out[query] = 0.0
        else:
            count = best_rows(y, scores, start, stop, depth, ties, rows, spare)
            out[query] = _dcg(y, scores, rows, count, depth, ties, exponential, discounts) / ideal


@compiled
def _dcg(
    y: NDArray[np.float64],
    scores: NDArray[np.float64],
    rows: NDArray[np.int64],
    count: int,
    depth: int,
    ties: int,
    exponential: bool,
    discounts: NDArray[np.float64],
) -> float:
    """Return the sum over tie groups of mean gain times the discounts up to `depth`."""
    total = 0.0
    first = 0
    while first < depth:
        end = group_end(scores, rows, first, count, ties)
        gain = 0.0
        for index in range(first, end):
            grade = y[rows[index]]
            gain += _power_of_two(int(grade)) - 1.0 if exponential else grade
        discount = 0.0
        for index in range(first, min(end, depth)):
            discount += discounts[index]
        total += gain / (end - first) * discount
        first = end
    return total


@compiled
def _ideal_dcg(
    y: NDArray[np.float64],
    depth: int,
    ties: int,
    exponential: bool,
    discounts: NDArray[np.float64],
    counts: NDArray[np.int64],
) -> float:
    """Return the DCG of the ideal order by counting grades, or -1 where they are not small levels.

    Adds up in the same order as `_dcg`, so that the ideal order has exactly 1.
    """
    counts[:] = 0
    for row in range(len(y)):
        level = int(y[row]) if 0.0 <= y[row] < len(counts) else -1
        if float(level) != y[row]:
            return -1.0
        counts[level] += 1
    total = 0.0
    first = 0
    for level in range(len(counts) - 1, -1, -1):
        gain = _power_of_two(level) - 1.0 if exponential else float(level)
        end = min(first + counts[level], depth)
        if ties == AVERAGE:
            discount = 0.0
            for index in range(first, end):
                discount += discounts[index]
            total += gain * discount
        else:
            for index in range(first, end):
                total += gain * discounts[index]
        first = end
    return total


@compiled
def _power_of_two(exponent: int) -> float:
    # A shift takes a cycle; ldexp is a call.
    if exponent < 62:
        return float(np.int64(1) << np.int64(exponent))
    return math.ldexp(1.0, exponent)
