"""Rows of documents scaled over the whole data, and sums of their differences."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.compile import compiled

# Rows written at a time, so that both the columns read and the rows written stay in the cache.
_TILE = 32


@compiled
def widen_ranges(
    X: NDArray[Any], start: int, stop: int, least: NDArray[np.float64], most: NDArray[np.float64]
) -> None:
    """Widen each column's range to the values in X[start:stop]."""
    for column in range(X.shape[1]):
        low, high = least[column], most[column]
        for value in X[start:stop, column]:
            low = min(low, np.float64(value))
            high = max(high, np.float64(value))
        least[column], most[column] = low, high


@compiled
def scale_rows(
    X: NDArray[Any],
    rows: NDArray[np.int64],
    least: NDArray[np.float64],
    most: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None:
    """Write rows of X, row by row and scaled to [0, 1] by each column's range; constants are 0.

    The order in which values are written does not change them: equal rows stay equal.
    """
    for first in range(0, len(rows), _TILE):
        last = min(first + _TILE, len(rows))
        for column in range(X.shape[1]):
            # Halved where the width of the range would overflow.
            too_wide = 0.5 * most[column] - 0.5 * least[column] > 0.5 * np.finfo(np.float64).max
            unit = 0.5 if too_wide else 1.0
            low = least[column] * unit
            width = most[column] * unit - low
            for row in range(first, last):
                value = np.float64(X[rows[row], column])
                out[row, column] = (value * unit - low) / width if width > 0 else 0.0


@compiled
def add_differences(
    rows: NDArray[np.float64],
    first: int,
    visited: NDArray[np.float64],
    owners: NDArray[np.int64],
    neighbours: NDArray[np.int64],
    factors: NDArray[np.float64],
    sums: NDArray[np.float64],
) -> None:
    """Add factor * |x - neighbour|, feature by feature, for each pair; a row of sums a row of
    factors.

    Pair i is visited[owners[i]] and rows[neighbours[i] - first].
    """
    for which in range(len(factors)):
        total = sums[which]
        for pair in range(len(owners)):
            factor = factors[which, pair]
            x, neighbour = visited[owners[pair]], rows[neighbours[pair] - first]
            for feature in range(len(x)):
                total[feature] += factor * abs(x[feature] - neighbour[feature])
