"""Deviations of columns from their means, in a unit of their own."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.compile import compiled


@compiled
def write_deviations(
    X: NDArray[Any],
    start: int,
    stop: int,
    units: NDArray[np.float64],
    centre: NDArray[np.float64],
    scale: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None:
    """Write (units X[start:stop] - centre) / scale into `out`, with the centre near the mean.

    The centre is exact for a constant column, whose scale is 0 and whose deviations are 0. The
    scale is a power of two, so that deviations are less than 2 and keep all their digits.
    """
    for f in range(X.shape[1]):
        column = X[start:stop, f]
        # From the first value on: sums of numbers around 1e8 would lose a small spread.
        unit = units[f]
        first = np.float64(column[0]) * unit
        total = 0.0
        for row in range(len(column)):
            total += np.float64(column[row]) * unit - first
        centre[f] = first + total / len(column)
        scale[f] = _power_of_two(_largest_deviation(column, unit, centre[f]))
        inverse = 1.0 / scale[f] if scale[f] > 0.0 else 0.0
        deviations = out[:, f]
        for row in range(len(column)):
            deviations[row] = (np.float64(column[row]) * unit - centre[f]) * inverse


@compiled
def _largest_deviation(column: NDArray[Any], unit: float, centre: float) -> float:
    largest = 0.0
    for row in range(len(column)):
        largest = max(largest, abs(np.float64(column[row]) * unit - centre))
    return largest


@compiled
def _power_of_two(value: float) -> float:
    """Return the largest power of two that is at most `value`; 0 for 0."""
    if value == 0.0:
        return 0.0
    return math.ldexp(1.0, math.frexp(value)[1] - 1)
