"""The order of a query's documents by score, with a rule for ties."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.compile import compiled, inner

INPUT, AVERAGE, WORST = 0, 1, 2
TIES = {"input": INPUT, "average": AVERAGE, "worst": WORST}

# Above this depth, shifting a sorted list costs more than sorting all documents.
LIST_LIMIT = 64
# Up to this many documents a sort is nothing but insertions into a list.
RUN = 16


@inner
def longest_query(query_ptr: NDArray[np.int64]) -> int:
    """Return the number of documents of the longest query."""
    longest = 0
    for query in range(len(query_ptr) - 1):
        longest = max(longest, query_ptr[query + 1] - query_ptr[query])
    return longest


@compiled
def _precedes(
    row: int, other: int, scores: NDArray[np.float64], y: NDArray[np.float64], tie_sign: int
) -> Any:
    """Tell whether a row must stand before another; `tie_sign` 1 is rising grade, -1 falling."""
    if scores[row] != scores[other]:
        return scores[row] > scores[other]
    return tie_sign * (y[row] - y[other]) < 0


@inner
def sort_rows(
    rows: NDArray[np.int64],
    n: int,
    scores: NDArray[np.float64],
    y: NDArray[np.float64],
    tie_sign: int,
    spare: NDArray[np.int64],
) -> int:
    """Sort rows[:n] by falling score, stably, and return how many pairs changed places.

    Tied rows go by grade (`tie_sign` 1: rising, -1: falling) or keep their places (0).
    A merge sort over runs: O(n log n).
    """
    inversions = 0
    for first in range(0, n, RUN):
        for index in range(first + 1, min(first + RUN, n)):
            row = rows[index]
            hole = index
            while hole > first and _precedes(row, rows[hole - 1], scores, y, tie_sign):
                rows[hole] = rows[hole - 1]
                hole -= 1
            rows[hole] = row
            inversions += index - hole
    width = RUN
    while width < n:
        for first in range(0, n - width, 2 * width):
            middle = first + width
            stop = min(middle + width, n)
            for index in range(width):
                spare[index] = rows[first + index]
            left, right, index = 0, middle, first
            while left < width and right < stop:
                if _precedes(rows[right], spare[left], scores, y, tie_sign):
                    rows[index] = rows[right]
                    right += 1
                    inversions += width - left
                else:
                    rows[index] = spare[left]
                    left += 1
                index += 1
            while left < width:
                rows[index] = spare[left]
                left += 1
                index += 1
        width *= 2
    return inversions


@inner
def best_rows(
    y: NDArray[np.float64],
    scores: NDArray[np.float64],
    start: int,
    stop: int,
    depth: int,
    ties: int,
    rows: NDArray[np.int64],
    spare: NDArray[np.int64] | None,
) -> int:
    """Write the rows of the best documents of start:stop, best first; return how many.

    At least the first `depth` are written, or all there are. Under AVERAGE the last group
    of tied documents is written whole. O(n + depth² log(n / depth)) expected for a short
    list, O(n log n) otherwise, and O(n) for documents that are in order already. Without `spare`
    a list is kept at any depth: what sorts is then not compiled.
    """
    if ties != WORST and _is_falling(scores, start, stop):
        first: int = _first_rows(scores, start, stop, depth, ties, rows)
        return first
    tie_sign = 1 if ties == WORST else 0
    if spare is not None and (depth >= stop - start or depth > LIST_LIMIT):
        for row in range(start, stop):
            rows[row - start] = row
        sort_rows(rows, stop - start, scores, y, tie_sign, spare)
        return stop - start
    n_rows = 0
    for row in range(start, stop):
        if n_rows < depth:
            n_rows += 1
        elif not _precedes(row, rows[depth - 1], scores, y, tie_sign):
            continue
        hole = n_rows - 1
        while hole > 0 and _precedes(row, rows[hole - 1], scores, y, tie_sign):
            rows[hole] = rows[hole - 1]
            hole -= 1
        rows[hole] = row
    if ties == AVERAGE:
        last = rows[depth - 1]
        for row in range(last + 1, stop):
            if scores[row] == scores[last]:
                rows[n_rows] = row
                n_rows += 1
    return n_rows


@compiled
def _is_falling(scores: NDArray[np.float64], start: int, stop: int) -> bool:
    for row in range(start + 1, stop):  # noqa: SIM110 - the compiler knows no all()
        if scores[row] > scores[row - 1]:
            return False
    return True


@compiled
def _first_rows(
    scores: NDArray[np.float64],
    start: int,
    stop: int,
    depth: int,
    ties: int,
    rows: NDArray[np.int64],
) -> int:
    """Write the first `depth` rows, and under AVERAGE those tied with the last; return how many."""
    n_rows = min(depth, stop - start)
    while (
        ties == AVERAGE
        and start + n_rows < stop
        and scores[start + n_rows] == scores[start + n_rows - 1]
    ):
        n_rows += 1
    for index in range(n_rows):
        rows[index] = start + index
    return n_rows


@inner
def group_end(
    scores: NDArray[np.float64], rows: NDArray[np.int64], first: int, count: int, ties: int
) -> int:
    """Return the place after the documents that share the score at place `first` of `rows`.

    Under another rule than AVERAGE every document is a group of its own.
    """
    end = first + 1
    while ties == AVERAGE and end < count and scores[rows[end]] == scores[rows[first]]:
        end += 1
    return end
