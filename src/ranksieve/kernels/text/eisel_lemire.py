"""The double nearest to a decimal w · 10^q, by the algorithm of Eisel and Lemire.

The product of w with the leading 128 bits of 5^q decides the rounding in every case where
w has at most 64 bits.

References
----------
Lemire, "Number parsing at a gigabyte per second", Software: Practice and Experience, 2021.
Mushtak and Lemire, "Fast number parsing without fallback", 2023: why no case is left open.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.compile import compiled, inner

LEAST_POWER = -342
GREATEST_POWER = 308

_HALF = np.uint64(32)
_HALF_MASK = np.uint64(0xFFFFFFFF)
_FULL = np.uint64(0xFFFFFFFFFFFFFFFF)
_ZERO = np.uint64(0)
_ONE = np.uint64(1)
_TOP = np.uint64(63)
_THREE = np.uint64(3)
# A product with these nine low bits all set may carry: the lower half of 5^q decides.
_CARRY_MASK = np.uint64(0x1FF)
_EXTRA_BITS = np.uint64(9)
_IMPLICIT = np.uint64(1 << 52)
_TWICE_IMPLICIT = np.uint64(1 << 53)
_STEPS = np.array([32, 16, 8, 4, 2, 1], dtype=np.uint64)


@cache
def powers_of_five() -> NDArray[np.uint64]:
    """Return the leading 128 bits of 5^q, as two words, for q from -342 to 308."""
    words = [_leading_bits(q) for q in range(LEAST_POWER, GREATEST_POWER + 1)]
    return np.array([[word >> 64, word & (2**64 - 1)] for word in words], dtype=np.uint64)


def _leading_bits(q: int) -> int:
    power: int = 5 ** abs(q)
    size = power.bit_length()
    if q >= 0:
        return power << (128 - size) if size <= 128 else power >> (size - 128)
    bits = (1 << (size + 127)) // power
    # Exact ties are possible down to 5^-27 only: there the reciprocal must be rounded up.
    return bits + 1 if q >= -27 else bits


@inner
def nearest_double(w: Any, q: int, powers: NDArray[np.uint64]) -> Any:
    """Return the double nearest to w · 10^q, ties to even; w is an uint64."""
    if w == _ZERO or q < LEAST_POWER:
        return 0.0
    if q > GREATEST_POWER:
        return np.inf
    shift = np.int64(0)
    for step in _STEPS:
        if w >> (np.uint64(64) - step) == _ZERO:
            w = w << step
            shift += np.int64(step)
    row = q - LEAST_POWER
    high, low = _product(w, powers[row, 0])
    if high & _CARRY_MASK == _CARRY_MASK:
        carry, _ = _product(w, powers[row, 1])
        if low > _FULL - carry:
            high += _ONE
            low -= (_FULL - carry) + _ONE
        else:
            low += carry
    top = high >> _TOP
    exponent = ((217706 * q) >> 16) + 63 + np.int64(top) - shift + 1023
    return _rounded(high, low, top, exponent, q)


@compiled
def _rounded(high: Any, low: Any, top: Any, exponent: int, q: int) -> float:
    mantissa = high >> (top + _EXTRA_BITS)
    if exponent <= 0:
        if exponent <= -63:
            return 0.0
        mantissa = mantissa >> np.uint64(1 - exponent)
        mantissa = (mantissa + (mantissa & _ONE)) >> _ONE
        return math.ldexp(np.float64(mantissa), -1074)
    halfway = low <= _ONE and -4 <= q <= 23 and mantissa & _THREE == _ONE
    if halfway and mantissa << (top + _EXTRA_BITS) == high:
        mantissa = mantissa - _ONE
    mantissa = (mantissa + (mantissa & _ONE)) >> _ONE
    if mantissa >= _TWICE_IMPLICIT:
        mantissa = _IMPLICIT
        exponent += 1
    if exponent >= 2047:
        return np.inf
    return math.ldexp(np.float64(mantissa), int(exponent) - 1075)


@compiled
def _product(a: Any, b: Any) -> Any:
    """Return the high and the low word of a · b; no step goes beyond 64 bits."""
    a_high, a_low = a >> _HALF, a & _HALF_MASK
    b_high, b_low = b >> _HALF, b & _HALF_MASK
    low = a_low * b_low
    cross = a_high * b_low + (low >> _HALF)
    middle = a_low * b_high + (cross & _HALF_MASK)
    high = a_high * b_high + (cross >> _HALF) + (middle >> _HALF)
    return high, (middle & _HALF_MASK) << _HALF | (low & _HALF_MASK)
