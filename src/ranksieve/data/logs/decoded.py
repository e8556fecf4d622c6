"""Text of a file, packed or not, decoded a piece at a time."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from pathlib import Path

from ranksieve.data.text.complaints import check_magic
from ranksieve.data.text.streams import TextStream
from ranksieve.errors import DataError

PIECE_BYTES = 1 << 20


class DecodedStream:
    """A stream of UTF-8 as text; a byte order mark at its start is left out."""

    def __init__(self, stream: TextStream) -> None:
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self._started = False
        self.ended = False

    def read(self, n_bytes: int = PIECE_BYTES) -> str:
        """Return the text of the next bytes; less than that, or nothing, only at the end."""
        if self.ended:
            return ""
        buffer = bytearray(n_bytes)
        count = self._stream.fill(memoryview(buffer))
        if not self._started:
            check_magic(self._stream.name, bytes(buffer[:16]))
            self._started = True
        self.ended = count < n_bytes
        try:
            return self._decoder.decode(buffer[:count], final=self.ended)
        except UnicodeDecodeError:
            raise DataError(f"{self._stream.name} is no text in UTF-8. Save it as UTF-8.") from None


def decoded_lines(path: Path) -> Iterator[str]:
    """Yield the lines of a file with their ends."""
    with TextStream(path) as stream:
        text = DecodedStream(stream)
        remainder = ""
        while not text.ended:
            *lines, remainder = (remainder + text.read()).split("\n")
            yield from (f"{line}\n" for line in lines)
        if remainder:
            yield remainder
