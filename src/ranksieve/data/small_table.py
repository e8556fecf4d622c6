"""A few columns to look at: a pandas frame, or a table that prints where pandas is absent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from importlib import import_module
from typing import Any

from numpy.typing import NDArray


@dataclass(frozen=True, eq=False, repr=False)
class SmallTable:
    """Columns of one length, by name, that print as a table, in a notebook too.

    Attributes
    ----------
    data : name to array

    Examples
    --------
    >>> import numpy as np
    >>> table = SmallTable({"feature": np.array(["bm25", "age"]), "score": np.array([0.5, 0.25])})
    >>> table
    feature   score
    bm25     0.5000
    age      0.2500
    >>> table["score"].tolist(), len(table)
    ([0.5, 0.25], 2)
    """

    data: Mapping[str, NDArray[Any]]

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return list(self.data)

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self.data[name]

    def __len__(self) -> int:
        return len(next(iter(self.data.values()), ()))

    def __repr__(self) -> str:
        padded = []
        for name, values in self.data.items():
            cells = [name, *map(_cell, values.tolist())]
            width, numeric = max(map(len, cells)), values.dtype.kind == "f"
            padded.append([cell.rjust(width) if numeric else cell.ljust(width) for cell in cells])
        return "\n".join("  ".join(row).rstrip() for row in zip(*padded, strict=True))

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(name)}</th>" for name in self.data)
        columns = [[_cell(value) for value in values.tolist()] for values in self.data.values()]
        rows = (
            "".join(f"<td>{escape(cell)}</td>" for cell in row)
            for row in zip(*columns, strict=True)
        )
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def as_frame(columns: Mapping[str, NDArray[Any]]) -> Any:
    """Return columns as a pandas DataFrame, or as a SmallTable where pandas is not installed."""
    try:
        pandas = import_module("pandas")
    except ImportError:
        return SmallTable(columns)
    return pandas.DataFrame(dict(columns))


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.4f}" if isinstance(value, float) else str(value)
