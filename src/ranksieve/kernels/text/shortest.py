"""Numbers as decimal text: the fewest places that read back to the same value."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.compile import compiled, inner

UNKNOWN = -1
_MAX_DIGITS = 2.0**53
_MAX_PLACES = 22  # 10^22 is the largest power of ten that is exact as float64
_POWERS = 10.0 ** np.arange(_MAX_PLACES + 1)
_FIRST_GUESS = 8
_SMALL = 1 << 31
_MINUS, _POINT, _ZERO = ord("-"), ord("."), ord("0")


@compiled
def decimal_places(X: NDArray[Any], places: NDArray[np.int8]) -> int:
    """Write how many decimal places each value needs; return how many values are UNKNOWN.

    A value that no decimal with fewer than 16
    digits and 22 places gives back is UNKNOWN.
    """
    unknown = 0
    single = X.dtype == np.dtype(np.float32)
    for row in range(X.shape[0]):
        for column in range(X.shape[1]):
            needed = _places(abs(np.float64(X[row, column])), single)
            places[row, column] = needed
            unknown += needed == UNKNOWN
    return unknown


@compiled
def _places(value: float, single: bool) -> int:
    if _reads_back(value, _FIRST_GUESS, single):
        low, high = 0, _FIRST_GUESS
        while low < high:
            middle = (low + high) // 2
            if _reads_back(value, middle, single):
                high = middle
            else:
                low = middle + 1
        return high
    for places in range(_MAX_PLACES + 1):
        if value * _POWERS[places] > _MAX_DIGITS:
            return UNKNOWN
        if _reads_back(value, places, single):
            return places
    return UNKNOWN


@compiled
def _reads_back(value: float, places: int, single: bool) -> bool:
    """Return whether `value`, rounded to `places`, is read as `value` again."""
    scaled = value * _POWERS[places]
    if scaled > _MAX_DIGITS:
        return False
    # Both operands are exact, so the quotient is the float64 nearest to the decimal.
    candidate = np.rint(scaled) / _POWERS[places]
    if not single:
        return bool(candidate == value)
    return bool(np.float32(candidate) == np.float32(value) and not _is_halfway(candidate, value))


@compiled
def _is_halfway(candidate: float, value: float) -> bool:
    """Return whether `candidate` lies between two float32, where readers may round either way."""
    other = np.float64(np.float32(2.0 * candidate - value))
    return bool(other != value and abs(other - candidate) == abs(candidate - value))


@inner
def write_decimal(text: NDArray[np.uint8], end: int, value: float, places: int) -> Any:
    """Write `value` with `places` decimals into `text` at `end`; return the new end."""
    if np.signbit(value):
        text[end] = _MINUS
        end += 1
    digits = np.int64(np.rint(abs(value) * _POWERS[places]))
    # 32 bits are divided several times faster than 64, and hold most values.
    if digits < _SMALL:
        return _write_digits(text, end, np.uint32(digits), places)
    return _write_digits(text, end, np.uint64(digits), places)


@compiled
def _write_digits(text: NDArray[np.uint8], end: int, digits: Any, places: int) -> int:
    ten = type(digits)(10)
    length = 1
    remaining = digits // ten
    while remaining > 0:
        remaining //= ten
        length += 1
    length = max(length, places + 1)
    stop = end + length + (1 if places else 0)
    slot = stop - 1
    for index in range(length):
        if places and index == places:
            text[slot] = _POINT
            slot -= 1
        quotient = digits // ten
        text[slot] = _ZERO + np.uint8(digits - quotient * ten)
        digits = quotient
        slot -= 1
    return stop
