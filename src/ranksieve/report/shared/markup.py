"""HTML from pieces, in which text is always escaped."""

from __future__ import annotations

import re
from html import escape
from importlib.resources import files
from typing import Self


class Markup(str):
    """Text that is HTML already; every other text is escaped when it is put into a tag.

    Examples
    --------
    >>> tag("p", "1 < 2 ", tag("b", "yes"), class_="note")
    '<p class="note">1 &lt; 2 <b>yes</b></p>'
    """

    __slots__ = ()

    @classmethod
    def joined(cls, *parts: str) -> Self:
        """Return the parts one after the other, escaped where they are not HTML."""
        return cls("".join(part if isinstance(part, Markup) else escape(part) for part in parts))


def tag(name: str, /, *children: str, **attributes: str | float | bool | None) -> Markup:
    """Return an element; `class_` is the attribute class, `data_x` the attribute data-x.

    An attribute that is None or False is left out, and True stands without a value.
    """
    text = "".join(_attribute(key, value) for key, value in attributes.items())
    if name in _EMPTY:
        return Markup(f"<{name}{text}>")
    return Markup(f"<{name}{text}>{Markup.joined(*children)}</{name}>")


def breakable(text: str) -> Markup:
    """Return text that may go on in the next line after an underscore, dot, slash or colon.

    Examples
    --------
    >>> breakable("body_length")
    'body_<wbr>length'
    """
    pieces = re.split(r"(?<=[_./:])", text)
    return Markup("<wbr>".join(Markup.joined(piece) for piece in pieces))


_EMPTY = ("meta", "img", "input", "wbr")


def _attribute(key: str, value: str | float | bool | None) -> str:
    if value is None or value is False:
        return ""
    # SVG's viewBox and the like keep their capitals.
    name = key.rstrip("_").replace("_", "-")
    if value is True:
        return f" {name}"
    text = f"{value:.6g}" if isinstance(value, float) else str(value)
    return f' {name}="{escape(text)}"'


def page_file(folder: str, name: str) -> Markup:
    """Return a style or a script of a folder of reports."""
    return Markup(files(f"ranksieve.report.{folder}").joinpath(name).read_text(encoding="utf-8"))
