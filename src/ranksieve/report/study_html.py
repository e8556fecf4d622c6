"""Tables of a study as HTML that sorts and filters."""

from __future__ import annotations

from ranksieve.report.markup import Markup, breakable, tag
from ranksieve.report.study_formats import exact
from ranksieve.report.study_table import Column, Row, Table, Value
from ranksieve.report.words import shortened

_VERDICTS = {"better": ("▲", "better"), "worse": ("▼", "worse"), "reference": ("●", "reference")}
# Longer texts, such as the message of an error, are cut in the middle.
_LONGEST = 400
# Texts stand in one line up to so many letters, and ask for a wide column beyond so many.
_SHORT, _LONG = 28, 40


def html_table(table: Table) -> Markup:
    """Return a table with its caption and notes; cells hold their unrounded values.

    Attributes `data-data`, `data-measure`, `data-method` and `data-ranker` say what rows and
    tables belong to.
    """
    heads = [_heading(table, column) for column in table.columns]
    body = [_row(table, row) for row in table.rows]
    inner = tag(
        "table",
        tag("caption", tag("span", table.title)),
        tag("thead", tag("tr", *heads)),
        tag("tbody", *body),
        class_="sortable",
    )
    notes = [tag("p", note, class_="soft") for note in table.notes]
    return tag(
        "div",
        tag("div", inner, class_="scroll", tabindex=0, role="region", aria_label=table.title),
        *notes,
        class_="table",
        data_table=table.key,
        data_data=table.data or None,
        data_measure=table.measure or None,
    )


def _heading(table: Table, column: Column) -> Markup:
    sort = "ascending" if column.name == "place" else None
    kind = "number" if column.is_number else None
    return tag("th", column.name, scope="col", class_=kind, aria_sort=sort)


def _row(table: Table, row: Row) -> Markup:
    pairs = zip(table.columns, row.values, strict=True)
    about = {
        "data_data": row.data if row.data != table.data else None,
        "data_method": row.method,
        "data_ranker": row.ranker,
    }
    shown = {key: value or None for key, value in about.items()}
    return tag("tr", *(_cell(column, value) for column, value in pairs), **shown)


def _cell(column: Column, value: Value) -> Markup:
    if column.name == "verdict":
        return _verdict(str(value))
    text = column.text(value)
    if column.is_number:
        return tag("td", text, class_="number", data_value=exact(value))
    kind = "short" if len(text) <= _SHORT else "long" if len(text) > _LONG else None
    return tag("td", breakable(shortened(text, _LONGEST)), class_=kind)


def _verdict(mark: str) -> Markup:
    if mark not in _VERDICTS:
        return tag("td")
    sign, words = _VERDICTS[mark]
    return tag("td", tag("span", sign, class_=mark, aria_hidden="true"), f" {words}", class_="mark")
