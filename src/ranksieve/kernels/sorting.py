"""A stable order of a few numbers: compiled in a fraction of the time of numpy's argsort."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.compile import compiled

_RUN = 12


@compiled
def order_descending(
    values: NDArray[Any], order: NDArray[np.int32], scratch: NDArray[np.int32]
) -> None:
    """Write into `order` the positions of `values` from largest to least, equal ones in place.

    `values` holds no NaN; `scratch` is as long as `order`. A merge sort over runs that were
    sorted by insertion: O(m log m).
    """
    m = len(order)
    for low in range(0, m, _RUN):
        for place in range(low, min(low + _RUN, m)):
            value = values[place]
            hole = place
            while hole > low and values[order[hole - 1]] < value:
                order[hole] = order[hole - 1]
                hole -= 1
            order[hole] = place
    width = _RUN
    while width < m:
        for low in range(0, m - width, 2 * width):
            _merge(values, order, scratch, low, low + width, min(low + 2 * width, m))
        width *= 2


@compiled
def _merge(
    values: NDArray[Any],
    order: NDArray[np.int32],
    scratch: NDArray[np.int32],
    low: int,
    middle: int,
    high: int,
) -> None:
    """Merge the sorted halves low:middle and middle:high; the left half waits in scratch."""
    for place in range(low, middle):
        scratch[place] = order[place]
    left, right, out = low, middle, low
    while left < middle and right < high:
        # Without a branch: which side comes next is a coin toss that no processor predicts.
        from_left, from_right = scratch[left], order[right]
        take_right = values[from_right] > values[from_left]
        order[out] = from_right if take_right else from_left
        right += take_right
        left += not take_right
        out += 1
    while left < middle:
        order[out] = scratch[left]
        left += 1
        out += 1
