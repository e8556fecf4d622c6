"""A stable order of numbers from largest to least, by radix: several times a comparison sort."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.compile import compiled

# Below this many values, clearing and summing the counters costs more than comparing.
_RADIX_LENGTH = 24
_RUN = 12


@compiled
def order_descending(
    values: NDArray[Any], order: NDArray[np.int32], scratch: NDArray[np.int32]
) -> None:
    """Write into `order` the positions of `values` from largest to least, equal ones in place.

    `values` are float32 or float64 without NaN; `scratch` is as long as `order`. A radix sort
    by the upper 32 bits of the values, O(m), which for float32 is all of them; where float64
    values share these bits and differ below, a merge sort among them, O(m log m).
    """
    m = len(order)
    if m >= _RADIX_LENGTH:
        _radix_sort(values, order)
        if values.itemsize == 8:
            _sort_within_equal_bits(values, order, scratch)
        return
    for place in range(m):
        order[place] = place
    _merge_sort(values, order, scratch)


@compiled
def _upper_bits(values: NDArray[Any], place: int) -> Any:
    """Return 32 bits of a value that fall as it rises: sign, exponent and the first digits."""
    # Adding 0 gives -0 and 0 the same bits.
    if values.itemsize == 4:
        bits = np.float32(np.float32(values[place]) + np.float32(0.0)).view(np.uint32)
    else:
        whole = np.float64(values[place] + 0.0).view(np.uint64)
        bits = np.uint32(whole >> np.uint64(32))
    return bits if bits >> np.uint32(31) else bits ^ np.uint32(0x7FFFFFFF)


@compiled
def _radix_sort(values: NDArray[Any], order: NDArray[np.int32]) -> None:
    """Sort by the upper bits, a byte at a time from the lowest: four stable scatters or fewer."""
    m = len(order)
    counts = np.zeros((4, 256), dtype=np.int32)
    # The key above and the position below in one word: one array moves, not two.
    source, target = np.empty(m, dtype=np.uint64), np.empty(m, dtype=np.uint64)
    for place in range(m):
        key = _upper_bits(values, place)
        source[place] = (np.uint64(key) << np.uint64(32)) | np.uint64(place)
        for byte in range(4):
            counts[byte, (key >> np.uint32(8 * byte)) & np.uint32(255)] += 1
    for byte in range(4):
        shift, starts = np.uint64(32 + 8 * byte), counts[byte]
        if starts[(source[0] >> shift) & np.uint64(255)] == m:
            continue
        total = np.int32(0)
        for digit in range(256):
            count = starts[digit]
            starts[digit] = total
            total += count
        for place in range(m):
            word = source[place]
            digit = (word >> shift) & np.uint64(255)
            target[starts[digit]] = word
            starts[digit] += 1
        source, target = target, source
    for place in range(m):
        order[place] = np.int32(source[place] & np.uint64(0xFFFFFFFF))


@compiled
def _sort_within_equal_bits(
    values: NDArray[np.float64], order: NDArray[np.int32], scratch: NDArray[np.int32]
) -> None:
    """Sort the runs of `order` whose values have the same upper bits but are not all equal."""
    m, first = len(order), 0
    while first < m:
        key, differs, end = _upper_bits(values, order[first]), False, first + 1
        while end < m and _upper_bits(values, order[end]) == key:
            differs |= values[order[end]] != values[order[first]]
            end += 1
        if differs:
            _merge_sort(values, order[first:end], scratch)
        first = end


@compiled
def _merge_sort(values: NDArray[Any], order: NDArray[np.int32], scratch: NDArray[np.int32]) -> None:
    """Sort positions by falling value, stably: runs by insertion, then merges."""
    m = len(order)
    for low in range(0, m, _RUN):
        for place in range(low, min(low + _RUN, m)):
            position = order[place]
            value = values[position]
            hole = place
            while hole > low and values[order[hole - 1]] < value:
                order[hole] = order[hole - 1]
                hole -= 1
            order[hole] = position
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
