"""Products of all pairs of columns, in double precision.

Own loops instead of BLAS, whose result would depend on how many threads it takes. Rows are
taken in tiles, so that all columns of a tile stay in the second-level cache, and columns in
blocks of two by four, so that a value that was loaded serves several products.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.compile import compiled

_TILE_ROWS = 256


@compiled
def add_gram(columns: NDArray[np.float64], total: NDArray[np.float64]) -> None:
    """Add columns.T @ columns to `total`, for all f <= g; what is below is left undefined."""
    n, p = columns.shape
    for low in range(0, n, _TILE_ROWS):
        high = min(low + _TILE_ROWS, n)
        for f in range(0, p - 1, 2):
            _add_two_rows(columns, low, high, f, total)
        if p % 2 == 1:
            total[p - 1, p - 1] += _dot(columns[low:high, p - 1], columns[low:high, p - 1])


@compiled
def _add_two_rows(
    columns: NDArray[np.float64], low: int, high: int, f: int, total: NDArray[np.float64]
) -> None:
    a, b = columns[low:high, f], columns[low:high, f + 1]
    g = f
    while g + 4 <= columns.shape[1]:
        w, x = columns[low:high, g], columns[low:high, g + 1]
        y, z = columns[low:high, g + 2], columns[low:high, g + 3]
        _add_eight(a, b, w, x, y, z, total[f, g : g + 4], total[f + 1, g : g + 4])
        g += 4
    while g < columns.shape[1]:
        total[f, g] += _dot(a, columns[low:high, g])
        total[f + 1, g] += _dot(b, columns[low:high, g])
        g += 1


# Reassociation lets sums use vector lanes; their order is fixed at compile time.
@compiled(fastmath={"reassoc", "contract"})
def _add_eight(
    a: NDArray[np.float64],
    b: NDArray[np.float64],
    w: NDArray[np.float64],
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    z: NDArray[np.float64],
    total_a: NDArray[np.float64],
    total_b: NDArray[np.float64],
) -> None:
    aw = ax = ay = az = bw = bx = by = bz = 0.0
    for row in range(len(a)):
        aw += a[row] * w[row]
        ax += a[row] * x[row]
        ay += a[row] * y[row]
        az += a[row] * z[row]
        bw += b[row] * w[row]
        bx += b[row] * x[row]
        by += b[row] * y[row]
        bz += b[row] * z[row]
    total_a[0] += aw
    total_a[1] += ax
    total_a[2] += ay
    total_a[3] += az
    total_b[0] += bw
    total_b[1] += bx
    total_b[2] += by
    total_b[3] += bz


@compiled(fastmath={"reassoc", "contract"})
def _dot(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    total = 0.0
    for row in range(len(a)):
        total += a[row] * b[row]
    return total
