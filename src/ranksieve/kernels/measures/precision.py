"""Precision among the first k documents, one value per query."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.compile import compiled
from ranksieve.kernels.measures.ordering import best_rows, group_end, longest_query


@compiled
def precision_per_query(
    y: NDArray[np.float64],
    scores: NDArray[np.float64],
    query_ptr: NDArray[np.int64],
    out: NDArray[np.float64],
    k: int,
    ties: int,
    no_relevant: float,
    threshold: float,
) -> None:
    """Write the (expected) number of relevant documents up to position k, over k."""
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
        hits = 0.0
        first = 0
        while first < depth:
            end = group_end(scores, rows, first, count, ties)
            relevant = 0
            for index in range(first, end):
                relevant += y[rows[index]] >= threshold
            hits += relevant * (min(end, depth) - first) / (end - first)
            first = end
        out[query] = hits / k
