"""One look at every column: its range, its zeros, and a hash that tells equal columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.columns.hashing import _mixed
from ranksieve.kernels.compile import compiled

_STEP = np.uint64(0x9E3779B97F4A7C15)


@compiled
def profile_columns(
    X: NDArray[Any],
    query_ptr: NDArray[np.int64],
    first_document: int,
    ranges: NDArray[np.float64],
    n_zeros: NDArray[np.int64],
    hashes: NDArray[np.uint64],
) -> None:
    """Write least and most (rows of `ranges`), zeros and a hash of each column.

    A column's hash is a sum over its values, each mixed with its row in the whole data: hashes
    of pieces add up, and columns with equal values have equal hashes.
    """
    start = query_ptr[0]
    one_value = np.empty(1, dtype=np.float64)
    one_word = one_value.view(np.uint64)
    for column in range(X.shape[1]):
        least, most = np.inf, -np.inf
        zeros = 0
        total = np.uint64(0)
        for row in range(start, query_ptr[-1]):
            value = np.float64(X[row, column]) + 0.0  # makes -0.0 and 0.0 equal
            least = min(least, value)
            most = max(most, value)
            zeros += value == 0.0
            one_value[0] = value
            index = np.uint64(row - start + first_document) * _STEP
            total += _mixed(one_word[0] ^ _mixed(index))
        ranges[0, column], ranges[1, column] = least, most
        n_zeros[column], hashes[column] = zeros, total
