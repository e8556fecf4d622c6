"""Average ranks in queries or columns, as whole numbers: twice the rank, with the middle at 0.

Documents that share a value share the average of their places. In a query of m documents the
places first + 1 to end (from the largest value on) average to (first + 1 + end) / 2, which is
first + end - m after doubling and taking twice the middle, m + 1, away.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.compile import compiled
from ranksieve.kernels.sorting import order_descending


@compiled
def _centred_ranks(
    column: NDArray[Any],
    order: NDArray[np.int32],
    ranks: NDArray[np.int32],
) -> None:
    """Write twice the average rank of each document less m + 1; the largest value is first."""
    m = len(column)
    order_descending(column, order)
    first = 0
    while first < m:
        value = column[order[first]]
        end = first + 1
        while end < m and column[order[end]] == value:
            end += 1
        for index in range(first, end):
            ranks[order[index]] = first + end - m
        first = end


@compiled
def write_centred_ranks(column: NDArray[Any], out: NDArray[np.int32]) -> None:
    """Write twice the average rank of each value less one more than the number of values."""
    _centred_ranks(column, np.empty(len(column), dtype=np.int32), out)


@compiled
def write_unit_ranks(
    X: NDArray[Any], query_ptr: NDArray[np.int64], out: NDArray[np.float64]
) -> int:
    """Write the centred ranks of each query and feature, scaled to unit length; count queries.

    `out` has a row per document from query_ptr[0] on. A constant feature's ranks are all 0. A
    query with one document has zeros and is not counted.
    """
    offset = query_ptr[0]
    n_voters = 0
    for query in range(len(query_ptr) - 1):
        start, stop = query_ptr[query], query_ptr[query + 1]
        n_voters += stop - start > 1
        order = np.empty(stop - start, dtype=np.int32)
        ranks = np.empty(stop - start, dtype=np.int32)
        for f in range(X.shape[1]):
            _centred_ranks(X[start:stop, f], order, ranks)
            squares = 0
            for index in range(len(ranks)):
                squares += ranks[index] * ranks[index]
            length = max(np.sqrt(squares), 1.0)
            unit = out[start - offset : stop - offset, f]
            for index in range(len(ranks)):
                unit[index] = ranks[index] / length
    return n_voters
