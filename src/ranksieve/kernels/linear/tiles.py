"""Products of all pairs of columns over a tile of rows, in double precision.

Own loops instead of BLAS, whose result would depend on how many threads it takes. Tiles are
short enough that all columns of one stay in the second-level cache, and columns are taken in
blocks of two by four, so that a value that was loaded serves several products.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.compile import compiled
from ranksieve.kernels.linear.products import _dot

TILE_ROWS = 256


@compiled
def _add_products(
    columns: NDArray[np.float64],
    images: NDArray[np.float64],
    low: int,
    high: int,
    total: NDArray[np.float64],
) -> None:
    """Add the product of columns[f] and images[g], from low to high, to total[f, g], f <= g.

    What is below the diagonal is left undefined.
    """
    n = len(columns)
    for f in range(0, n - 1, 2):
        # A row, then a part of it: the other way round it would not be known to be contiguous.
        a, b = columns[f][low:high], columns[f + 1][low:high]
        g = f
        while g + 4 <= n:
            w, x = images[g][low:high], images[g + 1][low:high]
            y, z = images[g + 2][low:high], images[g + 3][low:high]
            _add_eight(a, b, w, x, y, z, total[f, g : g + 4], total[f + 1, g : g + 4])
            g += 4
        while g < n:
            total[f, g] += _dot_of_rows(columns, f, images, g, low, high)
            total[f + 1, g] += _dot_of_rows(columns, f + 1, images, g, low, high)
            g += 1
    if n % 2 == 1:
        total[n - 1, n - 1] += _dot_of_rows(columns, n - 1, images, n - 1, low, high)


@compiled
def _dot_of_rows(
    columns: NDArray[np.float64],
    f: int,
    images: NDArray[np.float64],
    g: int,
    low: int,
    high: int,
) -> Any:
    return _dot(columns[f][low:high], images[g][low:high])


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
