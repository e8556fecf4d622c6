"""The tables of a study as text: Markdown, LaTeX and CSV."""

from __future__ import annotations

from typing import Any

from ranksieve.experiment import Results
from ranksieve.report.study_formats import csv_text, latex_table, markdown_table, markdown_text
from ranksieve.report.study_tables import study_tables
from ranksieve.report.study_view import StudyView


def study_markdown(results: Results, **options: Any) -> str:
    """Return all tables as GitHub's Markdown, with the command and the conventions.

    Options are those of `study_page`.
    """
    view = StudyView.of(results, **options)
    tables = [markdown_table(table) for table in study_tables(view)]
    versions = ", ".join(f"{name} {version}" for name, version in results.versions.items())
    # In a line that starts with four spaces, nothing is markup.
    command = [f"    {line}" for line in results.command.splitlines()]
    made = [
        "### How this was made",
        "",
        *command,
        "",
        *([f"Versions: {markdown_text(versions)}.", ""] if versions else []),
        *(f"- {markdown_text(sentence)}" for sentence in results.conventions),
    ]
    return "\n".join([f"# {markdown_text(view.title)}", "", *tables, *made, ""])


def study_latex(results: Results, **options: Any) -> str:
    """Return all tables for LaTeX, which need the packages booktabs and graphicx.

    Options are those of `study_page`.
    """
    view = StudyView.of(results, **options)
    head = "% Needs \\usepackage{booktabs} and \\usepackage{graphicx}.\n"
    return "\n".join([head, *(latex_table(table) for table in study_tables(view))])


def study_csv(results: Results, **options: Any) -> str:
    """Return all tables as one CSV: a line a value, unrounded.

    Options are those of `study_page`.
    """
    return csv_text(study_tables(StudyView.of(results, **options)))
