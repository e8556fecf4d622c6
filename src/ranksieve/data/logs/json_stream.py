"""Objects of a JSON file, one at a time: in a list, in lines, or in an answer to `_msearch`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ranksieve.data.logs.decoded import PIECE_BYTES, DecodedStream
from ranksieve.data.text.streams import TextStream
from ranksieve.errors import DataError

# No response is larger; a file without an end of its first object would fill the memory.
MAX_CHARACTERS = 1 << 28
# As far from the end of what was read, a literal or an escape may be cut off.
_MARGIN = 16
_SPACE = re.compile(r"[ \t\n\r]*")
_SEVERAL = re.compile(r'\{\s*(?:"took"\s*:\s*\d+\s*,\s*)?"responses"\s*:\s*\[')
_DECODER = json.JSONDecoder()


def json_objects(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the line, from 1, and the value of each object in a JSON file.

    The file is a list of objects, objects one after the other (one per line, or indented), or
    Elasticsearch's answer to several searches, with a list `responses`. Memory holds one object
    and what was read with it.
    """
    with TextStream(path) as stream:
        text = _JsonText(stream)
        sign = text.peek()
        if not sign:
            raise DataError(
                f"{path} has no responses: it is empty. Check that it was written to the end."
            )
        if sign == "[":
            text.advance(1)
            yield from _elements(text)
        elif (opening := text.matches(_SEVERAL)) is not None:
            text.advance(opening)
            yield from _elements(text)
            _skip_members(text)
        while (sign := text.peek()) == "{":
            yield text.line(), text.value()
        if sign:
            raise text.complaint(f"expected an object, but there is {sign!r}")


def _elements(text: _JsonText) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects of a list, whose bracket is read, to its end."""
    while (sign := text.peek()) != "]":
        if sign != "{":
            raise text.complaint(
                "expected an object" + (f", but there is {sign!r}" if sign else "")
            )
        yield text.line(), text.value()
        sign = text.peek()
        if sign == ",":
            text.advance(1)
        elif sign != "]":
            raise text.complaint("expected a comma or the end of the list")
    text.advance(1)


def _skip_members(text: _JsonText) -> None:
    """Read the members that follow in an object, to its end."""
    while text.peek() == ",":
        text.advance(1)
        text.peek()
        text.value()
        if text.peek() != ":":
            raise text.complaint("expected a colon")
        text.advance(1)
        text.peek()
        text.value()
    if text.peek() != "}":
        raise text.complaint("expected the end of the object")
    text.advance(1)


class _JsonText:
    """A window of a file's text that moves as it is read."""

    def __init__(self, stream: TextStream) -> None:
        self._name = stream.name
        self._stream = DecodedStream(stream)
        self._text = self._stream.read()
        self._position = 0
        self._line, self._counted = 1, 0

    def peek(self) -> str:
        """Return the next sign that is no space, and go to it; nothing at the end of the file."""
        while True:
            match = _SPACE.match(self._text, self._position)
            self._position = self._position if match is None else match.end()
            if self._position < len(self._text):
                return self._text[self._position]
            if self._stream.ended:
                return ""
            self._read(PIECE_BYTES)

    def matches(self, pattern: re.Pattern[str]) -> int | None:
        """Return the length of what a pattern matches here, or None."""
        match = pattern.match(self._text, self._position)
        return None if match is None else match.end() - match.start()

    def advance(self, count: int) -> None:
        """Go forward by a number of signs."""
        self._position += count

    def line(self) -> int:
        """Return the number of this line, from 1."""
        self._line += self._text.count("\n", self._counted, self._position)
        self._counted = self._position
        return self._line

    def value(self) -> Any:
        """Return the value that begins here, and go behind it."""
        while True:
            try:
                value, self._position = _DECODER.raw_decode(self._text, self._position)
            except json.JSONDecodeError as error:
                if self._stream.ended or not self._is_cut_off(error):
                    raise self._no_json(error) from None
            except RecursionError:
                raise self.complaint("it is nested too deep") from None
            except ValueError:
                raise self.complaint("a number has too many digits") from None
            else:
                return value
            held = len(self._text) - self._position
            if held > MAX_CHARACTERS:
                raise self.complaint(f"a response has more than {MAX_CHARACTERS >> 20} MiB")
            # Twice as much each time: what is parsed again adds up to the length at most.
            self._read(max(held, PIECE_BYTES))

    def complaint(self, problem: str) -> DataError:
        """Return an error at this line; one about the end of the file where that is here."""
        if self._position >= len(self._text) and self._stream.ended:
            problem = f"the file ends too soon: {problem}"
        return DataError(
            f"{self._name}, line {self.line()}: {problem}. A log is JSON: a list of responses, or "
            "one response after the other."
        )

    def _read(self, n_bytes: int) -> None:
        self.line()
        self._text = self._text[self._position :] + self._stream.read(n_bytes)
        self._position = self._counted = 0

    def _is_cut_off(self, error: json.JSONDecodeError) -> bool:
        return error.msg.startswith("Unterminated string") or error.pos >= (
            len(self._text) - _MARGIN
        )

    def _no_json(self, error: json.JSONDecodeError) -> DataError:
        first_line = self.line()
        line = first_line + self._text.count("\n", self._position, error.pos)
        begun = "" if line == first_line else f" (the response begins in line {first_line})"
        at_end = error.pos >= len(self._text.rstrip()) or error.msg.startswith("Unterminated")
        problem = "the file ends in the middle of a response" if at_end else "this is no JSON"
        return DataError(
            f"{self._name}, line {line}: {problem}: {error.msg}{begun}. Check that the log was "
            "written to the end."
        )
