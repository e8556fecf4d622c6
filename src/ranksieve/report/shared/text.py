"""Tables as Markdown, LaTeX and CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from typing import Any

from ranksieve.report.shared.table import Column, Row, Table, Value

_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "%": r"\%",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\char34{}",
}
# What Markdown or the HTML in it would read as more than a letter.
_MARKDOWN = "\\`*_{}[]<>#|~$&!"
# What a spreadsheet takes for the beginning of a formula.
_FORMULA_SIGNS = ("=", "+", "-", "@")
# More rows than these go over several pages.
_LATEX_ROWS = 50
# The marks of significance, short enough for a column of a paper.
_LATEX_VERDICTS = {"better": r"$\uparrow$", "worse": r"$\downarrow$", "reference": "ref."}


def markdown_text(text: str) -> str:
    r"""Return text that Markdown shows as it is, in one line.

    Examples
    --------
    >>> print(markdown_text("a_b|c"))
    a\_b\|c
    """
    line = _visible(text)
    return "".join(f"\\{letter}" if letter in _MARKDOWN else letter for letter in line)


def latex_text(text: str) -> str:
    r"""Return text that LaTeX sets as it is, in one line.

    Examples
    --------
    >>> print(latex_text("a_b & 100%"))
    a\_b \& 100\%
    """
    return "".join(_LATEX.get(letter, letter) for letter in _visible(text))


def _visible(text: str) -> str:
    r"""Return text in one line; what cannot be seen, such as marks of direction, becomes ?.

    A mark of direction would turn round what follows it, the next columns too.

    Examples
    --------
    >>> _visible("a\u202eb\n c")
    'a?b c'
    """
    line = " ".join(text.split())
    return "".join(letter if letter.isprintable() else "?" for letter in line)


def markdown_table(table: Table) -> str:
    """Return a heading, the table in GitHub's Markdown, and its notes."""
    head = [markdown_text(column.name) for column in table.columns]
    rule = ["---:" if column.is_number else "---" for column in table.columns]
    body = [
        [markdown_text(column.text(value)) for column, value in _cells(table, row)]
        for row in table.rows
    ]
    lines = [f"| {' | '.join(cells)} |" for cells in (head, rule, *body)]
    notes = [line for note in table.notes for line in ("", markdown_text(note))]
    return "\n".join([f"### {markdown_text(table.title)}", "", *lines, *notes, ""])


def latex_table(table: Table) -> str:
    """Return a table that needs the packages booktabs and graphicx, or longtable if it is long."""
    kinds = "".join("r" if column.is_number else "l" for column in table.columns)
    head = _latex_row(latex_text(column.name) for column in table.columns)
    body = [
        _latex_row(_latex_cell(column, value) for column, value in _cells(table, row))
        for row in table.rows
    ]
    notes = "".join(f" {latex_text(note)}" for note in table.notes)
    caption = rf"\caption{{{latex_text(table.title)}.{notes}}}"
    make = _latex_long if len(body) > _LATEX_ROWS else _latex_float
    return "\n".join(make(kinds, caption, head, body)) + "\n"


def _latex_float(kinds: str, caption: str, head: str, body: list[str]) -> list[str]:
    """Return a table that floats, scaled to the line where it is wider."""
    return [
        r"\begin{table}",
        r"\centering",
        caption,
        r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
        rf"\begin{{tabular}}{{{kinds}}}",
        r"\toprule",
        head,
        r"\midrule",
        *body,
        r"\bottomrule",
        r"\end{tabular}}",
        r"\end{table}",
    ]


def _latex_long(kinds: str, caption: str, head: str, body: list[str]) -> list[str]:
    """Return a table over several pages, in small letters since it cannot be scaled."""
    return [
        r"{\tiny\setlength{\tabcolsep}{3pt}",
        rf"\begin{{longtable}}{{{kinds}}}",
        rf"{caption} \\",
        r"\toprule",
        head,
        r"\midrule",
        r"\endfirsthead",
        r"\toprule",
        head,
        r"\midrule",
        r"\endhead",
        *body,
        r"\bottomrule",
        r"\end{longtable}}",
    ]


def csv_text(tables: Iterable[Table]) -> str:
    """Return all tables as one: a line for each value, unrounded, with what it belongs to.

    Text that a spreadsheet would take for a formula has an apostrophe in front.
    """
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(("table", "row", "data", "measure", "method", "ranker", "quantity", "value"))
    for table in tables:
        for number, row in enumerate(table.rows, start=1):
            about = (row.data or table.data, row.measure or table.measure, row.method, row.ranker)
            about = tuple(_no_formula(text) for text in about)
            for column, value in _cells(table, row):
                for quantity, part in _parts(column, value):
                    cell = _no_formula(part) if isinstance(part, str) else exact(part)
                    writer.writerow((table.key, number, *about, _no_formula(quantity), cell))
    return lines.getvalue()


def _no_formula(text: Any) -> Any:
    """Return text that no spreadsheet runs: names come from files of others.

    Examples
    --------
    >>> _no_formula("=1+1"), _no_formula("@SUM(A1)"), _no_formula("GAS")
    ("'=1+1", "'@SUM(A1)", 'GAS')
    """
    is_text = isinstance(text, str) and text.lstrip()[:1] in _FORMULA_SIGNS and text.strip() != ""
    return f"'{text}" if is_text else text


def exact(value: Value) -> str:
    """Return a value with all its digits; nothing where there is none.

    Examples
    --------
    >>> exact(0.1), exact((0.25, 0.5)), exact(float("nan")), exact(None)
    ('0.1', '0.25 0.5', '', '')
    """
    if value is None or value != value:
        return ""
    if isinstance(value, tuple):
        return " ".join(exact(part) for part in value)
    return value if isinstance(value, str) else repr(value)


def _cells(table: Table, row: Row) -> Iterable[tuple[Column, Value]]:
    return zip(table.columns, row.values, strict=True)


def _parts(column: Column, value: Value) -> list[tuple[str, Value]]:
    if not column.parts:
        return [(column.name, value)]
    values = value if isinstance(value, tuple) else (None,) * len(column.parts)
    return list(zip(column.parts, values, strict=True))


def _latex_row(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"


def _latex_cell(column: Column, value: Value) -> str:
    if column.name == "verdict":
        return _LATEX_VERDICTS.get(str(value), "")
    return latex_text(column.text(value))
