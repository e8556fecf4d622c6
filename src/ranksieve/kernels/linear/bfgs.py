"""What a matrix learns from one product that is known."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.compile import compiled
from ranksieve.kernels.linear.products import _dot

# A move and its image that hang together less than this are rounding.
_LEAST_ANGLE = 1e-10


@compiled
def update_by_bfgs(
    hessian: NDArray[np.float64], move: NDArray[np.float64], image: NDArray[np.float64]
) -> bool:
    """Change a symmetric matrix so that its product with `move` is `image`.

    By H + y y' / s'y - H s (H s)' / s'H s, which stays positive semidefinite. Returns False, and
    leaves the matrix as it is, where the move was too short to tell.
    """
    n = len(move)
    expected = np.empty(n)
    for row in range(n):
        expected[row] = _dot(hessian[row], move)
    along, length = _dot(move, image), _dot(move, expected)
    sizes = np.sqrt(_dot(move, move) * _dot(image, image))
    if along <= _LEAST_ANGLE * sizes or length <= 0.0:
        return False
    for row in range(n):
        gain, loss, target = image[row] / along, expected[row] / length, hessian[row]
        for column in range(row + 1):
            target[column] += gain * image[column] - loss * expected[column]
    for row in range(n):
        for column in range(row):
            hessian[column, row] = hessian[row, column]
    return True
