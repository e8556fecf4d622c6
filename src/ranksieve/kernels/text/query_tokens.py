"""Query ids in ranking text: where they stand, and which of them are the same.

Ids that are whole numbers are the same if the numbers are: 7, 007 and +7. Others are the
same if their bytes are.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.compile import compiled, inner
from ranksieve.kernels.text.lines import (
    after_blanks,
    after_line,
    after_token,
    line_start,
    starts_document,
)

_QID = np.frombuffer(b"qid:", dtype=np.uint8)
_DIGIT_0, _DIGIT_9, _PLUS, _MINUS = 48, 57, 43, 45
# An int64 ends at -9223372036854775808 and 9223372036854775807.
_WHOLE_DIGITS = 19
_LAST_TENTH = -922337203685477580
_LAST_DIGIT = 7


@inner
def query_token(text: NDArray[np.uint8], position: int) -> Any:
    """Return the span of the query id of a line with a document; (-1, -1) where no qid: stands."""
    position = after_token(text, after_blanks(text, position))
    return id_span(text, after_blanks(text, position))


@inner
def id_span(text: NDArray[np.uint8], position: int) -> tuple[int, int]:
    """Return the span of the id after the `qid:` at `position`; (-1, -1) where none stands."""
    for offset in range(len(_QID)):
        if text[position + offset] != _QID[offset]:
            return -1, -1
    start = position + len(_QID)
    return start, after_token(text, start)


@inner
def same_id(
    text: NDArray[np.uint8], start: int, stop: int, other_start: int, other_stop: int
) -> Any:
    """Tell whether two spans of the text spell the same query id."""
    if _same_bytes(text, start, stop, other_start, other_stop):
        return True
    negative, first = _bare_digits(text, start, stop)
    other_negative, other_first = _bare_digits(text, other_start, other_stop)
    if first < 0 or other_first < 0 or negative != other_negative:
        return False
    return _same_bytes(text, first, stop, other_first, other_stop)


@inner
def whole_number(text: NDArray[np.uint8], start: int, stop: int) -> Any:
    """Return the id as a number, and whether it is a whole number that fits into an int64."""
    negative, first = _bare_digits(text, start, stop)
    if first < 0 or stop - first > _WHOLE_DIGITS:
        return 0, False
    # Counted downwards: the negative side of an int64 reaches one further.
    number = np.int64(0)
    for position in range(first, stop):
        digit = np.int64(text[position]) - _DIGIT_0
        if number < _LAST_TENTH or (number == _LAST_TENTH and digit > _LAST_DIGIT + negative):
            return 0, False
        number = number * 10 - digit
    return (number if negative else -number), True


@compiled
def whole_numbers(
    text: NDArray[np.uint8], spans: NDArray[np.int64], numbers: NDArray[np.int64]
) -> bool:
    """Fill in the ids of the spans as numbers; return False if one is none that fits."""
    for index in range(len(spans)):
        number, fits = whole_number(text, spans[index, 0], spans[index, 1])
        if not fits:
            return False
        numbers[index] = number
    return True


@compiled
def last_query_start(text: NDArray[np.uint8]) -> Any:
    """Return where the lines of the text's last query start; 0 if it is the only one.

    The text's length is returned where no query can be told: no line holds a document, or
    the last one that does has no query id.
    """
    start = _document_before(text, len(text))
    if start < 0:
        return len(text)
    token_start, token_stop = query_token(text, start)
    if token_start < 0:
        return len(text)
    while True:
        before = _document_before(text, start)
        if before < 0:
            return 0
        other_start, other_stop = query_token(text, before)
        if other_start < 0 or not same_id(text, token_start, token_stop, other_start, other_stop):
            return start
        start = before


@compiled
def only_whole_ids(text: NDArray[np.uint8]) -> bool:
    """Tell whether every query id of the text is a whole number that fits into an int64."""
    position = np.int64(0)
    last_start = last_stop = 0
    while position < len(text):
        if starts_document(text, position):
            start, stop = query_token(text, position)
            if start >= 0 and not _same_bytes(text, start, stop, last_start, last_stop):
                if not whole_number(text, start, stop)[1]:
                    return False
                last_start, last_stop = start, stop
        position = after_line(text, position)
    return True


@compiled
def _document_before(text: NDArray[np.uint8], position: int) -> Any:
    """Return where the last line with a document before `position` starts, or -1."""
    while position > 0:
        position = line_start(text, position - 1)
        if starts_document(text, position):
            return position
    return -1


@compiled
def _same_bytes(
    text: NDArray[np.uint8], start: int, stop: int, other_start: int, other_stop: int
) -> bool:
    if stop - start != other_stop - other_start:
        return False
    for offset in range(stop - start):  # noqa: SIM110 - a generator would not compile
        if text[start + offset] != text[other_start + offset]:
            return False
    return True


@compiled
def _bare_digits(text: NDArray[np.uint8], start: int, stop: int) -> tuple[bool, int]:
    """Return the sign of a whole number and where its digits start, leading zeros left out.

    The position is -1 for an id that is no whole number.
    """
    negative = stop > start and text[start] == _MINUS
    first = start + 1 if negative or (stop > start and text[start] == _PLUS) else start
    if first == stop:
        return False, -1
    for position in range(first, stop):
        if not _DIGIT_0 <= text[position] <= _DIGIT_9:
            return False, -1
    while first < stop - 1 and text[first] == _DIGIT_0:
        first += 1
    return negative and text[first] != _DIGIT_0, first
