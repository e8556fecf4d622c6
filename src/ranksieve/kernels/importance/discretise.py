"""A feature in order of its values with the grades' levels, and its cut into bins.

An *ordered column* is int64, one number per document: a value's place or key in the upper 32 bits,
the document's level in the lower 32, and upper parts that never fall. A *cut* is a number of
documents: as many of the ordered column lie below it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.compile import compiled

LEVEL_BITS = 32
LEVEL_MASK = (1 << LEVEL_BITS) - 1
_NEGATIVE_ZERO = -(1 << 31)
_BELOW_SIGN = (1 << 31) - 1


@compiled
def pack_keys(bits: NDArray[np.int32], levels: NDArray[np.int32], out: NDArray[np.int64]) -> None:
    """Write keys that sort as the float32 numbers with these bits do, each with its level.

    Bits of floats sort as whole numbers do once those of negative ones are turned over.
    Negative zero is zero.
    """
    for row in range(len(bits)):
        key = np.int64(bits[row])
        if key == _NEGATIVE_ZERO:
            key = np.int64(0)
        elif key < 0:
            key ^= _BELOW_SIGN
        out[row] = (key << LEVEL_BITS) | np.int64(levels[row])


@compiled
def pack_places(
    column: NDArray[Any],
    order: NDArray[np.int64],
    levels: NDArray[np.int32],
    out: NDArray[np.int64],
) -> None:
    """Write the ordered column of values whose rows by rising value are `order`."""
    index = np.int64(0)
    for position in range(len(order)):
        row = order[position]
        if position > 0 and column[row] != column[order[position - 1]]:
            index += 1
        out[position] = (index << LEVEL_BITS) | np.int64(levels[row])


@compiled
def equal_frequency_cuts(ordered: NDArray[np.int64], cuts: NDArray[np.int64]) -> int:
    """Write cuts after the values at which the count reaches each share of all documents.

    With room for b cuts, the shares are i / (b + 1), i = 1, ..., b. Equal values stay together,
    so there may be fewer. Return how many.
    """
    n, n_bins = len(ordered), len(cuts) + 1
    n_cuts, cut = 0, 0
    while True:
        share = cut * n_bins // n + 1
        quantile = (share * n + n_bins - 1) // n_bins
        cut = _end_of_value(ordered, quantile - 1)
        if cut >= n:
            return n_cuts
        cuts[n_cuts] = cut
        n_cuts += 1


@compiled
def _end_of_value(ordered: NDArray[np.int64], position: int) -> int:
    """Return the first position whose value is larger than that at `position`."""
    value = ordered[position] >> LEVEL_BITS
    low, high = position + 1, len(ordered)
    while low < high:
        middle = (low + high) // 2
        if ordered[middle] >> LEVEL_BITS > value:
            high = middle
        else:
            low = middle + 1
    return low


@compiled
def count_levels(
    ordered: NDArray[np.int64], cuts: NDArray[np.int64], counts: NDArray[np.int64]
) -> None:
    """Add to counts[bin, level] the documents of each bin between two cuts and each level."""
    start = 0
    for which in range(len(cuts) + 1):
        stop = cuts[which] if which < len(cuts) else len(ordered)
        row = counts[which]
        for position in range(start, stop):
            row[ordered[position] & LEVEL_MASK] += 1
        start = stop
