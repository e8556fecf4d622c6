"""Normalised discounted cumulative gain, one value a query."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.compile import compiled
from ranksieve.kernels.ordering import best_rows, group_end, longest_query


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
) -> None:
    """Write DCG / ideal DCG; `no_relevant` where no gain is positive.

    `discounts[j]` multiplies the gain at position j + 1 and covers min(k, longest query).
    """
    longest = longest_query(query_ptr)
    rows = np.empty(longest, dtype=np.int64)
    spare = np.empty(longest, dtype=np.int64)
    for query in range(len(out)):
        start, stop = query_ptr[query], query_ptr[query + 1]
        ideal = _dcg(y, y, start, stop, k, ties, exponential, discounts, rows, spare)
        if not ideal > 0.0:
            out[query] = no_relevant
        elif short_scores_zero and stop - start < k:
            out[query] = 0.0
        else:
            dcg = _dcg(y, scores, start, stop, k, ties, exponential, discounts, rows, spare)
            out[query] = dcg / ideal


@compiled
def _dcg(
    y: NDArray[np.float64],
    scores: NDArray[np.float64],
    start: int,
    stop: int,
    k: int,
    ties: int,
    exponential: bool,
    discounts: NDArray[np.float64],
    rows: NDArray[np.int64],
    spare: NDArray[np.int64],
) -> float:
    """Return the sum over tie groups of mean gain times the discounts up to position k."""
    depth = min(k, stop - start)
    count = best_rows(y, scores, start, stop, depth, ties, rows, spare)
    total = 0.0
    first = 0
    while first < depth:
        end = group_end(scores, rows, first, count, ties)
        gain = 0.0
        for place in range(first, end):
            grade = y[rows[place]]
            gain += math.ldexp(1.0, int(grade)) - 1.0 if exponential else grade
        discount = 0.0
        for place in range(first, min(end, depth)):
            discount += discounts[place]
        total += gain / (end - first) * discount
        first = end
    return total
