"""Coordinate descent on a quadratic model with a charge on the sizes of weights."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.compile import compiled, inner


@inner
def descend(
    hessian: NDArray[np.float64],
    linear: NDArray[np.float64],
    matrix: NDArray[np.float64],
    z: NDArray[np.float64],
    slopes: NDArray[np.float64],
    charged: NDArray[np.float64],
    accuracy: float,
    max_sweeps: int,
) -> int:
    """Lower b'z + z' hessian z / 2 + linear . |z| + |z|' matrix |z| / 2, one weight at a time.

    `slopes` is b + hessian z and `charged` is matrix |z|; both follow z. A `matrix` without
    rows stands for zeros. Sweeps end when none moves a weight so far that it could fall by more
    than `accuracy`. Each weight is brought to its best value given the others, so the value
    never rises. Returns the sweeps made.
    """
    shares = len(matrix) > 0
    for sweep in range(max_sweeps):
        largest = 0.0
        for j in range(len(z)):
            diagonal = matrix[j, j] if shares else 0.0
            curvature = hessian[j, j] + diagonal
            old = z[j]
            new = 0.0
            if curvature > 0.0:
                pull = hessian[j, j] * old - slopes[j]
                excess = abs(pull) - (linear[j] + charged[j] - diagonal * abs(old))
                if excess > 0.0:
                    new = np.copysign(excess / curvature, pull)
            if new != old:
                move = new - old
                z[j] = new
                _add_multiple(move, hessian[j], slopes)
                if shares:
                    _add_multiple(abs(new) - abs(old), matrix[j], charged)
                largest = max(largest, curvature * move * move)
        if largest <= accuracy:
            return sweep + 1
    return max_sweeps


@compiled
def _add_multiple(factor: float, row: NDArray[np.float64], out: NDArray[np.float64]) -> None:
    for index in range(len(out)):
        out[index] += factor * row[index]
