"""Text to double, bit for bit what Python's float() gives, over an array of bytes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.compile import compiled, inner
from ranksieve.kernels.text.eisel_lemire import nearest_double

NUMBER, MISSING, INFINITE, NO_NUMBER, UNDECIDED = 0, 1, 2, 3, 4

_ZERO, _NINE, _PLUS, _MINUS, _POINT, _E = 48, 57, 43, 45, 46, 101
_NAN = np.frombuffer(b"nan", dtype=np.uint8)
_NULL = np.frombuffer(b"null", dtype=np.uint8)
_INF = np.frombuffer(b"inf", dtype=np.uint8)
_INFINITY = np.frombuffer(b"infinity", dtype=np.uint8)

# The largest mantissa that may take one more digit: 18 digits fit into an int64.
_ROOM = 10**17
_EXACT = 2**53
_EXACT_TENS = np.array([float(10**power) for power in range(23)])
# Numbers of up to 15 digits and their powers of ten are exact doubles.
_PLAIN_DIGITS, _BLANK = 15, 32
_TEN, _ONE = np.uint64(10), np.uint64(1)
# Above the length of any line, so that a long row of zeros can be made up for.
_EXPONENT_ROOM = 10**8


@inner
def read_plain(text: NDArray[np.uint8], start: int) -> Any:
    """Return a number of few digits, perhaps with a minus or a point, and the position after it.

    Nearly all numbers of real files are such, and this small loop is several times faster
    than `read_decimal`, whose business everything else is: the position is -1 then. Indices
    are unsigned so that no access pays for Python's negative ones.
    """
    negative = text[start] == _MINUS
    if negative:
        start += 1
    position = np.uint64(start)
    stop = np.uint64(start + _PLAIN_DIGITS + 2)
    mantissa = np.uint64(0)
    byte = text[position]
    while _ZERO <= byte <= _NINE and position < stop:
        mantissa = mantissa * _TEN + np.uint64(byte - _ZERO)
        position += _ONE
        byte = text[position]
    n_digits = np.int64(position) - start
    places = np.int64(0)
    if byte == _POINT:
        position += _ONE
        first = position
        byte = text[position]
        while _ZERO <= byte <= _NINE and position < stop:
            mantissa = mantissa * _TEN + np.uint64(byte - _ZERO)
            position += _ONE
            byte = text[position]
        places = np.int64(position - first)
        n_digits += places
    if n_digits == 0 or n_digits > _PLAIN_DIGITS or byte > _BLANK:
        return 0.0, np.int64(-1)
    value = np.float64(mantissa) / _EXACT_TENS[places]
    return (-value if negative else value), np.int64(position)


@inner
def read_decimal(text: NDArray[np.uint8], start: int, powers: NDArray[np.uint64]) -> Any:
    """Return the number at `start`, the position after it, and a status.

    Read are an optional sign, digits, an optional point and an optional exponent. `nan` and
    `null` are MISSING, `inf` and `infinity` INFINITE, all in any case. UNDECIDED, with more
    than 18 digits and near the middle between two doubles, is left to Python's float().
    Whoever calls checks what follows; the text must end in a byte that no number contains.
    """
    position = start
    sign = 1.0
    if text[position] == _MINUS or text[position] == _PLUS:
        if text[position] == _MINUS:
            sign = -1.0
        position += 1
    mantissa, exponent, cut, after = _read_digits(text, position)
    if after == position:
        return _read_word(text, position, position == start)
    if after == position + 1 and text[position] == _POINT:
        return 0.0, start, NO_NUMBER
    if text[after] | 32 == _E:
        shift, end = _read_exponent(text, after + 1)
        if end < 0:
            return 0.0, start, NO_NUMBER
        exponent += shift
        after = end
    if mantissa <= _EXACT and not cut and -22 <= exponent <= 22:
        if exponent < 0:
            return sign * (np.float64(mantissa) / _EXACT_TENS[-exponent]), after, NUMBER
        return sign * (np.float64(mantissa) * _EXACT_TENS[exponent]), after, NUMBER
    value = nearest_double(np.uint64(mantissa), exponent, powers)
    if cut and value != nearest_double(np.uint64(mantissa + 1), exponent, powers):
        return sign * value, after, UNDECIDED
    return sign * value, after, NUMBER


@compiled
def _read_digits(text: NDArray[np.uint8], position: int) -> Any:
    """Return mantissa and exponent of ten, whether digits other than 0 were cut, and the end."""
    mantissa = np.int64(0)
    exponent = 0
    cut = False
    digit = np.int64(text[position]) - _ZERO
    while 0 <= digit <= 9:
        if mantissa < _ROOM:
            mantissa = mantissa * 10 + digit
        else:
            exponent += 1
            cut = cut or digit != 0
        position += 1
        digit = np.int64(text[position]) - _ZERO
    if text[position] != _POINT:
        return mantissa, exponent, cut, position
    position += 1
    digit = np.int64(text[position]) - _ZERO
    while 0 <= digit <= 9:
        if mantissa < _ROOM:
            mantissa = mantissa * 10 + digit
            exponent -= 1
        else:
            cut = cut or digit != 0
        position += 1
        digit = np.int64(text[position]) - _ZERO
    return mantissa, exponent, cut, position


@compiled
def _read_exponent(text: NDArray[np.uint8], position: int) -> Any:
    """Return the exponent and the position after it, or -1 there where no digit stands."""
    negative = text[position] == _MINUS
    if negative or text[position] == _PLUS:
        position += 1
    first = position
    shift = np.int64(0)
    digit = np.int64(text[position]) - _ZERO
    while 0 <= digit <= 9:
        if shift < _EXPONENT_ROOM:
            shift = shift * 10 + digit
        position += 1
        digit = np.int64(text[position]) - _ZERO
    if position == first:
        return 0, -1
    return (-shift if negative else shift), position


@compiled
def _read_word(text: NDArray[np.uint8], position: int, unsigned: bool) -> tuple[float, int, int]:
    if _spells(text, position, _NAN):
        return np.nan, position + 3, MISSING
    if unsigned and _spells(text, position, _NULL):
        return np.nan, position + 4, MISSING
    if _spells(text, position, _INFINITY):
        return np.inf, position + 8, INFINITE
    if _spells(text, position, _INF):
        return np.inf, position + 3, INFINITE
    return 0.0, position, NO_NUMBER


@compiled
def _spells(text: NDArray[np.uint8], start: int, word: NDArray[np.uint8]) -> bool:
    for offset in range(len(word)):  # noqa: SIM110 - a generator would not compile
        if text[start + offset] | 32 != word[offset]:
            return False
    return True
