"""The tables of a study as text: Markdown, LaTeX and CSV."""

from __future__ import annotations

from typing import Any

from ranksieve.experiment import Results
from ranksieve.report.shared.text import csv_text, latex_table, markdown_table, markdown_text
from ranksieve.report.study.summary import CAUTION, summary_sentences
from ranksieve.report.study.tables.registry import TABLE_KINDS, study_tables
from ranksieve.report.study.view import StudyView


def study_markdown(results: Results, **options: Any) -> str:
    """Return all tables as GitHub's Markdown, with the command and the conventions.

    Options are those of `study_page`.
    """
    view = StudyView.of(results, **options)
    tables = [markdown_table(table) for table in study_tables(view)]
    versions = ", ".join(f"{name} {version}" for name, version in results.versions.items())
    # In a line that starts with four spaces, nothing is markup.
    command = [f"    {line}" for line in results.command.splitlines()]
    origin = [
        "### How this was made",
        "",
        *command,
        "",
        *([f"Versions: {markdown_text(versions)}.", ""] if versions else []),
        *(f"- {markdown_text(sentence)}" for sentence in results.conventions),
    ]
    return "\n".join([f"# {markdown_text(view.title)}", "", *_short(view), *tables, *origin, ""])


def _short(view: StudyView) -> list[str]:
    """Return what the first measure says about each data set, and how far to trust it."""
    lines = ["### In short", ""]
    for facts in view.results.data:
        words = "".join(summary_sentences(view, facts, view.measures[0]))
        if words:
            head = markdown_text(f"{facts.name}, {view.measures[0]}.")
            lines += [f"**{head}** {markdown_text(words)}", ""]
    return [*lines, CAUTION, ""]


def study_latex(results: Results, **options: Any) -> str:
    """Return tables for LaTeX, which need the packages booktabs, graphicx and longtable.

    Names of the chosen features, which are lists and no cells, are left out. Options are those of
    `study_page`.
    """
    view = StudyView.of(results, **options)
    head = "% Needs \\usepackage{booktabs,graphicx,longtable}.\n"
    tables = [table for kind in TABLE_KINDS if kind.in_latex for table in kind.tables(view)]
    return "\n".join([head, *(latex_table(table) for table in tables)])


def study_csv(results: Results, **options: Any) -> str:
    """Return all tables as one CSV: a line for each value, unrounded.

    Options are those of `study_page`.
    """
    return csv_text(study_tables(StudyView.of(results, **options)))
