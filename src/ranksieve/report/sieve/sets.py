"""The sets of the ladder as a table."""

from __future__ import annotations

from ranksieve.report.shared.markup import Markup, tag
from ranksieve.report.shared.words import counted
from ranksieve.report.sieve.cells import heading, name_text, number_cell, sortable
from ranksieve.report.sieve.view import SieveView, cost_text

# Longer lists of names are folded.
_UNFOLDED = 4
_STATE_WORDS = {"supported": "● supported", "open": "◇ not supported", "sampled": "○ sample"}


def ladder_table(view: SieveView) -> Markup:
    """Return a row for each set, from all features down, with what is dropped at each step."""
    priced = view.result.priced
    headings = [
        heading("features", number=True),
        *([heading("cost", number=True)] if priced else []),
        heading(view.result.measure, number=True),
        heading("change", number=True, title=f"In {view.unit_words}"),
        heading("interval", number=True),
        heading("evidence"),
        *([heading("frontier")] if priced else []),
        tag("th", "dropped at this step", scope="col", class_="members"),
    ]
    rows = [_row(view, position) for position in range(len(view.result.ladder))]
    return sortable(headings, rows, "sets of the ladder")


def _row(view: SieveView, position: int) -> Markup:
    result = view.result
    ladder_set, change = result.ladder[position], view.set_change(position)
    is_choice = position == result.choice
    mark = tag("strong", ", choice") if is_choice else Markup()
    cells = [
        tag("td", f"{ladder_set.n_features:,}", class_="number", data_value=ladder_set.n_features),
        *([number_cell(cost_text(ladder_set.price), ladder_set.price)] if result.priced else []),
        number_cell(f"{ladder_set.mean:.4f}", ladder_set.mean),
        number_cell(view.signed(change.mean) if position else "-", change.mean),
        number_cell(view.between(change) if position else "-", change.low),
        tag("td", _evidence(view, position), mark, class_="evidence"),
    ]
    if result.priced:
        cells.append(tag("td", "frontier" if position in result.frontier else ""))
    cells.append(tag("td", _names(view.removed(position)), class_="members"))
    return tag("tr", *cells, class_="chosen" if is_choice else None)


def _evidence(view: SieveView, position: int) -> str:
    if position == 0:
        return "all that vary"
    words = _STATE_WORDS[view.state(position)]
    certificate = view.result.certificate
    test = certificate.test_of(position) if certificate else None
    if certificate is None or test is None:
        return words
    if certificate.reopened:
        return f"{words}, ■ opened before"
    return f"{words}, {'■ certified' if test.proven else '□ not certified'}"


def _names(names: tuple[str, ...]) -> Markup:
    parts = [part for name in names for part in (name_text(name), Markup(", "))][:-1]
    listed = Markup.joined(*parts)
    if len(names) <= _UNFOLDED:
        return listed
    return tag("details", tag("summary", counted(len(names), "feature")), listed)
