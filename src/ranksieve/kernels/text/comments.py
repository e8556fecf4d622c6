"""Document ids in the comments of ranking text."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.compile import compiled, inner
from ranksieve.kernels.text.lines import NEWLINE, after_blanks, ends_token

_DOCID = np.frombuffer(b"docid", dtype=np.uint8)
_EQUALS = 61
_NUL, _HASH = 0, 35


@inner
def read_comment(text: NDArray[np.uint8], position: int, row: int, spans: NDArray[np.int64]) -> Any:
    """Store the span of the document id in the comment after a '#', and return the line's end.

    `docid = X ...` gives X, another comment its whole text without the blanks around it.
    """
    start = after_blanks(text, position + 1)
    end = start
    while text[end] != NEWLINE:
        end += 1
    named = _after_docid(text, start)
    if named >= 0:
        stop = named
        while not _is_margin(text[stop]):
            stop += 1
        spans[row, 0], spans[row, 1] = named, stop
        return end
    stop = end
    while stop > start and _is_margin(text[stop - 1]):
        stop -= 1
    spans[row, 0], spans[row, 1] = start, stop
    return end


@compiled
def copy_spans(text: NDArray[np.uint8], spans: NDArray[np.int64], out: NDArray[np.uint8]) -> None:
    """Copy the span of each row into the row of `out`, which is zero elsewhere."""
    for row in range(len(spans)):
        for offset in range(spans[row, 1] - spans[row, 0]):
            out[row, offset] = text[spans[row, 0] + offset]


@compiled
def _after_docid(text: NDArray[np.uint8], position: int) -> Any:
    """Return where the id of `docid = X` starts; -1 if the comment has another form."""
    for offset in range(len(_DOCID)):
        if text[position + offset] != _DOCID[offset]:
            return -1
    position = after_blanks(text, position + len(_DOCID))
    if text[position] != _EQUALS:
        return -1
    position = after_blanks(text, position + 1)
    return -1 if text[position] == NEWLINE else position


@compiled
def _is_margin(byte: Any) -> Any:
    # Arrays of bytes drop NUL at the end, so no id may end in one.
    return byte == _NUL or (ends_token(byte) and byte != _HASH)
