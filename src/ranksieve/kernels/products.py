"""Products of a column-major matrix with vectors, accumulated in double precision.

Own loops instead of BLAS: a float32 matrix is read as it is (no double copy) while sums are
kept in float64, and the result does not depend on how many threads a BLAS would take.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.compile import compiled


@compiled
def scores_of_rows(
    X: NDArray[Any], start: int, stop: int, w: NDArray[np.float64], scores: NDArray[np.float64]
) -> None:
    """Write X[start:stop] @ w into `scores`, column by column."""
    scores[:] = 0.0
    for column in range(X.shape[1]):
        weight = w[column]
        if weight == 0.0:
            continue
        values = X[start:stop, column]
        for row in range(len(values)):
            scores[row] += weight * values[row]


# Reassociation lets the sum use vector lanes; their order is fixed at compile time.
@compiled(fastmath={"reassoc", "contract"})
def _dot(values: NDArray[Any], gradient: NDArray[np.float64]) -> float:
    total = 0.0
    for row in range(len(values)):
        total += values[row] * gradient[row]
    return total


@compiled
def gradient_of_weights(
    X: NDArray[Any], start: int, stop: int, gradient: NDArray[np.float64], out: NDArray[np.float64]
) -> None:
    """Write X[start:stop].T @ gradient into `out`."""
    for column in range(X.shape[1]):
        out[column] = _dot(X[start:stop, column], gradient)
