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
def add_column_hash(
    words: NDArray[np.uint64], first_document: int, column: int, sums: NDArray[np.uint64]
) -> None:
    """Add two hashes of each value of a column, of its row in the data and of its column.

    `words` are the bits of the values as float64, so that one kernel serves all types.
    """
    column_key = _mixed(np.uint64(column) * _STEP + _SECOND_SEED)
    first, second = sums[0], sums[1]
    for row in range(len(words)):
        row_key = _mixed(np.uint64(row + first_document) * _STEP + column_key)
        word = _mixed(words[row] ^ row_key)
        first += word
        second += _mixed(word ^ _SECOND_SEED)
    sums[0], sums[1] = first, second
