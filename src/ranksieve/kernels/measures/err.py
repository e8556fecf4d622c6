"""Expected reciprocal rank, one value per query."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.compile import compiled
from ranksieve.kernels.measures.ordering import best_rows, group_end, longest_query


@compiled
def err_per_query(
    y: NDArray[np.float64],
    scores: NDArray[np.float64],
    query_ptr: NDArray[np.int64],
    out: NDArray[np.float64],
    k: int,
    ties: int,
    no_relevant: float,
    max_grade: int,
) -> None:
    """Write the expected 1 / position at which a reader who goes down the list stops."""
    longest = longest_query(query_ptr)
    rows = np.empty(longest, dtype=np.int64)
    spare = np.empty(longest, dtype=np.int64)
    onward = np.empty(longest + 1, dtype=np.float64)
    for query in range(len(out)):
        start, stop = query_ptr[query], query_ptr[query + 1]
        best = 0.0
        for row in range(start, stop):
            best = max(best, y[row])
        if best <= 0.0:
            out[query] = no_relevant
            continue
        depth = min(k, stop - start)
        count = best_rows(y, scores, start, stop, depth, ties, rows, spare)
        total = 0.0
        reached = 1.0
        first = 0
        while first < depth:
            end = group_end(scores, rows, first, count, ties)
            n = min(end, depth) - first
            _expect_onward(y, rows, first, end, n, max_grade, onward)
            for i in range(n):
                total += reached * (onward[i] - onward[i + 1]) / (first + i + 1)
            reached *= onward[n]
            first = end
        out[query] = total


@compiled
def _expect_onward(
    y: NDArray[np.float64],
    rows: NDArray[np.int64],
    first: int,
    end: int,
    n: int,
    max_grade: int,
    onward: NDArray[np.float64],
) -> None:
    """Write the chance to go past the first i of a tie group, i = 0..n, in a random order.

    It is the i-th elementary symmetric polynomial of a = 1 - R over its number of terms.
    The recurrence over documents averages positive numbers, so it is stable where the
    polynomials themselves would overflow.
    """
    onward[0] = 1.0
    for i in range(1, n + 1):
        onward[i] = 0.0
    for index in range(first, end):
        seen = index - first + 1
        past = 1.0 - math.ldexp(math.ldexp(1.0, int(y[rows[index]])) - 1.0, -max_grade)
        for i in range(min(seen, n), 0, -1):
            onward[i] = ((seen - i) * onward[i] + i * past * onward[i - 1]) / seen
