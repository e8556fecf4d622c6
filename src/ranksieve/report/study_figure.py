"""What every chart of a study has in common: rows, panels, colours."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

# Told apart by colour-blind eyes as well, each on light and on dark paper.
COLOURS = {
    "light": (
        "#1d5c99",
        "#c2410c",
        "#2f7d4f",
        "#8b3fa0",
        "#a87b00",
        "#0b8793",
        "#b8326b",
        "#6b4a2f",
        "#5b61c9",
        "#6f7f1c",
    ),
    "dark": (
        "#6fb1ea",
        "#f58a4b",
        "#6fcf97",
        "#cf94e6",
        "#e3bd4a",
        "#4fd0da",
        "#f287b4",
        "#c9a689",
        "#a5a9f5",
        "#b7c95a",
    ),
}
GREY = {"light": "#a3abb2", "dark": "#5a646e"}

# The widest label of a method beside its lines.
LABEL = 320

Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Words:
    """What a chart says that depends on what is shown: names on the page are filled in there."""

    measure: str = "{measure}"
    select: str = "{select}"


@dataclass(frozen=True, eq=False)
class Figure:
    """A kind of chart with all its rows; a panel is drawn for each value of some fields.

    Attributes
    ----------
    key : str, in names of files and on the page
    title, note : str
    source : str, the name of its rows; figures may share them
    rows : list of dict
        Fields `data`, `measure`, `ranker` and `method` are filtered by on the page.
    panels : fields whose values have a panel each
    draw : from data, Words and whether there is a legend to a chart
    only : field to value, which of the rows are drawn
    select : what the reader can choose: a field of the rows, or, with `axes`, the axis of x
    axes : words to field, what x can be
    height : of a panel, or of a fold of a method where it has a line for each
    lines : whether there is a line for each method and fold
    step : the least width of a feature, where there are lines
    ratio : of height to width instead, where both must go together
    renderer : "svg", or "canvas" for thousands of marks
    branches : a field that needs three values for the chart to be one
    """

    key: str
    title: str
    note: str
    source: str
    rows: Rows
    panels: tuple[str, ...]
    draw: Callable[[Any, Words, bool], Any]
    only: Mapping[str, str] = field(default_factory=dict)
    select: str = ""
    axes: Mapping[str, str] = field(default_factory=dict)
    height: int = 280
    lines: bool = False
    step: float = 0.0
    ratio: float | None = None
    renderer: str = "svg"
    branches: str = ""

    @property
    def drawn(self) -> Rows:
        """Rows that the chart shows."""
        return [row for row in self.rows if all(row[key] == self.only[key] for key in self.only)]


def altair() -> Any:
    """Import altair, or say how to install it."""
    return _package("altair")


def vl_convert() -> Any:
    """Import vl-convert, or say how to install it."""
    return _package("vl_convert")


def _package(name: str) -> Any:
    from ranksieve.packages import package

    return package(name, extra="report", who="a chart of a study")


def method_colour(legend: bool) -> Any:
    """Return the colour of a method: that of its row, with a legend where one is wanted.

    Rows have fields `colour` and `focus`; grey ones have no place in the legend.
    """
    alt = altair()
    if not legend:
        return alt.Color("colour:N", scale=None)
    return alt.Color(
        "method:N", scale=alt.Scale(domain=[], range=[]), legend=alt.Legend(title=None)
    )


def coloured(rows: Rows, methods: Sequence[str], colours: Sequence[str], grey: str) -> Rows:
    """Return rows with the colours of their methods: grey for those not among `methods`."""
    found = {method: colours[place % len(colours)] for place, method in enumerate(methods)}
    return [
        row | {"colour": found.get(row["method"], grey), "focus": row["method"] in found}
        if "method" in row
        else row
        for row in rows
    ]


def tooltip(*fields: tuple[str, str] | tuple[str, str, str]) -> list[Any]:
    """Return the lines of a tooltip: field with its type, title, and format."""
    alt = altair()
    return [
        alt.Tooltip(name, title=title, **({"format": rest[0]} if rest else {}))
        for name, title, *rest in fields
    ]
