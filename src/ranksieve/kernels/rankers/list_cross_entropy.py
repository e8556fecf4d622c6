"""ListNet's top-one cross entropy of a query's scores against its grades, in O(m)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.compile import compiled


@compiled
def top_one_shares(
    y: NDArray[np.float64], query_ptr: NDArray[np.int64], shares: NDArray[np.float64]
) -> int:
    """Write each document's chance to be first, exp(y_i) / sum of exp(y_j) over its query.

    Documents of a query with one grade get 0: they have no order to learn. Returns the number
    of the other queries.
    """
    n_queries = 0
    for query in range(len(query_ptr) - 1):
        start, stop = query_ptr[query], query_ptr[query + 1]
        lowest, highest = _range(y, start, stop)
        if lowest >= highest:
            for row in range(start, stop):
                shares[row] = 0.0
            continue
        n_queries += 1
        total = 0.0
        for row in range(start, stop):
            shares[row] = np.exp(y[row] - highest)
            total += shares[row]
        for row in range(start, stop):
            shares[row] /= total
    return n_queries


@compiled
def add_list_cross_entropy(
    scores: NDArray[np.float64],
    shares: NDArray[np.float64],
    query_ptr: NDArray[np.int64],
    gradient: NDArray[np.float64],
) -> float:
    """Add each document's slope to `gradient`, and return the sum of the loss over queries.

    The loss of a query is log(sum of exp(s_j)) - sum of share_j s_j, and its slope by s_i is
    exp(s_i) / sum of exp(s_j) - share_i. Queries whose shares are 0 add nothing.
    """
    loss = 0.0
    for query in range(len(query_ptr) - 1):
        start, stop = query_ptr[query], query_ptr[query + 1]
        target = 0.0
        for row in range(start, stop):
            target += shares[row]
        if target == 0.0:
            continue
        # From the largest score on, nothing overflows and no digit is lost to an offset.
        _, highest = _range(scores, start, stop)
        total, missed = 0.0, 0.0
        for row in range(start, stop):
            total += np.exp(scores[row] - highest)
            missed += shares[row] * (highest - scores[row])
        loss += np.log(total) + missed
        for row in range(start, stop):
            gradient[row] += np.exp(scores[row] - highest) / total - shares[row]
    return loss


@compiled
def _range(values: NDArray[np.float64], start: int, stop: int) -> tuple[float, float]:
    lowest, highest = np.inf, -np.inf
    for row in range(start, stop):
        lowest = min(lowest, values[row])
        highest = max(highest, values[row])
    return lowest, highest
