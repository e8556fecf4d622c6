"""Cells and headings of the tables, and intervals as small pictures in them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from ranksieve.report.shared.markup import Markup, breakable, tag
from ranksieve.report.shared.words import shortened
from ranksieve.report.sieve.axes import Frame
from ranksieve.report.sieve.view import Interval

# Longer names are cut in the middle.
LONGEST_NAME = 200


def name_text(name: str) -> Markup:
    """Return a name of a feature or a query, safe to show, that may go on in the next line."""
    return breakable(shortened(name, LONGEST_NAME))


def command_text(command: str) -> Markup:
    """Return a command whose words are broken only where they are wider than the line."""
    words = [tag("span", word) for word in command.split(" ")]
    return tag("code", Markup(" ".join(words)), class_="command")


def number_cell(text: str, value: float | None = None) -> Markup:
    """Return a cell that sorts by a number; what is no finite number sorts last."""
    sorts_by = None if value is None else repr(float(value)) if math.isfinite(value) else ""
    return tag("td", text, class_="number", data_value=sorts_by)


def heading(text: str, *, number: bool = False, sort: str | None = None, title: str = "") -> Markup:
    """Return the heading of a column."""
    kind = "number" if number else None
    return tag("th", text, scope="col", class_=kind, aria_sort=sort, title=title or None)


def sortable(headings: Iterable[Markup], rows: Iterable[Markup], label: str) -> Markup:
    """Return a table that sorts, in a box that scrolls sideways where it is too wide."""
    head = tag("thead", tag("tr", *headings))
    table = tag("table", head, tag("tbody", *rows), class_="sortable wide")
    return tag("div", table, class_="scroll", tabindex=0, role="region", aria_label=label)


@dataclass(frozen=True)
class IntervalPicture:
    """Draws intervals of one or several columns on a common scale, with a line at 0."""

    low: float
    high: float
    width: float = 96.0
    height: float = 14.0

    @classmethod
    def over(cls, intervals: Iterable[Interval]) -> IntervalPicture:
        """Return a scale on which all intervals that are finite have room."""
        ends = [end for each in intervals if each.is_finite for end in each]
        low, high = min([0.0, *ends]), max([0.0, *ends])
        return cls(low, high if high > low else low + 1.0)

    def draw(self, interval: Interval) -> Markup:
        """Return the picture of an interval; room for one where it is not finite."""
        if not interval.is_finite:
            return tag("span", class_="interval")
        frame = Frame(2.0, self.width - 2.0, 0.0, self.height)
        mean, low, high, zero = (frame.x(value, self.low, self.high) for value in (*interval, 0.0))
        middle = self.height / 2
        return tag(
            "svg",
            tag("path", d=f"M{zero:g} 0V{self.height:g}", class_="zero"),
            tag("path", d=f"M{low:g} {middle:g}H{high:g}", class_="range"),
            tag("circle", cx=mean, cy=middle, r=2.6, class_="mean"),
            viewBox=f"0 0 {self.width:g} {self.height:g}",
            class_="interval",
            aria_hidden="true",
        )
