"""Lines of a file, packed or not: a limit of length, and bytes that are no text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ranksieve.data.text.complaints import check_magic
from ranksieve.data.text.streams import TextStream
from ranksieve.errors import DataError, ParameterError
from ranksieve.extract.collections.records import Reading

_PIECE_BYTES = 1 << 20
_UNREADABLE = "�"


@dataclass(frozen=True, slots=True)
class Line:
    """A line without its end.

    Attributes
    ----------
    number : from 1
    text : what it says; a space for each byte that is not in the encoding
    bad : whether there were such bytes
    cut : whether it is longer than the limit, beyond which it was not read
    n_bytes : its length in the file
    """

    number: int
    text: str
    bad: bool = False
    cut: bool = False
    n_bytes: int = 0


def read_lines(path: Path, reading: Reading) -> Iterator[Line]:
    """Yield the lines of a file; memory holds a line up to the limit, and a piece of the file."""
    check_encoding(reading.encoding)
    for number, (content, n_bytes) in enumerate(_byte_lines(path, reading.max_bytes), start=1):
        text, bad = _decoded(content, reading.encoding)
        yield Line(number, text, bad, n_bytes > len(content), n_bytes)


def check_encoding(encoding: str) -> None:
    """Raise where Python does not know an encoding, or where lines cannot be cut at bytes."""
    try:
        newline = "\n".encode(encoding)
    except LookupError:
        raise ParameterError(
            f"no encoding is called {encoding!r}. It is utf-8, latin-1, cp1252 or "
            "another of Python's."
        ) from None
    if newline != b"\n":
        raise ParameterError(
            f"files in {encoding} cannot be cut into lines. Convert them to UTF-8 first."
        )


def _byte_lines(path: Path, limit: int) -> Iterator[tuple[bytes, int]]:
    """Yield each line up to a limit of bytes, and its true length."""
    with TextStream(path) as stream:
        buffer = bytearray(_PIECE_BYTES)
        held, held_bytes = b"", 0
        first = True
        while count := stream.fill(memoryview(buffer)):
            piece = bytes(buffer[:count])
            if first:
                check_start(str(path), piece)
                piece, first = piece.removeprefix(b"\xef\xbb\xbf"), False
            *ended, tail = piece.split(b"\n")
            for line in ended:
                n_bytes = held_bytes + len(line)
                yield _cut(held, line, limit), n_bytes
                held, held_bytes = b"", 0
            held_bytes += len(tail)
            held = _cut(held, tail, limit)
        if held_bytes:
            yield held, held_bytes


def check_start(name: str, head: bytes) -> None:
    """Raise where a file starts like no text."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise DataError(f"{name} is in UTF-16. Convert it to UTF-8 first.")
    try:
        check_magic(name, head[:16])
    except DataError as error:
        raise DataError(str(error).replace("ranking text", "text")) from None
    if b"\0" in head[:4096]:
        raise DataError(f"{name} is no text: it has zero bytes. Check that it is the right file.")


def _cut(held: bytes, more: bytes, limit: int) -> bytes:
    room = limit - len(held)
    return held + more[: max(room, 0)]


def _decoded(content: bytes, encoding: str) -> tuple[str, bool]:
    try:
        return content.decode(encoding).rstrip("\r"), False
    except UnicodeDecodeError:
        text = content.decode(encoding, errors="replace")
        return text.replace(_UNREADABLE, " ").rstrip("\r"), True
