"""Products of all pairs of columns of a matrix, in double precision."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.compile import compiled
from ranksieve.kernels.linear.tiles import TILE_ROWS, _add_products


@compiled
def add_gram(columns: NDArray[np.float64], total: NDArray[np.float64]) -> None:
    """Add columns.T @ columns to `total`, for all f <= g; what is below is left undefined."""
    rows = columns.T
    for low in range(0, len(columns), TILE_ROWS):
        _add_products(rows, rows, low, min(low + TILE_ROWS, len(columns)), total)
