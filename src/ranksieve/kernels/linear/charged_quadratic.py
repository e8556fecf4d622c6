"""The minimum of a quadratic model with a charge on the sizes of weights.

Sweeps of coordinate descent find which weights are 0, and Newton steps on the others find their
values. All matrices are features by features: a few hundred at most, and no data is read.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.compile import compiled
from ranksieve.kernels.linear.coordinate_descent import _add_multiple, descend
from ranksieve.kernels.linear.products import _dot

_FIRST_SWEEPS, _MOST_SWEEPS, _MAX_ROUNDS = 2, 128, 100
# Added to the diagonal, relative to it: features that are copies make the matrix singular.
_JITTER = 1e-12
# Thresholds below this share of the slopes at 0 do not set the accuracy; slopes round off at that.
_LEAST_SLOPE, _ROUNDING = 1e-6, 1e-14


@compiled
def minimise_charged(
    hessian: NDArray[np.float64],
    b: NDArray[np.float64],
    linear: NDArray[np.float64],
    matrix: NDArray[np.float64],
    z: NDArray[np.float64],
    accuracy: float,
) -> int:
    """Bring z to the least b'z + z' hessian z / 2 + linear . |z| + |z|' matrix |z| / 2.

    Until the conditions of optimality hold to `accuracy` times the largest threshold. A `matrix`
    without rows stands for zeros. Returns the rounds made, of sweeps and Newton steps.
    """
    n = len(z)
    support = np.empty(n, dtype=np.int64)
    # The first n rows are for a Cholesky factor: one matrix, which compiles faster than vectors.
    spare = np.empty((n + 4, n))
    slopes, charged, trial, step = spare[n], spare[n + 1], spare[n + 2], spare[n + 3]
    sweeps = _FIRST_SWEEPS
    for rounds in range(_MAX_ROUNDS):
        _follow(hessian, b, matrix, z, slopes, charged)
        limit = _limit(accuracy, b, linear, charged)
        descend(hessian, linear, matrix, z, slopes, charged, 0.0, sweeps)
        for _ in range(n):
            size = _newton_step(hessian, linear, matrix, z, slopes, charged, spare, support, step)
            if size == 0:
                break
            done = _move(hessian, b, linear, matrix, z, slopes, charged, support, size, step, trial)
            _follow(hessian, b, matrix, z, slopes, charged)
            if done:
                break
        if _violation(linear, z, slopes, charged) <= limit:
            return rounds + 1
        sweeps = min(2 * sweeps, _MOST_SWEEPS)
    return _MAX_ROUNDS


# An assignment to a whole slice would take seconds to compile.
@compiled
def _copy(source: NDArray[np.float64], target: NDArray[np.float64]) -> None:
    for index in range(len(source)):
        target[index] = source[index]


@compiled
def _follow(
    hessian: NDArray[np.float64],
    b: NDArray[np.float64],
    matrix: NDArray[np.float64],
    z: NDArray[np.float64],
    slopes: NDArray[np.float64],
    charged: NDArray[np.float64],
) -> None:
    """Write b + hessian z and matrix |z|."""
    for j in range(len(z)):
        slopes[j], charged[j] = b[j], 0.0
    for j in range(len(z)):
        if z[j] != 0.0:
            _add_multiple(z[j], hessian[j], slopes)
            if len(matrix) > 0:
                _add_multiple(abs(z[j]), matrix[j], charged)


@compiled
def _limit(
    accuracy: float,
    b: NDArray[np.float64],
    linear: NDArray[np.float64],
    charged: NDArray[np.float64],
) -> float:
    """Return the violation to reach: a share of the largest threshold, where there is one."""
    largest, slope = 0.0, 0.0
    for j in range(len(b)):
        largest = max(largest, linear[j] + charged[j])
        slope = max(slope, abs(b[j]))
    return max(accuracy * max(largest, _LEAST_SLOPE * slope), _ROUNDING * slope)


@compiled
def _violation(
    linear: NDArray[np.float64],
    z: NDArray[np.float64],
    slopes: NDArray[np.float64],
    charged: NDArray[np.float64],
) -> float:
    """Return by how much the conditions of optimality are missed."""
    largest = 0.0
    for j in range(len(z)):
        threshold = linear[j] + charged[j]
        if z[j] == 0.0:
            largest = max(largest, abs(slopes[j]) - threshold)
        else:
            largest = max(largest, abs(slopes[j] + np.copysign(threshold, z[j])))
    return largest


@compiled
def _value(
    b: NDArray[np.float64],
    linear: NDArray[np.float64],
    z: NDArray[np.float64],
    slopes: NDArray[np.float64],
    charged: NDArray[np.float64],
) -> float:
    total = 0.0
    for j in range(len(z)):
        total += 0.5 * z[j] * (b[j] + slopes[j]) + abs(z[j]) * (linear[j] + 0.5 * charged[j])
    return total


@compiled
def _newton_step(
    hessian: NDArray[np.float64],
    linear: NDArray[np.float64],
    matrix: NDArray[np.float64],
    z: NDArray[np.float64],
    slopes: NDArray[np.float64],
    charged: NDArray[np.float64],
    factor: NDArray[np.float64],
    support: NDArray[np.int64],
    step: NDArray[np.float64],
) -> int:
    """Write which weights are not 0 and their way to the minimum over them; return how many.

    0 where there are none or the curvature is not positive definite.
    """
    size = 0
    for j in range(len(z)):
        if z[j] != 0.0:
            support[size] = j
            step[size] = -slopes[j] - np.copysign(linear[j] + charged[j], z[j])
            size += 1
    for row in range(size):
        j = support[row]
        for column in range(row + 1):
            k = support[column]
            curvature = hessian[j, k]
            if len(matrix) > 0:
                curvature += np.copysign(matrix[j, k], z[j] * z[k])
            factor[row, column] = curvature
        factor[row, row] *= 1.0 + _JITTER
    if not _solve_by_cholesky(factor, size, step):
        return 0
    return size


@compiled
def _solve_by_cholesky(factor: NDArray[np.float64], size: int, x: NDArray[np.float64]) -> bool:
    """Solve for x in place; the lower triangle of `factor` becomes the Cholesky factor."""
    for row in range(size):
        factor_row = factor[row]
        for column in range(row):
            product = _dot_of_rows(factor, row, column, column)
            factor_row[column] = (factor_row[column] - product) / factor[column, column]
        pivot = factor_row[row] - _dot_of_rows(factor, row, row, row)
        if not 0.0 < pivot < np.inf:
            return False
        factor_row[row] = np.sqrt(pivot)
        x[row] = (x[row] - _dot(factor_row[:row], x[:row])) / factor_row[row]
    for row in range(size - 1, -1, -1):
        x[row] /= factor[row, row]
        _add_multiple(-x[row], factor[row], x[:row])
    return True


@compiled
def _dot_of_rows(matrix: NDArray[np.float64], row: int, other: int, length: int) -> Any:
    return _dot(matrix[row][:length], matrix[other][:length])


@compiled
def _move(
    hessian: NDArray[np.float64],
    b: NDArray[np.float64],
    linear: NDArray[np.float64],
    matrix: NDArray[np.float64],
    z: NDArray[np.float64],
    slopes: NDArray[np.float64],
    charged: NDArray[np.float64],
    support: NDArray[np.int64],
    size: int,
    step: NDArray[np.float64],
    trial: NDArray[np.float64],
) -> bool:
    """Move z by the step; tell whether that was the whole of it.

    Weights that would change their signs become 0 if that lowers the value. Else the move ends
    where the first of them is 0: up to there the value falls, as it is convex.
    """
    _copy(z, trial)
    length, turned = 1.0, -1
    for index in range(size):
        j = support[index]
        trial[j] = z[j] + step[index]
        if trial[j] * z[j] <= 0.0:
            trial[j] = 0.0
            if -z[j] / step[index] < length or turned < 0:
                length, turned = -z[j] / step[index], j
    if turned >= 0:
        before = _value(b, linear, z, slopes, charged)
        _follow(hessian, b, matrix, trial, slopes, charged)
        if not _value(b, linear, trial, slopes, charged) < before:
            for index in range(size):
                z[support[index]] += length * step[index]
            z[turned] = 0.0
            return False
    _copy(trial, z)
    return True
