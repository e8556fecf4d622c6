"""The tables of an inspection's page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from ranksieve.report.inspection.collect import Inspection
from ranksieve.report.shared.markup import Markup, breakable, tag
from ranksieve.report.shared.words import counted, listed, percent, plain, shortened

_LEVELS = 12
_MEMBERS = 60


def query_table(inspection: Inspection) -> Markup:
    """Return documents per query, and what queries leave to learn from."""
    sizes, grades, n = inspection.queries, inspection.grades, inspection.n_queries
    rows = (
        ("Fewest documents", f"{sizes.least:,}", ""),
        ("Lower quartile", plain(sizes.lower_quartile), ""),
        ("Median", plain(sizes.median), ""),
        ("Upper quartile", plain(sizes.upper_quartile), ""),
        ("Most documents", f"{sizes.most:,}", ""),
        ("Queries with one document", f"{sizes.n_single:,}", percent(sizes.n_single, n)),
        (
            "Queries without a grade of 1 or more",
            f"{grades.n_without_relevant:,}",
            percent(grades.n_without_relevant, n),
        ),
        ("Queries with one grade only", f"{grades.n_one_grade:,}", percent(grades.n_one_grade, n)),
        (
            "Pairs with different grades",
            f"{grades.n_pairs:,}",
            percent(grades.n_pairs, grades.n_all_pairs),
        ),
    )
    body = [
        tag("tr", tag("th", name, scope="row"), _number(value), _number(share))
        for name, value, share in rows
        if value != "0"
    ]
    return tag("div", tag("h3", "Documents per query"), tag("table", tag("tbody", *body)))


def grade_table(inspection: Inspection) -> Markup:
    """Return documents of each grade; a summary where grades are many or fractional."""
    grades, n = inspection.grades, inspection.n_documents
    parts = [tag("h3", "Grades")]
    if not grades.levels or len(grades.levels) > _LEVELS:
        quartiles = (grades.lower_quartile, grades.median, grades.upper_quartile)
        parts.append(
            tag(
                "p",
                f"{grades.n_different:,} different grades from {plain(grades.least)} to "
                f"{plain(grades.most)}, mean {plain(grades.mean)}, quartiles "
                f"{', '.join(map(plain, quartiles))}.",
            )
        )
    if not grades.levels:
        return tag("div", *parts)
    most = max(grades.counts)
    frequent = sorted(np.argsort(-np.array(grades.counts), kind="stable")[:_LEVELS].tolist())
    if len(frequent) < len(grades.levels):
        parts.append(tag("p", f"The {_LEVELS} most frequent:"))
    body = [
        tag(
            "tr",
            _number(plain(grades.levels[level])),
            _number(f"{grades.counts[level]:,}"),
            _number(percent(grades.counts[level], n)),
            tag("td", _bar(grades.counts[level] / most)),
        )
        for level in frequent
    ]
    headings = [_heading(name, number=True) for name in ("grade", "documents", "share")]
    head = tag("thead", tag("tr", *headings, tag("th", aria_label="share as a bar")))
    return tag("div", *parts, tag("table", head, tag("tbody", *body)))


def block_table(inspection: Inspection) -> Markup:
    """Return the blocks of similar features, the largest first."""
    facts, scores = inspection.similarity, inspection.importance.scores
    if not facts.blocks:
        return tag("p", f"No two features have a similarity of {facts.cut:g} or more.")
    rows = []
    for index, block in enumerate(facts.blocks, start=1):
        remaining = sorted(
            (member for member in block.members if member != block.best),
            key=lambda member: -scores[member],
        )
        rows.append(
            tag(
                "tr",
                _number(str(index)),
                _number(str(len(block.members))),
                _number(f"{block.mean_similarity:.3f}"),
                _name(inspection, block.best),
                _number(f"{scores[block.best]:.4f}"),
                tag("td", breakable(_members(inspection, remaining)), class_="members"),
            )
        )
    headings = (
        _heading("block", number=True),
        _heading("size", number=True),
        _heading("similarity", number=True),
        _heading("best"),
        _heading("its score", number=True),
        tag("th", "others, best first", scope="col", class_="members"),
    )
    words = (
        f"{counted(len(facts.blocks), 'block')}, {counted(facts.n_in_blocks, 'feature')} of "
        f"{len(facts.order):,}. Mean similarity of two features of a block "
        f"{facts.mean_inside:.2f}, of two others {plain(round(facts.mean_between, 2))}."
    )
    return tag("div", tag("h3", "Blocks"), tag("p", words), _sortable(headings, rows))


def feature_table(inspection: Inspection) -> Markup:
    """Return one row per feature, from the highest score to the lowest."""
    facts, with_missing = inspection.features, bool(inspection.n_missing)
    headings = [
        _heading("rank", number=True, sort="ascending"),
        _heading("feature"),
        _heading("score", number=True),
        _heading("direction"),
        _heading("block", number=True),
        _heading("least", number=True),
        _heading("most", number=True),
        _heading("zeros", number=True),
        *([_heading("missing", number=True)] if with_missing else []),
        _heading("remarks"),
    ]
    blocks = inspection.similarity.block_of()
    rows = []
    for rank, feature in enumerate(inspection.importance.order.tolist(), start=1):
        block = int(blocks[feature]) + 1
        cells = [
            _number(str(rank)),
            _name(inspection, feature),
            _score(inspection, feature),
            _direction(inspection, feature),
            _number(str(block) if block else ""),
            _number(plain(facts.least[feature]), facts.least[feature]),
            _number(plain(facts.most[feature]), facts.most[feature]),
            _share(int(facts.n_zeros[feature]), inspection.n_documents),
        ]
        if with_missing and facts.n_missing is not None:
            cells.append(_share(int(facts.n_missing[feature]), inspection.n_documents))
        rows.append(
            tag("tr", *cells, tag("td", breakable(_remarks(inspection, feature)), class_="remarks"))
        )
    return _sortable(headings, rows)


def _score(inspection: Inspection, feature: int) -> Markup:
    facts = inspection.importance
    score = float(facts.scores[feature])
    largest_gain = facts.best - facts.random
    share = max(score - facts.random, 0.0) / largest_gain if largest_gain > 0 else 0.0
    bar = _bar(share if facts.directions[feature] else 0.0)
    return tag("td", f"{score:.4f}", bar, class_="number", data_value=repr(score))


def _direction(inspection: Inspection, feature: int) -> Markup:
    direction = int(inspection.importance.directions[feature])
    sign, words, kind = {
        1: ("▲", "high first", "high"),
        -1: ("▼", "low first", "low"),
        0: ("○", "orders nothing", None),
    }[direction]
    return tag("td", tag("span", sign, class_=kind), f" {words}", style="white-space:nowrap")


def _remarks(inspection: Inspection, feature: int) -> str:
    facts = inspection.features
    remarks = []
    if facts.n_missing is not None and facts.n_missing[feature] == inspection.n_documents:
        remarks.append("missing everywhere")
    if facts.constant[feature]:
        remarks.append("constant")
    elif facts.constant_in_queries[feature]:
        remarks.append("constant in each query")
        if inspection.permuted_across[feature]:
            remarks.append("permuted across queries")
    if facts.duplicate_of[feature] >= 0:
        first = inspection.feature_names[facts.duplicate_of[feature]]
        remarks.append(f"copy of {shortened(first, 60)}")
    return ", ".join(remarks)


def _members(inspection: Inspection, members: Sequence[int]) -> str:
    return listed([shortened(inspection.feature_names[member], 60) for member in members], _MEMBERS)


def _name(inspection: Inspection, feature: int) -> Markup:
    return tag("td", breakable(shortened(inspection.feature_names[feature], 200)), class_="name")


def _number(text: str, value: float | None = None) -> Markup:
    return tag(
        "td", text, class_="number", data_value=None if value is None else repr(float(value))
    )


def _share(part: int, total: int) -> Markup:
    return _number(percent(part, total) if part else "", part)


def _bar(share: float) -> Markup:
    return tag(
        "span", tag("i", style=f"width:{100 * share:.1f}%"), class_="bar", aria_hidden="true"
    )


def _heading(text: str, *, number: bool = False, sort: str | None = None) -> Markup:
    return tag("th", text, scope="col", class_="number" if number else None, aria_sort=sort)


def _sortable(headings: Iterable[Markup], rows: Iterable[Markup]) -> Markup:
    head = tag("thead", tag("tr", *headings))
    table = tag("table", head, tag("tbody", *rows), class_="sortable wide")
    return tag("div", table, class_="scroll", tabindex=0, role="region", aria_label="table")
