"""Rows of charts as compact JSON, for a page that holds all of them."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from ranksieve.report.shared.markup import Markup, tag

Rows = list[dict[str, Any]]


def packed(rows: Rows) -> dict[str, Any]:
    """Return rows by column; one with few different values has codes of one or two bytes per row.

    Examples
    --------
    >>> found = packed([{"fold": "A"}, {"fold": "B"}, {"fold": "A"}])
    >>> found["length"], found["columns"]["fold"]
    (3, {'values': ['A', 'B'], 'bytes': 1, 'codes': 'AAEA'})
    """
    names = list(rows[0]) if rows else []
    return {
        "length": len(rows),
        "columns": {name: _column([row[name] for row in rows]) for name in names},
    }


def json_script(content: Any, identifier: str) -> Markup:
    """Return JSON inside a script element, which no text in it can end."""
    text = json.dumps(content, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return tag(
        "script", Markup(text.replace("<", "\\u003c")), type="application/json", id=identifier
    )


def _column(values: Sequence[Any]) -> dict[str, Any]:
    code_of: dict[Any, int] = {}
    codes = [code_of.setdefault(value, len(code_of)) for value in values]
    # Two bytes become almost three letters: long numbers that rarely recur are shorter as such.
    if len(code_of) > 65_535 or 2 * len(code_of) > len(values) > 16:
        return {"plain": list(values)}
    size = 1 if len(code_of) <= 256 else 2
    coded = np.array(codes, dtype="<u1" if size == 1 else "<u2").tobytes()
    return {
        "values": list(code_of),
        "bytes": size,
        "codes": base64.b64encode(coded).decode("ascii"),
    }
