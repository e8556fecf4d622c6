"""Judgements of a collection: codes of documents for queries, and the rule that makes grades.

Files are TREC qrels (QUERY ITERATION DOCUMENT GRADE), Cranfield's (QUERY DOCUMENT CODE), and tables
in .csv or .tsv with titles, as BEIR's `query-id`, `corpus-id` and `score`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ranksieve.data.delimited import is_delimited
from ranksieve.data.logs.judgements import table_rows
from ranksieve.errors import DataError, ParameterError
from ranksieve.extract.collections.lines import read_lines
from ranksieve.extract.collections.records import Reading, Tally

# Codes of Cranfield: 1 is a complete answer, 4 of minimum interest. -1 is not documented. Each
# query has exactly one, and it is nearly always the paper whose author asked the question: it can
# be called neither irrelevant nor a finding, so it has no grade.
CRANFIELD_GRADES: dict[float, float | None] = {1: 4.0, 2: 3.0, 3: 2.0, 4: 1.0, -1: None}

_Row = tuple[int, str, str, str]


@dataclass(frozen=True, eq=False)
class CollectionJudgements:
    """Grades by query and document; None for a document that is left out of its query.

    Attributes
    ----------
    path : the file
    grades : of each query, the grade of each judged document, in the order of the file
    cranfield : whether the file is in Cranfield's format
    """

    path: Path
    grades: dict[str, dict[str, float | None]]
    cranfield: bool


def collection_judgements(
    path: Path, rule: Mapping[float, float | None] | None, tally: Tally
) -> CollectionJudgements:
    """Return the judgements of a file.

    Parameters
    ----------
    path : file, packed or not
    rule : mapping of codes to grades, optional
        None as a grade leaves the document out of the query. Without a rule Cranfield's codes 1 to
        4 become grades 4 to 1, and -1 is left out; in other files a grade is what is written, and
        one below 0, which TREC uses for spam, counts as 0.
    tally : counts what was left out
    """
    table = is_delimited(path)
    rows = list(table_rows(path)) if table else []
    cranfield = False
    if not table:
        rows, cranfield = _columns(path)
    if rule is None and cranfield:
        rule = CRANFIELD_GRADES
    grades: dict[str, dict[str, float | None]] = {}
    for line, query, document, text in rows:
        where = f"{path}, line {line}"
        grade = _grade(text, rule, where, tally)
        judged = grades.setdefault(query, {})
        if document in judged and judged[document] != grade:
            raise DataError(
                f"{where}: document {document!r} of query {query!r} has the grade {text}, and "
                f"another one above. Leave one of them."
            )
        judged[document] = grade
    if not grades:
        raise DataError(f"{path} has no judgements: it is empty. Check that it is the right file.")
    return CollectionJudgements(path, grades, cranfield)


def grade_rule(text: str) -> dict[float, float | None]:
    """Return the rule that a text spells: `CODE=GRADE` with commas, `CODE=skip` to leave out.

    Examples
    --------
    >>> grade_rule("1=4, 2=3, 3=2, 4=1, -1=skip")
    {1.0: 4.0, 2.0: 3.0, 3.0: 2.0, 4.0: 1.0, -1.0: None}
    """
    rule: dict[float, float | None] = {}
    for entry in text.split(","):
        code, equals, grade = (part.strip() for part in entry.partition("="))
        try:
            rule[float(code)] = None if grade == "skip" else _checked(float(grade))
        except ValueError:
            raise ParameterError(
                f"a rule of grades is written 1=4,2=3,-1=skip with grades of at least 0, but has "
                f"{entry.strip()!r}"
            ) from None
        if not equals:
            raise ParameterError(f"{entry.strip()!r} of the rule of grades has no '='")
    return rule


def _checked(grade: float) -> float:
    if not (math.isfinite(grade) and grade >= 0):
        raise ValueError(grade)
    return grade


def _columns(path: Path) -> tuple[list[_Row], bool]:
    """Return rows of text cut at blanks, and whether they have Cranfield's three columns."""
    rows = list(_cells(path))
    cranfield = bool(rows) and len(rows[0][1]) == 3
    if cranfield:
        return [(line, cells[0], cells[1], cells[2]) for line, cells in rows], True
    return [(line, cells[0], cells[2], cells[3]) for line, cells in rows], False


def _cells(path: Path) -> Iterator[tuple[int, list[str]]]:
    width = 0
    for line in read_lines(path, Reading()):
        cells = line.text.split()
        if not cells:
            continue
        width = width or len(cells)
        if len(cells) != width or width not in (3, 4):
            raise DataError(
                f"{path}, line {line.number}: {line.text.strip()[:40]!r} has {len(cells)} columns. "
                "A line reads QUERY ITERATION DOCUMENT GRADE, or QUERY DOCUMENT CODE as "
                "Cranfield's do; a table with titles ends in .csv or .tsv."
            )
        yield line.number, cells


def _grade(
    text: str, rule: Mapping[float, float | None] | None, where: str, tally: Tally
) -> float | None:
    try:
        code = float(text)
    except ValueError:
        code = math.nan
    if not math.isfinite(code):
        raise DataError(f"{where}: the grade is {text!r}, which is no number.")
    if rule is None:
        if code < 0:
            tally.add("negative grade", where)
        return max(code, 0.0)
    if code not in rule:
        raise DataError(
            f"{where}: the code {text} has no grade: the rule has "
            f"{', '.join(f'{listed:g}' for listed in rule)}. "
            "Add it to the rule, such as 5=0, or 5=skip to leave such documents out."
        )
    if rule[code] is None:
        tally.add("judgement without a grade", where)
    return rule[code]
