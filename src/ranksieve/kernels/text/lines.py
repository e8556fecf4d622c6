"""Lines of ranking text: which hold a document, where they start, how wide they are.

Every text here is an array of bytes that ends in a newline, so no scan needs to look for
the end of the array.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.compile import compiled, inner

NEWLINE, BLANK, HASH, COLON = 10, 32, 35, 58
_FIRST_CONTROL, _LAST_CONTROL = 9, 13
_DIGIT_0, _DIGIT_9, _LETTER_D = 48, 57, 100


@inner
def ends_token(byte: Any) -> Any:
    """Tell whether a byte ends a token: a blank, a tab, a line end, or a comment's sign."""
    return byte in (BLANK, HASH) or _FIRST_CONTROL <= byte <= _LAST_CONTROL


@inner
def after_blanks(text: NDArray[np.uint8], position: int) -> int:
    """Return the first position that holds no blank; a newline is none."""
    byte = text[position]
    while byte == BLANK or (_FIRST_CONTROL <= byte <= _LAST_CONTROL and byte != NEWLINE):
        position += 1
        byte = text[position]
    return position


@inner
def after_token(text: NDArray[np.uint8], position: int) -> int:
    """Return the first position that ends the token at `position`."""
    while not ends_token(text[position]):
        position += 1
    return position


@inner
def after_line(text: NDArray[np.uint8], position: int) -> int:
    """Return the position after the line's newline."""
    while text[position] != NEWLINE:
        position += 1
    return position + 1


@inner
def line_start(text: NDArray[np.uint8], position: int) -> int:
    """Return where the line that holds `position` starts."""
    while position > 0 and text[position - 1] != NEWLINE:
        position -= 1
    return position


@inner
def starts_document(text: NDArray[np.uint8], position: int) -> Any:
    """Tell whether the line at `position` holds a document: neither blank nor only a comment."""
    byte = text[after_blanks(text, position)]
    return byte != NEWLINE and byte != HASH


@compiled
def find_row(text: NDArray[np.uint8], row: int) -> Any:
    """Return where the document number `row` starts, and how many stand before.

    The text's length is returned where it holds fewer documents.
    """
    position = np.int64(0)  # a literal 0 would compile each helper twice
    rows = 0
    while position < len(text):
        if starts_document(text, position):
            if rows == row:
                return position, rows
            rows += 1
        position = after_line(text, position)
    return position, rows


@compiled
def measure_lines(text: NDArray[np.uint8], greatest: int, first_index: int) -> Any:
    """Return the number of documents, and of features from `first_index` to the largest index.

    An index above `greatest` does not count.
    Only the last index of a line is looked at: indices of a line must increase.
    """
    position = np.int64(0)  # a literal 0 would compile each helper twice
    rows = 0
    width = np.int64(0)
    while position < len(text):
        if starts_document(text, position):
            rows += 1
        colon = np.int64(-1)
        byte = text[position]
        while byte != NEWLINE and byte != HASH:
            if byte == COLON and position > 0 and text[position - 1] == _LETTER_D:
                position = after_token(text, position)  # of qid:ID, which may have colons
            else:
                if byte == COLON:
                    colon = position
                position += 1
            byte = text[position]
        if colon > 0:
            index = _number_before(text, colon)
            if width < index + 1 - first_index and index <= greatest:
                width = index + 1 - first_index
        position = after_line(text, position)
    return rows, width


@compiled
def _number_before(text: NDArray[np.uint8], stop: int) -> Any:
    number = np.int64(0)
    unit = 1
    position = stop - 1
    while position >= 0 and _DIGIT_0 <= text[position] <= _DIGIT_9 and unit <= 10**9:
        number += unit * (np.int64(text[position]) - _DIGIT_0)
        unit *= 10
        position -= 1
    return number
