"""Tables of a study as HTML that sorts and filters."""

from __future__ import annotations

import re

from ranksieve.report.shared.markup import Markup, breakable, tag
from ranksieve.report.shared.packing import json_script, packed
from ranksieve.report.shared.table import Column, Row, Table, Value
from ranksieve.report.shared.text import exact
from ranksieve.report.shared.words import counted, shortened

_VERDICTS = {"better": ("▲", "better"), "worse": ("▼", "worse"), "reference": ("●", "reference")}
# Longer texts, such as the message of an error, are cut in the middle.
_LONGEST = 400
# Texts stand in one line up to the first number of letters; beyond the second their column is wide.
_SHORT, _LONG = 28, 40
# Columns of names of methods and rankers.
_NAMES = ("method", "ranker")
# Long tables of more rows than these stay folded in print.
_PRINTED = 100


def html_table(
    table: Table, *, unfolded: bool = True, caption: bool = True, values: bool = True
) -> Markup:
    """Return a table with its caption and notes; with `values`, cells hold unrounded values.

    Attributes `data-data`, `data-measure`, `data-method` and `data-ranker` say what rows and
    tables belong to. One that may be long holds its rows as JSON of what is shown,
    which a script makes into cells once they are looked at, and can be folded.
    """
    body = _packed(table) if table.is_long else _rows(table, caption, values)
    parts = [body, *(tag("p", note, class_="soft") for note in table.notes)]
    if table.is_long:
        parts = [_folded(table, parts, unfolded)]
    return tag(
        "div",
        *parts,
        class_="table",
        data_table=table.key,
        data_data=table.data or None,
        data_measure=table.measure or None,
    )


def _folded(table: Table, parts: list[Markup], unfolded: bool) -> Markup:
    words = f"{table.title}: {counted(len(table.rows), 'row')}"
    kind = "long" if len(table.rows) > _PRINTED else None
    return tag("details", tag("summary", words, class_="title"), *parts, class_=kind, open=unfolded)


def _rows(table: Table, caption: bool, values: bool) -> Markup:
    return _box(
        table,
        tag("caption", tag("span", table.title)) if caption else Markup(),
        tag("thead", tag("tr", *(_heading(table, column) for column in table.columns))),
        tag("tbody", *(_row(table, row, values) for row in table.rows)),
    )


def _packed(table: Table) -> Markup:
    heads = [_heading(table, column) for column in table.columns]
    texts = [
        {f"{index}": _text(column, value) for index, (column, value) in enumerate(cells)}
        | {"method": row.method, "ranker": row.ranker}
        for row in table.rows
        for cells in (zip(table.columns, row.values, strict=True),)
    ]
    without = "These rows need scripts. `ranksieve report --format csv` has them, unrounded."
    return Markup.joined(
        _box(table, tag("thead", tag("tr", *heads)), tag("tbody")),
        tag("noscript", tag("p", without)),
        json_script(packed(texts), f"rows-{table.data}-{table.measure}"),
    )


def _box(table: Table, *parts: Markup) -> Markup:
    inner = tag("table", *parts, class_="sortable")
    return tag("div", inner, class_="scroll", tabindex=0, role="region", aria_label=table.title)


def _text(column: Column, value: Value) -> str:
    if column.name == "verdict":
        return " ".join(_VERDICTS.get(str(value), ("", ""))).strip()
    return column.text(value)


def _heading(table: Table, column: Column) -> Markup:
    sort = "ascending" if column.name == "place" else None
    kind = "number" if column.is_number else "name" if column.name in _NAMES else None
    return tag("th", column.name, scope="col", class_=kind, aria_sort=sort)


def _row(table: Table, row: Row, values: bool) -> Markup:
    pairs = zip(table.columns, row.values, strict=True)
    about = {
        "data_data": row.data if row.data != table.data else None,
        "data_method": row.method,
        "data_ranker": row.ranker,
    }
    attributes = {key: value or None for key, value in about.items()}
    return tag("tr", *(_cell(column, value, values) for column, value in pairs), **attributes)


def _cell(column: Column, value: Value, values: bool) -> Markup:
    if column.name == "verdict":
        return _verdict(str(value))
    text = column.text(value)
    if column.is_number:
        return tag("td", text, class_="number", data_value=exact(value) if values else None)
    if column.name in _NAMES:
        return tag("td", _name(text), class_="name")
    if column.uncut:
        # A name and its count stay together.
        return tag("td", re.sub(r" (?=\d+/\d+(,|$))", "\u00a0", text), class_="list")
    kind = "short" if len(text) <= _SHORT else "long" if len(text) > _LONG else None
    return tag("td", breakable(shortened(text, _LONGEST)), class_=kind)


def _name(text: str) -> Markup:
    """Return a name that may go on in the next line after a bracket, a comma or a space alone."""
    pieces = re.split(r"(?<=[(,])", shortened(text, _LONGEST))
    return Markup("<wbr>".join(Markup.joined(piece) for piece in pieces))


def _verdict(mark: str) -> Markup:
    if mark not in _VERDICTS:
        return tag("td")
    sign, words = _VERDICTS[mark]
    return tag("td", tag("span", sign, class_=mark, aria_hidden="true"), f" {words}", class_="mark")
