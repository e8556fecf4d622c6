"""What every chart of a study has in common: rows, panels, colours."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ranksieve.report.shared.packing import Rows
from ranksieve.report.study.names import distinct, short_names

# The widest label of a method beside its lines.
LABEL = 320
# The longest name beside a line, in letters.
NAME_LETTERS = 24


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
    section : str, where the page shows it
    title, note : str
    hint : str, what pointing at it shows
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
    value : the field that y shows, where panels of a data set share the range of y
    ends : fields of both ends of its interval
    named : how many lines of a panel have a name at most; among more, only methods with a colour
        are drawn. 0 where there are no lines of methods
    beside : whether names stand beside the lines, so that more of them need a higher panel
    least : the least width of a part of a panel, where each method has a part
    margin : a loss that is in sight together with as large a gain; losses beyond five times as
        much are cut off, or every one is shown where it is 0
    """

    key: str
    section: str
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
    hint: str = ""
    value: str = ""
    ends: tuple[str, str] = ("low", "high")
    margin: float = 0.0
    named: int = 0
    beside: bool = False
    least: int = 0

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
    from ranksieve.packages import require

    return require(name, extra="report", caller="a chart of a study")


def method_colour(legend: bool) -> Any:
    """Return the colour of a method: that of its row, with a legend where `legend` is True.

    Rows have fields `colour` and `focus`; grey ones have no place in the legend.
    """
    alt = altair()
    if not legend:
        return alt.Color("colour:N", scale=None)
    return alt.Color(
        "method:N", scale=alt.Scale(domain=[], range=[]), legend=alt.Legend(title=None)
    )


# Height of a name beside a line, in dots.
NAME_HEIGHT = 13


def names_beside(
    chart: Any,
    field: str,
    *,
    low: str,
    high: str,
    along: str = "features",
    keep: Sequence[str] = (),
) -> Any:
    """Return a chart of one row per line, `at` which height its name stands at the right edge.

    Ends e_1 <= ... <= e_n of lines that lie closer than the height h of a name are moved apart, by
    as little up as down,

        a_i = i h + (max_{j <= i} (e_j - j h) + min_{j >= i} (e_j - j h)) / 2

    which keeps their order, and then into the range of the axis. All lines have a name: where not
    all names have room, `named_rows` leaves out the grey lines.

    Parameters
    ----------
    chart : altair chart of rows with the field `label`
    field : what y shows
    low, high : expressions for the ends of the axis
    along : field of x, whose largest value is the end of a line
    keep : further fields that all rows of a line share
    """
    alt = altair()
    step = f"min({NAME_HEIGHT}, height / datum.n) * (({high}) - ({low})) / height"
    sums = f"datum.place * {step}"
    return (
        chart.transform_joinaggregate(last=f"max({along})", groupby=["label"])
        .transform_filter(f"datum.{along} === datum.last")
        .transform_aggregate(end=f"mean({field})", groupby=["label", *keep])
        .transform_joinaggregate(n="count()")
        .transform_calculate(end=f"clamp(datum.end, {low}, {high})")
        .transform_window(place="row_number()", sort=[alt.SortField("end")], frame=[None, None])
        .transform_calculate(free=f"datum.end - {sums}")
        .transform_window(up="max(free)", sort=[alt.SortField("place")], frame=[None, 0])
        .transform_window(down="min(free)", sort=[alt.SortField("place")], frame=[0, None])
        .transform_calculate(
            at=f"max(({low}) + (datum.place - 0.5) * {step}, min(({high}) - "
            f"(datum.n - datum.place + 0.5) * {step}, {sums} + (datum.up + datum.down) / 2))"
        )
    )


def name_marks(chart: Any, y: Any, colour: Any) -> Any:
    """Return the names of `names_beside` as texts."""
    alt = altair()
    return chart.mark_text(align="left", baseline="middle", dx=7, fontSize=11).encode(
        x=alt.value("width"), y=y, text="label:N", color=colour
    )


def coloured(rows: Rows, methods: Sequence[str], colours: Sequence[str], grey: str) -> Rows:
    """Return rows with the colours of their methods: grey for those not among `methods`.

    The field `label` is the method's name, shortened.
    """
    colour_of = {method: colours[index % len(colours)] for index, method in enumerate(methods)}
    labels = short_names(distinct(row["method"] for row in rows if "method" in row), NAME_LETTERS)
    return [
        row
        | {
            "colour": colour_of.get(row["method"], grey),
            "focus": row["method"] in colour_of,
            "label": labels[row["method"]],
        }
        if "method" in row
        else row
        for row in rows
    ]


def named_rows(figure: Figure, rows: Rows) -> Rows:
    """Return the rows of a panel, without grey methods where not all names have room.

    No line is drawn without its name. `rows` have the fields of `coloured`.
    """
    if len({row.get("label") for row in rows}) <= figure.named or not figure.named:
        return rows
    return [row for row in rows if row["focus"]]


def panel_height(figure: Figure, rows: Rows, least: int) -> int:
    """Return the height of a panel in which each name beside a line has a line of its own."""
    n_names = len({row["label"] for row in rows}) if figure.beside else 0
    return max(least, NAME_HEIGHT * n_names)


def tooltip(*fields: tuple[str, str] | tuple[str, str, str]) -> list[Any]:
    """Return the lines of a tooltip: field with its type, title, and format."""
    alt = altair()
    return [
        alt.Tooltip(name, title=title, **({"format": formats[0]} if formats else {}))
        for name, title, *formats in fields
    ]
