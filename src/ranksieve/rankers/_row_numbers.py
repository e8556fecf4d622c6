"""Numbers of rows that depend on their values alone."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

# Constants of the SplitMix64 generator.
_STEP, _MIX_1, _MIX_2 = (
    np.uint64(word) for word in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
)


def row_numbers(X: NDArray[Any], seed: int) -> NDArray[np.uint64]:
    """Return a number of 64 bits for each row, as good as random, equal for equal rows."""
    start = np.random.SeedSequence(seed).generate_state(1, np.uint64)
    numbers = np.repeat(start.astype(np.uint64), len(X))
    for column in X.T:
        # -0.0 + 0.0 is 0.0: equal values have equal bits, whatever their type was.
        numbers = _mixed(numbers + _STEP ^ (column.astype(np.float64) + 0.0).view(np.uint64))
    return numbers


def _mixed(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    words = (words ^ (words >> np.uint64(30))) * _MIX_1
    words = (words ^ (words >> np.uint64(27))) * _MIX_2
    mixed: NDArray[np.uint64] = words ^ (words >> np.uint64(31))
    return mixed
