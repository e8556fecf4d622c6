"""Average precision, one value per query."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.compile import compiled
from ranksieve.kernels.measures.ordering import best_rows, group_end, longest_query


@compiled
def average_precision_per_query(
    y: NDArray[np.float64],
    scores: NDArray[np.float64],
    query_ptr: NDArray[np.int64],
    out: NDArray[np.float64],
    k: int,
    ties: int,
    no_relevant: float,
    threshold: float,
) -> None:
    """Write the sum of precisions at relevant documents up to k, over all relevant ones."""
    longest = longest_query(query_ptr)
    rows = np.empty(longest, dtype=np.int64)
    spare = np.empty(longest, dtype=np.int64)
    for query in range(len(out)):
        start, stop = query_ptr[query], query_ptr[query + 1]
        relevant = 0
        for row in range(start, stop):
            relevant += y[row] >= threshold
        if relevant == 0:
            out[query] = no_relevant
            continue
        depth = min(k, stop - start)
        count = best_rows(y, scores, start, stop, depth, ties, rows, spare)
        out[query] = _precisions(y, scores, rows, count, depth, ties, threshold) / relevant


@compiled
def _precisions(
    y: NDArray[np.float64],
    scores: NDArray[np.float64],
    rows: NDArray[np.int64],
    count: int,
    depth: int,
    ties: int,
    threshold: float,
) -> float:
    """Return the (expected) sum of the precisions at relevant documents up to `depth`.

    In a group of n tied documents with r relevant, after b relevant ones, the i-th place is
    relevant with probability r / n, and then b + 1 + (i - 1) (r - 1) / (n - 1) are expected
    up to it (McSherry and Najork 2008).
    """
    total = 0.0
    before = 0
    first = 0
    while first < depth:
        end = group_end(scores, rows, first, count, ties)
        if end == first + 1:
            # Without a branch on the grade, which no processor predicts.
            hit = y[rows[first]] >= threshold
            before += hit
            total += hit * before / end
            first = end
            continue
        n = end - first
        r = 0
        for index in range(first, end):
            r += y[rows[index]] >= threshold
        if r > 0:
            slope = (r - 1) / (n - 1) if n > 1 else 0.0
            for index in range(first, min(end, depth)):
                total += r / n * (before + 1 + (index - first) * slope) / (index + 1)
        before += r
        first = end
    return total
