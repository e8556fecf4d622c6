"""Scans and products over the columns of a column-major matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.compile import compiled


@compiled
def first_infinite(X: NDArray[Any]) -> tuple[int, int]:
    """Return row and column of the first infinite value in column order, or (-1, -1)."""
    for column in range(X.shape[1]):
        for row in range(X.shape[0]):
            if np.isinf(X[row, column]):
                return row, column
    return -1, -1


@compiled
def first_missing(X: NDArray[Any]) -> tuple[int, int]:
    """Return row and column of the first NaN in column order, or (-1, -1)."""
    for column in range(X.shape[1]):
        for row in range(X.shape[0]):
            if np.isnan(X[row, column]):
                return row, column
    return -1, -1


@compiled
def fill_missing(X: NDArray[Any], value: float) -> None:
    """Replace every NaN by `value`, in place."""
    for column in range(X.shape[1]):
        for row in range(X.shape[0]):
            if np.isnan(X[row, column]):
                X[row, column] = value


@compiled
def fill_missing_with_query_minimum(X: NDArray[Any], query_ptr: NDArray[np.int64]) -> None:
    """Replace every NaN by the least value of its query and column, or by 0 where all are NaN."""
    for column in range(X.shape[1]):
        for query in range(len(query_ptr) - 1):
            least = np.inf
            holes = 0
            for row in range(query_ptr[query], query_ptr[query + 1]):
                if np.isnan(X[row, column]):
                    holes += 1
                elif X[row, column] < least:
                    least = X[row, column]
            if holes == 0:
                continue
            if least == np.inf:
                least = 0.0
            for row in range(query_ptr[query], query_ptr[query + 1]):
                if np.isnan(X[row, column]):
                    X[row, column] = least


@compiled
def mark_varying(X: NDArray[Any], query_ptr: NDArray[np.int64], varies: NDArray[np.bool_]) -> None:
    """Set `varies` for each column that has two different values in one query."""
    for column in range(X.shape[1]):
        for query in range(len(query_ptr) - 1):
            first = query_ptr[query]
            for row in range(first + 1, query_ptr[query + 1]):
                if X[row, column] != X[first, column]:
                    varies[column] = True
                    break
            if varies[column]:
                break
