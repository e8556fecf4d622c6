"""Position-dependent hashes of values, summed: the same however rows are grouped."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.compile import compiled

_STEP = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_SECOND_SEED = np.uint64(0xD1B54A32D192ED03)


@compiled
def _mixed(word: Any) -> Any:
    """Return the finaliser of the SplitMix64 generator at `word`."""
    word = (word ^ (word >> np.uint64(30))) * _MIX_1
    word = (word ^ (word >> np.uint64(27))) * _MIX_2
    return word ^ (word >> np.uint64(31))


@compiled
def add_column_hashes(
    X: NDArray[Any],
    query_ptr: NDArray[np.int64],
    first_document: int,
    first_column: int,
    sums: NDArray[np.uint64],
) -> None:
    """Add two hashes of each value, of its row in the data and of its column, to `sums`."""
    start = query_ptr[0]
    one_value = np.empty(1, dtype=np.float64)
    one_word = one_value.view(np.uint64)
    for column in range(X.shape[1]):
        column_key = _mixed(np.uint64(column + first_column) * _STEP + _SECOND_SEED)
        for row in range(start, query_ptr[-1]):
            one_value[0] = X[row, column] + 0.0  # makes -0.0 and 0.0 equal
            place = np.uint64(row - start + first_document) * _STEP + column_key
            word = _mixed(one_word[0] ^ _mixed(place))
            sums[0] += word
            sums[1] += _mixed(word ^ _SECOND_SEED)
