"""Tables as plain data: unrounded values, and how each column is shown."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from ranksieve.report.words import plain

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
    """

    name: str
    show: Callable[..., str] | None = None
    parts: tuple[str, ...] = ()

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
    """

    key: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = field(default=())
    data: str = ""
    measure: str = ""


def fixed(decimals: int) -> Callable[[float], str]:
    """Return what shows a number with so many decimals.

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
    """Return a duration in seconds.

    Examples
    --------
    >>> seconds(0.01234), seconds(1234.5)
    ('0.01234', '1234')
    """
    return plain(value)


def megabytes(value: float) -> str:
    """Return bytes as MB of 2^20 bytes.

    Examples
    --------
    >>> megabytes(300 * 2**20)
    '300'
    """
    return f"{value / 2**20:,.0f}"
