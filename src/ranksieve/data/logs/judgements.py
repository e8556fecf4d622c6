"""Judgements: the grade of a document for a query, from TREC qrels or a table."""

from __future__ import annotations

import csv
import math
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ranksieve.data.delimited import is_delimited
from ranksieve.data.logs.decoded import decoded_lines
from ranksieve.errors import DataError

# What the columns of a judgement table are called, without case, underscores and hyphens.
_TITLES = {
    "query": ("query", "qid", "queryid", "keywords", "topic", "searchid"),
    "document": (
        *("document", "documentid", "doc", "docid", "docno", "id", "itemid", "product"),
        "corpusid",
    ),
    "grade": ("grade", "label", "relevance", "rel", "rating", "judgment", "judgement", "score"),
}
_FORM = "A line of qrels reads: QUERY ITERATION DOCUMENT GRADE"
_DELIMITERS = (",", "\t", ";", "|")
# A whole number as it is always written: text such as 007 stays text.
_WHOLE = re.compile(r"0|-?[1-9][0-9]{0,17}", re.ASCII)


@dataclass(frozen=True, eq=False)
class Judgements:
    """Grades by query and document, whose ids are texts.

    Attributes
    ----------
    path : the file they come from
    grades : of each query, the grade of each judged document
    """

    path: Path
    grades: dict[str, dict[str, float]]

    @property
    def n_judgements(self) -> int:
        """How many documents have a grade, over all queries."""
        return sum(map(len, self.grades.values()))

    @property
    def whole_ids(self) -> bool:
        """Whether all query ids are whole numbers."""
        return all(is_whole(query) for query in self.grades)


def is_whole(query: str) -> bool:
    """Tell whether an id is a whole number as it is always written.

    Examples
    --------
    >>> is_whole("17"), is_whole("007")
    (True, False)
    """
    return _WHOLE.fullmatch(query) is not None


def read_judgements(path: str | os.PathLike[str]) -> Judgements:
    r"""Return the judgements of a file: a table if it ends in .csv or .tsv, and qrels otherwise.

    A table has columns for query, document and grade: by their titles, or in this order where it
    has none. A pair that is judged twice with different grades is an error.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "qrels.txt"
    >>> _ = file.write_text("q1 0 d7 2\nq1 0 d9 0\n")
    >>> read_judgements(file).grades
    {'q1': {'d7': 2.0, 'd9': 0.0}}
    """
    file = Path(path).expanduser()
    rows = table_rows(file) if is_delimited(file) else _qrels(file)
    grades: dict[str, dict[str, float]] = {}
    for line, query, document, text in rows:
        grade = _grade(text, query, document, f"{file}, line {line}")
        graded = grades.setdefault(query, {})
        if graded.setdefault(document, grade) != grade:
            raise DataError(
                f"{file}, line {line}: document {document!r} of query {query!r} has the grade "
                f"{grade:g}, and above {graded[document]:g}. Leave one of them."
            )
    if not grades:
        raise DataError(f"{file} has no judgements: it is empty. Check that it is the right file.")
    return Judgements(file, grades)


def _qrels(file: Path) -> Iterator[tuple[int, str, str, str]]:
    for number, line in enumerate(decoded_lines(file), start=1):
        cells = line.split()
        if not cells:
            continue
        if len(cells) != 4:
            table = any(delimiter in line for delimiter in ",;|")
            hint = " If it is a table, give it the ending .csv." if table else ""
            raise DataError(
                f"{file}, line {number}: {line.strip()[:40]!r} has {len(cells)} columns. "
                f"{_FORM}.{hint}"
            )
        yield number, cells[0], cells[2], cells[3]


def table_rows(file: Path) -> Iterator[tuple[int, str, str, str]]:
    """Yield line, query, document and grade of each row of a table, all but the line as text."""
    lines = decoded_lines(file)
    first = next(lines, "")
    delimiter = max(_DELIMITERS, key=first.count)
    reader = csv.reader(_after(first, lines), delimiter=delimiter, skipinitialspace=True)
    columns: tuple[int, int, int] | None = None
    try:
        for row in reader:
            cells = [cell.strip() for cell in row]
            if not any(cells):
                continue
            if columns is None:
                columns, titled = _columns(cells, file)
                if titled:
                    continue
            if len(cells) <= max(columns):
                raise DataError(
                    f"{file}, line {reader.line_num}: the row has {len(cells)} columns, and needs "
                    f"{max(columns) + 1}. Check the delimiter."
                )
            query, document, grade = (cells[column] for column in columns)
            yield reader.line_num, query, document, grade
    except csv.Error as error:
        raise DataError(f"{file}, line {reader.line_num}: this is no table: {error}.") from None


def _after(first: str, lines: Iterator[str]) -> Iterator[str]:
    yield first
    yield from lines


def _columns(cells: list[str], file: Path) -> tuple[tuple[int, int, int], bool]:
    """Return which columns hold query, document and grade, and whether these are titles."""
    titles = [re.sub("[_ -]", "", cell.lower()) for cell in cells]
    positions: list[int | None] = [
        next((index for index, title in enumerate(titles) if title in names), None)
        for names in _TITLES.values()
    ]
    query, document, grade = positions
    if query is not None and document is not None and grade is not None:
        return (query, document, grade), True
    if len(cells) == 3 and _is_number(cells[2]):
        return (0, 1, 2), False
    wanting = [role for role, position in zip(_TITLES, positions, strict=True) if position is None]
    raise DataError(
        f"{file} needs columns for query, document and grade, but its first line is "
        f"{', '.join(map(repr, cells))[:80]}: no title for {' and '.join(wanting)}. Call them "
        "query, document and grade, or give three columns in this order without titles."
    )


def _grade(text: str, query: str, document: str, where: str) -> float:
    subject = f"{where}: the grade of document {document!r} for query {query!r}"
    if not _is_number(text):
        raise DataError(f"{subject} is {text!r}, which is no number. Map grades to 0, 1, 2, ...")
    grade = float(text)
    if not (math.isfinite(grade) and grade >= 0):
        raise DataError(
            f"{subject} is {text}: grades must be finite and not negative. Shift or map them so "
            "that 0 is the worst."
        )
    return grade


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
