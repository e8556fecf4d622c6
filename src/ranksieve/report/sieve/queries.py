"""The queries that lose most, by name."""

from __future__ import annotations

from ranksieve.report.shared.markup import Markup, tag
from ranksieve.report.shared.words import counted
from ranksieve.report.sieve.cells import heading, name_text, number_cell, sortable
from ranksieve.report.sieve.query_plot import SAME
from ranksieve.report.sieve.view import SieveView

_LISTED = 20


def query_table(view: SieveView) -> Markup:
    """Return the queries that lose most; how many more lose stands below it."""
    losing = [query for query in view.result.queries if query.change < -SAME]
    if not losing:
        return tag("p", "No query loses.")
    rows = [
        tag(
            "tr",
            tag("th", name_text(query.query), scope="row", class_="name"),
            number_cell(f"{query.n_documents:,}", query.n_documents),
            number_cell(f"{query.everything:.4f}", query.everything),
            number_cell(f"{query.chosen:.4f}", query.chosen),
            number_cell(f"{query.change:+.4f}", query.change),
        )
        for query in losing[:_LISTED]
    ]
    headings = [
        heading("query"),
        heading("documents", number=True),
        heading("all features", number=True),
        heading("chosen", number=True),
        heading("change", number=True, sort="ascending"),
    ]
    n_more = len(losing) - _LISTED
    more = f"{counted(n_more, 'more query loses', 'more queries lose')} less; sieve.json has all."
    return Markup.joined(
        sortable(headings, rows, "queries that lose most"),
        tag("p", more, class_="soft") if n_more > 0 else Markup(),
    )
