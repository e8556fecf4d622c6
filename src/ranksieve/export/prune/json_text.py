"""Lists in JSON text: where their elements are, and the text without some of them."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from ranksieve.errors import DataError

_SPACE = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()


@dataclass(frozen=True)
class JsonList:
    """A list in a JSON text: its elements, and where each is written.

    Attributes
    ----------
    text : all of the text
    elements : values of the elements
    spans : (start, stop) of each in the text
    """

    text: str
    elements: tuple[Any, ...]
    spans: tuple[tuple[int, int], ...]

    def only(self, positions: Collection[int]) -> str:
        r"""Return the text with some elements of the list only; everything else is as it was.

        An element keeps the comma and the space before it; the first one has what was before
        the first element.

        Examples
        --------
        >>> json_list('{"a": [1,\n 2, 3 ], "b": 1.50}', ["a"]).only([1, 2])
        '{"a": [2, 3 ], "b": 1.50}'
        """
        left = sorted(positions)
        pieces = [self.text[: self.spans[0][0]]]
        for number, index in enumerate(left):
            start, stop = self.spans[index]
            if number:
                pieces.append(self.text[self.spans[index - 1][1] : start])
            pieces.append(self.text[start:stop])
        pieces.append(self.text[self.spans[-1][1] :])
        return "".join(pieces)


def parsed(text: str, source: str) -> Any:
    """Return the value of a JSON text; DataError that says where it is not JSON."""
    try:
        return json.loads(text.removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        raise DataError(
            f"{source} is no JSON: {error.msg} in line {error.lineno}, column {error.colno}. "
            "Check that it is the right file and was written to the end."
        ) from None
    except ValueError:
        raise DataError(f"{source} is no definition: a number has too many digits.") from None
    except RecursionError:
        raise DataError(f"{source} is no definition: it is nested too deep.") from None


def json_list(text: str, path: list[str | int]) -> JsonList:
    """Return the list at a path of keys and positions in a JSON text, which `parsed` has read."""
    position = _after_space(text, 1 if text.startswith("\ufeff") else 0)
    for step in path:
        position = _position_of(text, position, step)
    elements, spans = [], []
    for value, start, stop in _elements(text, position):
        elements.append(value)
        spans.append((start, stop))
    return JsonList(text, tuple(elements), tuple(spans))


def _position_of(text: str, position: int, step: str | int) -> int:
    if isinstance(step, int):
        starts = [start for _, start, _ in _elements(text, position)]
        return starts[step]
    # Of a key that is written twice, JSON readers take the last.
    return [start for key, start in _members(text, position) if key == step][-1]


def _elements(text: str, position: int) -> Iterator[tuple[Any, int, int]]:
    """Yield value, start and stop of each element of the list that begins at a position."""
    position = _after_space(text, position + 1)
    while text[position] != "]":
        value, stop = _DECODER.raw_decode(text, position)
        yield value, position, stop
        position = _after_space(text, stop)
        if text[position] == ",":
            position = _after_space(text, position + 1)


def _members(text: str, position: int) -> Iterator[tuple[str, int]]:
    """Yield the keys of the object that begins at a position, and where their values begin."""
    position = _after_space(text, position + 1)
    while text[position] != "}":
        key, stop = _DECODER.raw_decode(text, position)
        position = _after_space(text, _after_space(text, stop) + 1)
        yield key, position
        _, stop = _DECODER.raw_decode(text, position)
        position = _after_space(text, stop)
        if text[position] == ",":
            position = _after_space(text, position + 1)


def _after_space(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    return position if match is None else match.end()
