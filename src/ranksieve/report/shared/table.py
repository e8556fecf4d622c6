"""Tables as plain data: unrounded values, and how each column is shown."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace

# A number, a text, several numbers that are shown together, or nothing.
Value = str | float | int | None | tuple[float, ...]


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes
    ----------
    name : str
    show : from a value to its text; None where values are texts
    parts : names of the numbers of a value that has several
    uncut : whether even long texts are shown to their end
    """

    name: str
    show: Callable[..., str] | None = None
    parts: tuple[str, ...] = ()
    uncut: bool = False

    @property
    def is_number(self) -> bool:
        """Whether the column sorts by size, and stands to the right."""
        return self.show is not None

    def text(self, value: Value) -> str:
        """Return the value as it is shown: a dash where there is none."""
        if value is None or (isinstance(value, float) and math.isnan(value)):
            return "-"
        if self.show is None:
            return str(value)
        return self.show(*value) if isinstance(value, tuple) else self.show(value)


@dataclass(frozen=True)
class Row:
    """A row of a table, and what it belongs to; "" where it belongs to all."""

    values: tuple[Value, ...]
    data: str = ""
    measure: str = ""
    method: str = ""
    ranker: str = ""


@dataclass(frozen=True)
class Table:
    """A table of a report.

    Attributes
    ----------
    key : str, which of the report's tables
    title : str
    columns, rows : tuples
    notes : sentences below it
    data, measure : what the whole table is about; "" for all
    is_long : whether it may have thousands of rows, which a page folds
    """

    key: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = field(default=())
    data: str = ""
    measure: str = ""
    is_long: bool = False


def without_only_ranker(table: Table) -> Table:
    """Return a table without its column of rankers where all rows have the same one.

    The title then says which it is.
    """
    names = [column.name for column in table.columns]
    rankers = {row.ranker for row in table.rows}
    if len(rankers) != 1 or "ranker" not in names:
        return table
    index = names.index("ranker")
    return replace(
        table,
        title=f"{table.title}, {rankers.pop()}",
        columns=table.columns[:index] + table.columns[index + 1 :],
        rows=tuple(
            replace(row, values=row.values[:index] + row.values[index + 1 :]) for row in table.rows
        ),
    )


def fixed(decimals: int) -> Callable[[float], str]:
    """Return what shows a number with this many decimals.

    Examples
    --------
    >>> fixed(2)(0.128)
    '0.13'
    """
    return lambda value: f"{value:.{decimals}f}"


def signed(value: float) -> str:
    """Return a difference with its sign.

    Examples
    --------
    >>> signed(0.01234), signed(-0.5)
    ('+0.0123', '-0.5000')
    """
    return f"{value:+.4f}"


def probability(value: float) -> str:
    """Return a p-value, never rounded to nothing.

    Examples
    --------
    >>> probability(0.03), probability(1e-9)
    ('0.0300', '<0.0001')
    """
    return "<0.0001" if value < 0.0001 else f"{value:.4f}"


def between(low: float, high: float) -> str:
    """Return an interval.

    Examples
    --------
    >>> between(0.41, 0.4567)
    '0.4100 to 0.4567'
    """
    return f"{low:.4f} to {high:.4f}" if not math.isnan(low) else "-"


def signed_between(low: float, high: float) -> str:
    """Return an interval of a difference.

    Examples
    --------
    >>> signed_between(-0.004, 0.0123)
    '-0.0040 to +0.0123'
    """
    return f"{low:+.4f} to {high:+.4f}" if not math.isnan(low) else "-"


def counts(*values: int) -> str:
    """Return several counts.

    Examples
    --------
    >>> counts(3, 0, 1200)
    '3 / 0 / 1,200'
    """
    return " / ".join(f"{value:,}" for value in values)


def count(value: float) -> str:
    """Return a count, with one decimal where it is a mean.

    Examples
    --------
    >>> count(1200), count(12.0), count(12.4)
    ('1,200', '12', '12.4')
    """
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"


def seconds(value: float) -> str:
    """Return a duration in seconds with three significant digits.

    Examples
    --------
    >>> seconds(0.01234), seconds(1234.5), seconds(30.0)
    ('0.0123', '1,230', '30.0')
    """
    if not math.isfinite(value) or value <= 0:
        return "0" if value == 0 else "-"
    digits = 2 - math.floor(math.log10(float(f"{value:.2e}")))
    return f"{round(value, digits):,.{max(digits, 0)}f}"


def megabytes(value: float) -> str:
    """Return bytes as MB of 2^20 bytes.

    Examples
    --------
    >>> megabytes(300 * 2**20)
    '300'
    """
    return f"{value / 2**20:,.0f}"
