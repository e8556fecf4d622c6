"""Documents beside landmarks: squared distances and inner products, row by row alike.

Own loops instead of BLAS: distances are sums of squared differences, which lose no digits to
|x|^2 + |l|^2 - 2 x . l, and a document's value does not depend on the rows beside it. Four
features are taken at a time, so that the sums are read and written a quarter as often.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.compile import compiled


@compiled
def write_squared_distances(
    X: NDArray[Any], start: int, stop: int, landmarks: NDArray[np.float64], out: NDArray[np.float64]
) -> None:
    """Write |x - l|^2 of the rows start:stop of X, and each landmark, a column of `out`."""
    in_fours = X.shape[1] - X.shape[1] % 4
    for index in range(len(landmarks)):
        landmark, sums = landmarks[index], out[:, index]
        for row in range(len(sums)):
            sums[row] = 0.0
        for f in range(0, in_fours, 4):
            A, B = X[start:stop, f], X[start:stop, f + 1]
            C, D = X[start:stop, f + 2], X[start:stop, f + 3]
            for row in range(len(sums)):
                a, b = A[row] - landmark[f], B[row] - landmark[f + 1]
                c, d = C[row] - landmark[f + 2], D[row] - landmark[f + 3]
                sums[row] += (a * a + b * b) + (c * c + d * d)
        for f in range(in_fours, X.shape[1]):
            A = X[start:stop, f]
            for row in range(len(sums)):
                a = A[row] - landmark[f]
                sums[row] += a * a


@compiled
def write_inner_products(
    X: NDArray[Any], start: int, stop: int, landmarks: NDArray[np.float64], out: NDArray[np.float64]
) -> None:
    """Write x . l of the rows start:stop of X, and each landmark, a column of `out`."""
    in_fours = X.shape[1] - X.shape[1] % 4
    for index in range(len(landmarks)):
        landmark, sums = landmarks[index], out[:, index]
        for row in range(len(sums)):
            sums[row] = 0.0
        for f in range(0, in_fours, 4):
            A, B = X[start:stop, f], X[start:stop, f + 1]
            C, D = X[start:stop, f + 2], X[start:stop, f + 3]
            for row in range(len(sums)):
                ab = A[row] * landmark[f] + B[row] * landmark[f + 1]
                sums[row] += ab + (C[row] * landmark[f + 2] + D[row] * landmark[f + 3])
        for f in range(in_fours, X.shape[1]):
            A = X[start:stop, f]
            for row in range(len(sums)):
                sums[row] += A[row] * landmark[f]
