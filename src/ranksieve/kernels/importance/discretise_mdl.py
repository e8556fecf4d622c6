"""Cuts by recursive entropy splits with the stopping rule of minimum description length.

With T(n) = n log2 n, a set of n documents with n_c of each level has n times its entropy equal
to T(n) - sum of T(n_c). T is kept in a table of whole numbers of a small unit: sums of such
terms do not depend on their order, and moving one document across a cut changes four of them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.compile import compiled
from ranksieve.kernels.importance.discretise import LEVEL_BITS, LEVEL_MASK

# The largest entry of the table has this many bits, so that a sum of two stays below 2^63.
_TABLE_BITS = 60
# What 53 bits of an entry add to a difference of two entropies, in units, at most.
_ROUNDING = 1 << (_TABLE_BITS - 53 + 4)
# Splits wait with the larger part: each part on top of another has at most half its blocks.
_DEEPEST = 64


@compiled
def fill_entropy_table(table: NDArray[np.int64]) -> float:
    """Write T(0), T(1), ... in units, and return the number of units in a bit."""
    n = len(table) - 1
    largest = max(n * np.log2(max(n, 2)), 2.0)
    unit: float = 2.0 ** (_TABLE_BITS - np.ceil(np.log2(largest)))
    table[0] = 0
    for count in range(1, n + 1):
        table[count] = np.int64(np.rint(count * np.log2(count) * unit))
    return unit


@compiled
def boundary_blocks(
    ordered: NDArray[np.int64],
    counts: NDArray[np.int64],
    ends: NDArray[np.int64],
    marks: NDArray[np.int32],
) -> int:
    """Write blocks of documents of one level: where each ends, and its level. Return how many.

    The level is turned over (~level) where a cut may follow: after the last block of a value,
    except between values whose documents all have one and the same level. There no cut can be
    best (Fayyad and Irani's boundary points). `counts` has a 0 for each level, before and after.
    """
    n = len(ordered)
    n_blocks, start = 0, 0
    # Level of the last value's documents, if they have one alone.
    before = np.int64(-1)
    while start < n:
        value, level = ordered[start] >> LEVEL_BITS, ordered[start] & LEVEL_MASK
        stop, pure = start + 1, True
        while stop < n and ordered[stop] >> LEVEL_BITS == value:
            pure &= ordered[stop] & LEVEL_MASK == level
            stop += 1
        if pure and level == before:
            ends[n_blocks - 1] = stop
        else:
            if n_blocks > 0:
                marks[n_blocks - 1] = ~marks[n_blocks - 1]
            n_blocks = _add_value(ordered, start, stop, pure, counts, ends, marks, n_blocks)
        before = level if pure else np.int64(-1)
        start = stop
    return n_blocks


@compiled
def _add_value(
    ordered: NDArray[np.int64],
    start: int,
    stop: int,
    pure: bool,
    counts: NDArray[np.int64],
    ends: NDArray[np.int64],
    marks: NDArray[np.int32],
    n_blocks: int,
) -> int:
    """Add a block for each level of the documents start:stop; `counts` is 0 before and after."""
    if pure:
        ends[n_blocks], marks[n_blocks] = stop, ordered[start] & LEVEL_MASK
        return n_blocks + 1
    for position in range(start, stop):
        counts[ordered[position] & LEVEL_MASK] += 1
    end = start
    for position in range(start, stop):
        level = ordered[position] & LEVEL_MASK
        if counts[level] > 0:
            end += counts[level]
            ends[n_blocks], marks[n_blocks] = end, level
            n_blocks += 1
            counts[level] = 0
    return n_blocks


@compiled
def mark_cuts(
    ends: NDArray[np.int64],
    marks: NDArray[np.int32],
    table: NDArray[np.int64],
    unit: float,
    left: NDArray[np.int64],
    right: NDArray[np.int64],
    is_cut: NDArray[np.bool_],
) -> None:
    """Set `is_cut` at each block after which there is a cut.

    A part is cut where the entropy of the grades falls most, if it falls by more than

        (log2(n - 1) + log2(3^k - 2) - (k E - k1 E1 - k2 E2)) / n

    and each side is then a part of its own (n documents, k levels and entropy E of the part;
    1 and 2 are its sides). Equally good cuts, up to rounding: the lowest. `left` and `right`
    have room for a number a level.
    """
    firsts = np.empty(_DEEPEST, dtype=np.int64)
    lasts = np.empty(_DEEPEST, dtype=np.int64)
    firsts[0], lasts[0] = 0, len(ends)
    n_waiting = 1
    while n_waiting > 0:
        n_waiting -= 1
        first, last = firsts[n_waiting], lasts[n_waiting]
        cut = _best_cut(ends, marks, first, last, left, right, table)
        if cut < 0:
            continue
        _count(ends, marks, first, cut, left)
        _count(ends, marks, cut, last, right)
        if not _is_worth_it(left, right, table, unit):
            continue
        is_cut[cut - 1] = True
        lower = n_waiting if cut - first > last - cut else n_waiting + 1
        upper = 2 * n_waiting + 1 - lower
        firsts[lower], lasts[lower] = first, cut
        firsts[upper], lasts[upper] = cut, last
        n_waiting += 2


@compiled
def _count(
    ends: NDArray[np.int64],
    marks: NDArray[np.int32],
    first: int,
    last: int,
    counts: NDArray[np.int64],
) -> None:
    """Write the documents of each level in the blocks first:last."""
    for level in range(len(counts)):
        counts[level] = 0
    end = ends[first - 1] if first > 0 else np.int64(0)
    for block in range(first, last):
        level = max(marks[block], ~marks[block])
        counts[level] += ends[block] - end
        end = ends[block]


@compiled
def _best_cut(
    ends: NDArray[np.int64],
    marks: NDArray[np.int32],
    first: int,
    last: int,
    left: NDArray[np.int64],
    right: NDArray[np.int64],
    table: NDArray[np.int64],
) -> int:
    """Return the block at which the upper side of the best cut starts, or -1 without any."""
    _count(ends, marks, first, last, right)
    levels_sum = np.int64(0)
    for level in range(len(left)):
        left[level] = 0
        levels_sum += table[right[level]]
    before = ends[first - 1] if first > 0 else np.int64(0)
    after = ends[last - 1]
    # Each entry is also rounded to a unit.
    rounding = _ROUNDING + 2 * len(left)
    best, most, end = -1, np.int64(-(1 << 62)), before
    for block in range(first, last - 1):
        count = ends[block] - end
        end = ends[block]
        level = max(marks[block], ~marks[block])
        levels_sum -= table[left[level]] + table[right[level]]
        left[level] += count
        right[level] -= count
        levels_sum += table[left[level]] + table[right[level]]
        if marks[block] < 0:
            order = levels_sum - table[end - before] - table[after - end]
            if order > most + rounding:
                best, most = block + 1, order
    return best


@compiled
def _is_worth_it(
    left: NDArray[np.int64], right: NDArray[np.int64], table: NDArray[np.int64], unit: float
) -> bool:
    """Whether a cut into sides with these documents a level passes the stopping rule.

    `left` has the documents of both sides afterwards.
    """
    n1, k1, total1 = _described(left, table)
    n2, k2, total2 = _described(right, table)
    for level in range(len(left)):
        left[level] += right[level]
    n, k, total = _described(left, table)
    gain = (total - total1 - total2) / unit
    entropies = (k * (total / n) - k1 * (total1 / n1) - k2 * (total2 / n2)) / unit
    # log2(3^k - 2) without 3^k, which overflows from 647 levels on.
    patterns = k * np.log2(3.0) + np.log2(1.0 - 2.0 * 3.0 ** -np.float64(k))
    worth_it: bool = gain > np.log2(n - 1.0) + patterns - entropies
    return worth_it


@compiled
def _described(
    counts: NDArray[np.int64], table: NDArray[np.int64]
) -> tuple[np.int64, np.int64, np.int64]:
    """Return documents, levels among them, and documents times entropy in units."""
    n, k, levels_sum = np.int64(0), np.int64(0), np.int64(0)
    for level in range(len(counts)):
        count = counts[level]
        n += count
        k += count > 0
        levels_sum += table[count]
    return n, k, table[n] - levels_sum
