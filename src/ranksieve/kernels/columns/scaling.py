"""Scaling of each feature inside each query."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.compile import compiled


@compiled
def minmax_by_query(X: NDArray[Any], query_ptr: NDArray[np.int64], out: NDArray[Any]) -> None:
    """Write (x - min) / (max - min) a query and column; a constant becomes 0.

    Row query_ptr[0] of X goes to row 0 of `out`. Computed in float64, halved where max - min
    would overflow.
    """
    first = query_ptr[0]
    for column in range(X.shape[1]):
        for query in range(len(query_ptr) - 1):
            start, stop = query_ptr[query], query_ptr[query + 1]
            least, most = _range(X, start, stop, column)
            unit = _unit(least, most)
            for row in range(start, stop):
                out[row - first, column] = _share(X[row, column], least, most, unit)


@compiled
def zscore_by_query(X: NDArray[Any], query_ptr: NDArray[np.int64], out: NDArray[Any]) -> None:
    """Write (x - mean) / standard deviation a query and column; a constant becomes 0.

    The deviation is the population's (divided by n). It is taken of the values scaled to
    [0, 1], which has the same z-scores and neither overflows nor loses a small spread
    around a large mean.
    """
    first = query_ptr[0]
    for column in range(X.shape[1]):
        for query in range(len(query_ptr) - 1):
            start, stop = query_ptr[query], query_ptr[query + 1]
            least, most = _range(X, start, stop, column)
            unit = _unit(least, most)
            total = 0.0
            for row in range(start, stop):
                total += _share(X[row, column], least, most, unit)
            mean = total / max(stop - start, 1)
            squares = 0.0
            for row in range(start, stop):
                squares += (_share(X[row, column], least, most, unit) - mean) ** 2
            deviation = np.sqrt(squares / max(stop - start, 1))
            for row in range(start, stop):
                centred = _share(X[row, column], least, most, unit) - mean
                out[row - first, column] = centred / deviation if deviation > 0 else 0.0


@compiled
def _range(X: NDArray[Any], start: int, stop: int, column: int) -> tuple[float, float]:
    least, most = np.inf, -np.inf
    for row in range(start, stop):
        value = np.float64(X[row, column])
        least = min(least, value)
        most = max(most, value)
    return least, most


@compiled
def _unit(least: float, most: float) -> float:
    """Return 0.5 where most - least overflows, otherwise 1."""
    # Compared in halves, because the difference itself would be infinite.
    return 0.5 if most * 0.5 - least * 0.5 > np.finfo(np.float64).max * 0.5 else 1.0


@compiled
def _share(value: Any, least: float, most: float, unit: float) -> Any:
    if most <= least:
        return 0.0
    return (np.float64(value) * unit - least * unit) / (most * unit - least * unit)
