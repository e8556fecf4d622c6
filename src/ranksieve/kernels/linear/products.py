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
    """Write X[start:stop] @ w into `scores`, four columns with a weight at a time."""
    for row in range(len(scores)):
        scores[row] = 0.0
    n_waiting = 0
    a = b = c = 0
    for column in range(X.shape[1]):
        if w[column] == 0.0:
            continue
        if n_waiting == 3:
            A, B, C = X[start:stop, a], X[start:stop, b], X[start:stop, c]
            _add_four(w[a], A, w[b], B, w[c], C, w[column], X[start:stop, column], scores)
            n_waiting = 0
        else:
            a, b, c = b, c, column
            n_waiting += 1
    for _ in range(n_waiting):
        # Those that wait are the last ones of a, b and c.
        first = c if n_waiting == 1 else b if n_waiting == 2 else a
        weight, values = w[first], X[start:stop, first]
        for row in range(len(scores)):
            scores[row] += weight * values[row]
        n_waiting -= 1


@compiled
def _add_four(
    a: float,
    A: NDArray[Any],
    b: float,
    B: NDArray[Any],
    c: float,
    C: NDArray[Any],
    d: float,
    D: NDArray[Any],
    scores: NDArray[np.float64],
) -> None:
    for row in range(len(scores)):
        scores[row] += (a * A[row] + b * B[row]) + (c * C[row] + d * D[row])


# Reassociation lets the sum use vector lanes; their order is fixed at compile time.
@compiled(fastmath={"reassoc", "contract"})
def _dot(values: NDArray[Any], gradient: NDArray[np.float64]) -> float:
    total = 0.0
    for row in range(len(values)):
        total += values[row] * gradient[row]
    return total


@compiled(fastmath={"reassoc", "contract"})
def _four_dots(
    A: NDArray[Any],
    B: NDArray[Any],
    C: NDArray[Any],
    D: NDArray[Any],
    gradient: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None:
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    for row in range(len(gradient)):
        a += A[row] * gradient[row]
        b += B[row] * gradient[row]
        c += C[row] * gradient[row]
        d += D[row] * gradient[row]
    out[0], out[1], out[2], out[3] = a, b, c, d


@compiled
def gradient_of_weights(
    X: NDArray[Any], start: int, stop: int, gradient: NDArray[np.float64], out: NDArray[np.float64]
) -> None:
    """Write X[start:stop].T @ gradient into `out`."""
    in_fours = X.shape[1] - X.shape[1] % 4
    for a in range(0, in_fours, 4):
        A, B = X[start:stop, a], X[start:stop, a + 1]
        C, D = X[start:stop, a + 2], X[start:stop, a + 3]
        _four_dots(A, B, C, D, gradient, out[a : a + 4])
    for column in range(in_fours, X.shape[1]):
        out[column] = _dot(X[start:stop, column], gradient)
