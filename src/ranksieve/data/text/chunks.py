"""A stream of text cut into chunks of whole lines, whole queries or whole groups."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ranksieve.data.text.complaints import (
    check_magic,
    complain,
    line_complaint,
    rest_of_text,
)
from ranksieve.data.text.streams import TextStream
from ranksieve.errors import DataError
from ranksieve.kernels.text.lines import NEWLINE, find_row
from ranksieve.kernels.text.parse import LINE_LONG, MAX_LINE_BYTES
from ranksieve.kernels.text.query_tokens import last_query_start

CHUNK_BYTES = 1 << 23
# A query beyond this is hardly one: every line has the same id.
MAX_QUERY_BYTES = 1 << 31

_MARK = b"\xef\xbb\xbf"
_HEAD_BYTES = 1 << 16
_TAIL_BYTES = 1 << 16
# Lines that are blank or a comment; what a line with a query id begins with.
_WITHOUT_DOCUMENT = re.compile(rb"(?:[ \t\v\f\r]*+(?:#[^\n]*+)?\n)*+")
_GRADE_AND_QID = re.compile(rb"[ \t\v\f\r]*+[^ \t-\r#]*+[ \t\v\f\r]*+qid:")

Bytes = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Chunk:
    """Whole lines, the last one with a newline; `first_line` counts the file's lines from 1."""

    text: Bytes
    first_line: int
    group_sizes: NDArray[np.int64] | None = None
    first_group: int = 0


class Cut(Protocol):
    """Where a text of whole lines may end."""

    def __call__(self, text: Bytes, first_line: int, ended: bool) -> tuple[int, Chunk]:
        """Return the chunk at the start of the text and its length, 0 if more text is needed."""


def cut_lines(text: Bytes, first_line: int, ended: bool) -> tuple[int, Chunk]:
    """Take all lines."""
    return len(text), Chunk(text, first_line)


def cut_queries(text: Bytes, first_line: int, ended: bool) -> tuple[int, Chunk]:
    """Take the lines before the last query, which may go on; all lines where the text ended."""
    stop = len(text) if ended else int(last_query_start(text))
    return stop, Chunk(text[:stop], first_line)


class CutGroups:
    """Take the lines of whole groups, whose sizes are known."""

    def __init__(self, sizes: NDArray[np.int64]) -> None:
        self._sizes = sizes
        self._ends = np.cumsum(sizes)
        self._next = 0
        self._rows = 0

    def __call__(self, text: Bytes, first_line: int, ended: bool) -> tuple[int, Chunk]:
        """Return the chunk at the start of the text and its length, 0 if more text is needed."""
        _, rows = find_row(text, -1)
        first = self._next
        last = int(np.searchsorted(self._ends, self._rows + rows, side="right"))
        done = int(self._ends[last - 1]) if last else 0
        if ended or last == len(self._ends):
            stop = len(text)
            self._rows += int(rows)
        else:
            stop = int(find_row(text, done - self._rows)[0]) if last > first else 0
            self._rows = done
        self._next = last
        return stop, Chunk(text[:stop], first_line, self._sizes[first:last], first)

    def check_end(self, path: str) -> None:
        """Raise unless the groups took all rows, and the rows filled all groups."""
        total = int(self._ends[-1])
        if self._rows != total:
            raise DataError(
                f"{path} has {self._rows:,} documents, but its {len(self._sizes):,} group sizes "
                f"add up to {total:,}. Check that both files belong together."
            )


def count_lines(text: Bytes) -> int:
    """Return the number of newlines."""
    return text.tobytes().count(b"\n")


def has_qid(text: Bytes) -> bool | None:
    """Tell whether the first document of the text has a query id; None without documents."""
    position = _first_document(text)
    return None if position == len(text) else _GRADE_AND_QID.match(text.data, position) is not None


def read_head(stream: TextStream, size: int) -> tuple[Bytes, int]:
    """Return the start of the text, from its first document on, and the line where that starts.

    The text is empty where there is no document. A byte-order mark is left out.
    """
    check_start, line, carry = True, 1, np.empty(0, dtype=np.uint8)
    while True:
        count = max(min(size, _HEAD_BYTES), len(carry))
        text, ended = _more(stream, carry, min(count, MAX_LINE_BYTES + 1 - len(carry)))
        if check_start:
            check_magic(stream.name, text[:16].tobytes())
            text = text[len(_MARK) :] if text[:3].tobytes() == _MARK else text
            check_start = False
        stop = _whole_lines(stream, text, line)
        position = _first_document(text[:stop])
        if position < stop or ended:
            return text[position:], line + count_lines(text[:position])
        line += count_lines(text[:stop])
        carry = text[stop:]


def chunks(
    stream: TextStream, head: Bytes, first_line: int, cut: Cut, size: int
) -> Iterator[Chunk]:
    """Yield `head` and the rest of the stream in chunks of about `size` bytes.

    A chunk grows only where `cut` finds no end in it: one query is larger than a chunk.
    """
    carry, line, room = head, first_line, size
    while True:
        text, ended = _more(stream, carry, max(room - len(carry), 1))
        stop = _whole_lines(stream, text, line)
        stop, chunk = cut(text[:stop], line, ended) if stop else (0, Chunk(text[:0], line))
        if stop:
            yield chunk
            line += count_lines(chunk.text)
        carry = text[stop:]
        if ended:
            return
        room = size if stop else 2 * len(text)
        if room > MAX_QUERY_BYTES:
            raise complain(
                stream.name,
                line,
                f"the query that starts here has more than {len(text) >> 20:,} MiB",
                "Check that qid changes from query to query.",
            )


def _more(stream: TextStream, carry: Bytes, count: int) -> tuple[Bytes, bool]:
    """Return `carry` and up to `count` bytes more, and whether the text ended."""
    buffer = np.empty(len(carry) + count + 1, dtype=np.uint8)
    buffer[: len(carry)] = carry
    filled = len(carry) + stream.fill(buffer.data[len(carry) : -1])
    ended = filled < len(buffer) - 1
    if ended and filled and buffer[filled - 1] != NEWLINE:
        buffer[filled] = NEWLINE
        filled += 1
    return buffer[:filled], ended


def _whole_lines(stream: TextStream, text: Bytes, first_line: int) -> int:
    """Return the length of the lines that have their newline; raise if the next is too long."""
    stop = _after_last_newline(text)
    if len(text) - stop > MAX_LINE_BYTES:
        line = first_line + count_lines(text[:stop])
        raise line_complaint(stream.name, line, LINE_LONG, rest_of_text(text, stop))
    return stop


def _first_document(text: Bytes) -> int:
    """Return where the first line with a document starts; the text's length where none does."""
    lines = _WITHOUT_DOCUMENT.match(text.data)
    return 0 if lines is None else lines.end()


def _after_last_newline(text: Bytes) -> int:
    """Return the position after the last newline, or 0."""
    stop = len(text)
    while stop > 0:
        start = max(stop - _TAIL_BYTES, 0)
        offset = text[start:stop].tobytes().rfind(b"\n")
        if offset >= 0:
            return start + offset + 1
        stop = start
    return 0
