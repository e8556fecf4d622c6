"""A stable order of numbers from largest to least, by radix: several times a comparison sort."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.compile import inner

# Below this many values, clearing and summing the counters costs more than comparing.
_RADIX_LENGTH = 24
_LOWER = np.uint64(0xFFFFFFFF)


@inner
def order_descending(values: NDArray[Any], order: NDArray[np.int32]) -> None:
    """Write into `order` the positions of `values` from largest to least; equal ones in row order.

    `values` are float32 or float64 without NaN. A radix sort by the upper 32 bits of the values,
    O(m), which for float32 is all of them, and insertions by all bits. Where values move far by
    that, since many float64 share their upper bits and differ below, one by the lower bits, too.
    """
    m = len(order)
    keys = np.empty(m, dtype=np.uint64)
    lower = _write_keys(values, keys)
    for position in range(m):
        order[position] = position
    if m < _RADIX_LENGTH:
        _insert(keys, order)
        return
    words = np.empty((2, m), dtype=np.uint64)
    _radix_sort(keys, np.uint64(32), words, order)
    if lower and not _insert(keys, order):
        _radix_sort(keys, np.uint64(0), words, order)
        _radix_sort(keys, np.uint64(32), words, order)


@inner
def _write_keys(values: NDArray[Any], keys: NDArray[np.uint64]) -> bool:
    """Write the bits of each value so that they fall as it rises; those of float32 are the upper.

    After this no sort needs to know the type of the values. Returns whether the lower bits differ
    anywhere.
    """
    differ = np.uint64(0)
    for position in range(len(keys)):
        # Adding 0 gives -0 and 0 the same bits.
        if values.itemsize == 4:
            half = np.float32(np.float32(values[position]) + np.float32(0.0)).view(np.uint32)
            bits = np.uint64(half) << np.uint64(32)
            mask = np.uint64(0x7FFFFFFF00000000)
        else:
            bits = np.float64(values[position] + 0.0).view(np.uint64)
            mask = np.uint64(0x7FFFFFFFFFFFFFFF)
        keys[position] = bits if bits >> np.uint64(63) else bits ^ mask
        differ |= keys[position] ^ keys[0]
    return bool(differ & _LOWER)


@inner
def _insert(keys: NDArray[np.uint64], order: NDArray[np.int32]) -> bool:
    """Sort positions by rising key, stably, and return True; False after a long move."""
    for index in range(1, len(order)):
        position = order[index]
        key = keys[position]
        hole = index
        while hole > 0 and keys[order[hole - 1]] > key:
            order[hole] = order[hole - 1]
            hole -= 1
        order[hole] = position
        if index - hole > _RADIX_LENGTH:
            return False
    return True


@inner
def _radix_sort(
    keys: NDArray[np.uint64],
    shift: np.uint64,
    words: NDArray[np.uint64],
    order: NDArray[np.int32],
) -> None:
    """Sort positions by 32 bits of their keys, from bit `shift` on, stably.

    A byte at a time from the lowest: four scatters or fewer.
    """
    m = len(order)
    source, target = words[0], words[1]
    counts = np.zeros((4, 256), dtype=np.int32)
    for index in range(m):
        position = order[index]
        # The bits above and the position below in one word: one array moves, not two.
        source[index] = (keys[position] >> shift) << np.uint64(32) | np.uint64(position)
    for index in range(m):
        for byte in range(4):
            counts[byte, (source[index] >> np.uint64(32 + 8 * byte)) & np.uint64(255)] += 1
    for byte in range(4):
        lowest, starts = np.uint64(32 + 8 * byte), counts[byte]
        if starts[(source[0] >> lowest) & np.uint64(255)] == m:
            continue
        total = np.int32(0)
        for digit in range(256):
            count = starts[digit]
            starts[digit] = total
            total += count
        for index in range(m):
            word = source[index]
            digit = (word >> lowest) & np.uint64(255)
            target[starts[digit]] = word
            starts[digit] += 1
        source, target = target, source
    for index in range(m):
        order[index] = np.int32(source[index] & _LOWER)
