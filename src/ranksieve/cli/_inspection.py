"""An inspection on a terminal: words, tables of 80 columns, and two pictures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from rich.table import Table
from rich.text import Text

from ranksieve.cli._output import console, number, print_table
from ranksieve.cli._pictures import Glyphs, glyphs, importance_bars, similarity_map
from ranksieve.report.inspection.judgement import advice, next_command, verdict
from ranksieve.report.shared.words import counted, listed, percent, plain

if TYPE_CHECKING:
    from ranksieve.report import Inspection

_LEVELS = 12
_MISSING = 10
_BLOCKS = 12
_LIST = 42
# Below this many columns, tables are as narrow as the terminal.
_WIDE = 80


def print_inspection(inspection: Inspection, out: str | None) -> None:
    """Print what was found."""
    signs = glyphs(console())
    _say(Text(signs.name(inspection.source, 70), style="bold"))
    _say(
        f"{counted(inspection.n_documents, 'document')} of "
        f"{counted(inspection.n_queries, 'query', 'queries')}, "
        f"{counted(inspection.n_features, 'feature')} ({inspection.kind}, {inspection.dtype}).\n"
        f"Fingerprint {inspection.fingerprint}"
    )
    _print_queries(inspection)
    _print_grades(inspection)
    _print_features(inspection, signs)
    _print_importance(inspection, signs)
    _print_similarity(inspection, signs)
    _heading("In short")
    _say(" ".join(verdict(inspection)))
    for sentence in advice(inspection):
        _say(sentence)
    if command := next_command(inspection):
        _say(f"\nNext: {command}")
    if out is not None:
        _say(f"\nWritten to {out}.")


def _print_queries(inspection: Inspection) -> None:
    sizes, grades, n = inspection.queries, inspection.grades, inspection.n_queries
    _heading("Queries")
    _pairs(
        (
            "documents per query",
            f"{sizes.least:,} to {sizes.most:,}; quartiles {plain(sizes.lower_quartile)}, "
            f"{plain(sizes.median)}, {plain(sizes.upper_quartile)}",
        ),
        ("one document only", _of(sizes.n_single, n)),
        ("no grade of 1 or more", _of(grades.n_without_relevant, n)),
        ("one grade only", _of(grades.n_one_grade, n)),
        ("pairs of documents", f"{grades.n_all_pairs:,}"),
        ("with different grades", _of(grades.n_pairs, grades.n_all_pairs)),
    )


def _print_grades(inspection: Inspection) -> None:
    grades, n = inspection.grades, inspection.n_documents
    _heading("Grades")
    if not grades.levels or len(grades.levels) > _LEVELS:
        kind = "levels" if grades.levels else "fractional grades"
        _pairs(
            ("different grades", f"{grades.n_different:,} ({kind})"),
            (
                "range",
                f"{plain(grades.least)} to {plain(grades.most)}; quartiles "
                f"{plain(grades.lower_quartile)}, {plain(grades.median)}, "
                f"{plain(grades.upper_quartile)}; mean {plain(grades.mean)}",
            ),
        )
    if not grades.levels:
        return
    frequent = sorted(np.argsort(-np.array(grades.counts), kind="stable")[:_LEVELS].tolist())
    if len(frequent) < len(grades.levels):
        _say(f"The {_LEVELS} most frequent:")
    rows = [
        (plain(grades.levels[level]), f"{grades.counts[level]:,}", percent(grades.counts[level], n))
        for level in frequent
    ]
    _table(("grade", "documents", "share"), rows, right=(0, 1, 2))


def _print_features(inspection: Inspection, signs: Glyphs) -> None:
    facts = inspection.features
    _heading("Features")
    of_queries = facts.constant_in_queries & ~facts.constant
    pairs = [
        (feature, int(facts.duplicate_of[feature]))
        for feature in np.flatnonzero(facts.duplicate_of >= 0).tolist()
    ]
    copies = [
        f"{_name(inspection, copy, signs)} = {_name(inspection, first, signs)}"
        for copy, first in pairs
    ]
    _pairs(
        ("missing values", _missing_words(inspection)),
        ("constant", _names(inspection, facts.constant, signs)),
        ("constant in each query", _names(inspection, of_queries, signs)),
        ("copies of another", _counted_names(copies)),
    )
    if inspection.n_missing and facts.n_missing is not None:
        worst = np.argsort(-facts.n_missing, kind="stable")
        worst = worst[facts.n_missing[worst] > 0]
        rows = [
            (
                signs.name(inspection.feature_names[feature]),
                f"{facts.n_missing[feature]:,}",
                percent(facts.n_missing[feature], inspection.n_documents),
            )
            for feature in worst[:_MISSING]
        ]
        _table(("feature", "missing", "share"), rows, right=(1, 2))
        if len(worst) > _MISSING:
            _say(f"and {counted(len(worst) - _MISSING, 'feature')} more with missing values")


def _missing_words(inspection: Inspection) -> str:
    if inspection.features.n_missing is None:
        return "not known: filled before"
    if not inspection.n_missing:
        return "none"
    affected = int((inspection.features.n_missing > 0).sum())
    return (
        f"{inspection.n_missing:,} in {counted(affected, 'feature')}; filled for what follows by "
        f"the rule {inspection.missing!r}"
    )


def _print_importance(inspection: Inspection, signs: Glyphs) -> None:
    facts = inspection.importance
    _heading(f"Importance: {facts.name}{' of ranking by one feature' if facts.alone else ''}")
    _pairs(
        ("best, median, worst", ", ".join(map(number, (facts.best, facts.median, facts.worst)))),
        ("a random order", number(facts.random)),
        *_across(inspection, signs),
    )
    print_table(importance_bars(inspection, signs, console().width))
    _say(
        f"{signs.falling} high values first, {signs.rising} low values first: the better of both. "
        "Idle features order no query's documents.",
        style="dim",
    )


def _across(inspection: Inspection, signs: Glyphs) -> list[tuple[str, str]]:
    """Return the features that were permuted across queries, with their scores."""
    scores = inspection.importance.scores
    across = [
        f"{_name(inspection, feature, signs)} ({number(scores[feature])})"
        for feature in np.flatnonzero(inspection.permuted_across).tolist()
    ]
    return [("permuted across queries", _counted_names(across))] if across else []


def _print_similarity(inspection: Inspection, signs: Glyphs) -> None:
    facts = inspection.similarity
    if len(facts.order) < 2:
        return
    _heading(f"Similarity: {facts.name}, features ordered by cluster")
    console().print(similarity_map(inspection, console(), signs), soft_wrap=True)
    _say("")
    _pairs(
        ("mean inside blocks", number(facts.mean_inside)),
        ("mean between features", f"{number(facts.mean_between)} (of different blocks)"),
    )
    if not facts.blocks:
        return
    rows = []
    for index, block in enumerate(facts.blocks[:_BLOCKS], start=1):
        remaining = [
            inspection.feature_names[member] for member in block.members if member != block.best
        ]
        rows.append(
            (
                str(index),
                str(len(block.members)),
                f"{block.mean_similarity:.2f}",
                _name(inspection, block.best, signs),
                number(inspection.importance.scores[block.best]),
                _fitted([signs.name(name, 16) for name in remaining], width=30),
            )
        )
    headings = ("block", "size", "alike", "best", "score", "others")
    if console().width < _WIDE:
        # The page has the rest.
        short = [(block, best, remaining) for block, _, _, best, _, remaining in rows]
        _table(("block", "best", "others"), short, right=(0,))
    else:
        _table(headings, rows, right=(0, 1, 2, 4))
    if len(facts.blocks) > _BLOCKS:
        _say(f"and {counted(len(facts.blocks) - _BLOCKS, 'smaller block')}")


def _of(n: int, total: int) -> str:
    return f"{n:,} ({percent(n, total)})" if n else "none"


def _name(inspection: Inspection, feature: int, signs: Glyphs) -> str:
    return signs.name(inspection.feature_names[feature], 18)


def _names(inspection: Inspection, which: NDArray[np.bool_], signs: Glyphs) -> str:
    return _counted_names(
        [_name(inspection, int(feature), signs) for feature in np.flatnonzero(which)]
    )


def _fitted(names: Sequence[str], *, width: int = _LIST) -> str:
    """Return as many names as fit, and how many more there are."""
    if not names:
        return "none"
    n_names = len(names)
    while n_names > 1 and len(listed(names, n_names)) > width:
        n_names -= 1
    return listed(names, n_names)


def _counted_names(names: Sequence[str]) -> str:
    return f"{counted(len(names), 'feature')}: {_fitted(names)}" if names else "none"


def _heading(text: str) -> None:
    console().print()
    console().print(Text(text, style="bold"))


def _say(text: str | Text, style: str = "") -> None:
    # Names come from files: a bracket in one is no markup.
    console().print(text, style=style, markup=False)


def _pairs(*pairs: tuple[str, str]) -> None:
    grid = Table(box=None, show_header=False, pad_edge=False)
    grid.add_column(no_wrap=True)
    grid.add_column()
    for name, value in pairs:
        if value != "none":
            grid.add_row(name, Text(value))
    if grid.row_count:
        console().print(grid)
    else:
        _say("nothing to remark")


def _table(headings: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[int]) -> None:
    table = Table(box=None, pad_edge=False)
    narrow = console().width < _WIDE
    for index, heading in enumerate(headings):
        is_number = index in right
        table.add_column(
            heading,
            justify="right" if is_number else "left",
            no_wrap=is_number or not narrow,
            overflow="fold",
        )
    for row in rows:
        table.add_row(*map(Text, row))
    if narrow:
        console().print(table)
    else:
        print_table(table)
