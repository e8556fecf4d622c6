"""Coordinate descent on a quadratic model with a charge on the sizes of weights."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.compile import compiled


@compiled
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

    `slopes` is b + hessian z and `charged` is matrix |z|; both follow z. Sweeps end when none
    moves a weight so far that it could fall by more than `accuracy`. Each weight is brought to
    its best value given the others, so the value never rises. Returns the sweeps made.
    """
    n = len(z)
    for sweep in range(max_sweeps):
        largest = 0.0
        for j in range(n):
            curvature = hessian[j, j] + matrix[j, j]
            old = z[j]
            if curvature <= 0.0:
                new = 0.0
            else:
                pull = hessian[j, j] * old - slopes[j]
                threshold = linear[j] + charged[j] - matrix[j, j] * abs(old)
                if pull > threshold:
                    new = (pull - threshold) / curvature
                elif pull < -threshold:
                    new = (pull + threshold) / curvature
                else:
                    new = 0.0
            if new != old:
                move, growth = new - old, abs(new) - abs(old)
                z[j] = new
                row, shared = hessian[j], matrix[j]
                for k in range(n):
                    slopes[k] += move * row[k]
                    charged[k] += growth * shared[k]
                largest = max(largest, curvature * move * move)
        if largest <= accuracy:
            return sweep + 1
    return max_sweeps
