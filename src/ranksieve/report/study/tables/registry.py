"""Every table of a study's report, registered once with its section of the page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ranksieve.report.shared.table import Table, without_only_ranker
from ranksieve.report.study.tables.by_number import number_tables
from ranksieve.report.study.tables.chosen import features_table, set_tables
from ranksieve.report.study.tables.leaderboard import leaderboards, unified_ranks
from ranksieve.report.study.tables.others import (
    choices_table,
    costs_table,
    data_table,
    failures_table,
    stability_table,
)
from ranksieve.report.study.view import StudyView


@dataclass(frozen=True)
class TableKind:
    """A kind of table.

    Attributes
    ----------
    key : str, that of its tables
    section : str, where the page shows it
    make : from a view to a table, or to one for each data set and measure
    names_only_ranker : whether a ranker that all rows share goes into the title
    in_latex : whether it is a table for a paper; lists of names of features are none
    """

    key: str
    section: str
    make: Callable[[StudyView], Table | list[Table]]
    names_only_ranker: bool = False
    in_latex: bool = True

    def tables(self, view: StudyView) -> list[Table]:
        """Return the tables of this kind that have rows."""
        result = self.make(view)
        tables = [result] if isinstance(result, Table) else result
        if self.names_only_ranker:
            tables = [without_only_ranker(table) for table in tables]
        return [table for table in tables if table.rows]


# In the order of reports as text.
TABLE_KINDS = (
    TableKind("leaderboard", "leaderboards", leaderboards, names_only_ranker=True),
    TableKind("unified", "ranks", unified_ranks, names_only_ranker=True),
    TableKind("numbers", "size", number_tables, names_only_ranker=True),
    TableKind("set", "set", set_tables, in_latex=False),
    TableKind("chosen", "features", features_table, in_latex=False),
    TableKind("stability", "features", stability_table),
    TableKind("costs", "time", costs_table),
    TableKind("choices", "choices", choices_table),
    TableKind("failures", "failures", failures_table),
    TableKind("data", "data-sets", data_table),
)


def study_tables(view: StudyView) -> list[Table]:
    """Return every table that the results have something for, in the order of the report."""
    return [table for kind in TABLE_KINDS for table in kind.tables(view)]
