"""The tables of an inspection's page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from ranksieve.report.inspection.collect import Inspection
from ranksieve.report.shared.markup import Markup, breakable, tag
from ranksieve.report.shared.words import counted, listed, percent, plain, shortened

_LEVELS = 12
_MEMBERS = 60


def query_table(found: Inspection) -> Markup:
    """Return documents a query, and what queries leave to learn from."""
    sizes, grades, n = found.queries, found.grades, found.n_queries
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
    return tag("div", tag("h3", "Documents a query"), tag("table", tag("tbody", *body)))


def grade_table(found: Inspection) -> Markup:
    """Return documents of each grade; a summary where grades are many or fractional."""
    grades, n = found.grades, found.n_documents
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
    shown = sorted(np.argsort(-np.array(grades.counts), kind="stable")[:_LEVELS].tolist())
    if len(shown) < len(grades.levels):
        parts.append(tag("p", f"The {_LEVELS} most frequent:"))
    body = [
        tag(
            "tr",
            _number(plain(grades.levels[level])),
            _number(f"{grades.counts[level]:,}"),
            _number(percent(grades.counts[level], n)),
            tag("td", _bar(grades.counts[level] / most)),
        )
        for level in shown
    ]
    headings = [_heading(name, number=True) for name in ("grade", "documents", "share")]
    head = tag("thead", tag("tr", *headings, tag("th", aria_label="share as a bar")))
    return tag("div", *parts, tag("table", head, tag("tbody", *body)))


def block_table(found: Inspection) -> Markup:
    """Return the blocks of similar features, the largest first."""
    facts, scores = found.similarity, found.importance.scores
    if not facts.blocks:
        return tag("p", f"No two features have a similarity of {facts.cut:g} or more.")
    rows = []
    for index, block in enumerate(facts.blocks, start=1):
        others = sorted(
            (member for member in block.members if member != block.best),
            key=lambda member: -scores[member],
        )
        rows.append(
            tag(
                "tr",
                _number(str(index)),
                _number(str(len(block.members))),
                _number(f"{block.mean_similarity:.3f}"),
                _name(found, block.best),
                _number(f"{scores[block.best]:.4f}"),
                tag("td", breakable(_members(found, others)), class_="members"),
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


def feature_table(found: Inspection) -> Markup:
    """Return one row a feature, from the highest score to the lowest."""
    facts, with_missing = found.features, bool(found.n_missing)
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
    blocks = found.similarity.block_of()
    rows = []
    for rank, feature in enumerate(found.importance.order.tolist(), start=1):
        block = int(blocks[feature]) + 1
        cells = [
            _number(str(rank)),
            _name(found, feature),
            _score(found, feature),
            _direction(found, feature),
            _number(str(block) if block else ""),
            _number(plain(facts.least[feature]), facts.least[feature]),
            _number(plain(facts.most[feature]), facts.most[feature]),
            _share(int(facts.n_zeros[feature]), found.n_documents),
        ]
        if with_missing and facts.n_missing is not None:
            cells.append(_share(int(facts.n_missing[feature]), found.n_documents))
        rows.append(
            tag("tr", *cells, tag("td", breakable(_remarks(found, feature)), class_="remarks"))
        )
    return _sortable(headings, rows)


def _score(found: Inspection, feature: int) -> Markup:
    facts = found.importance
    score = float(facts.scores[feature])
    whole = facts.best - facts.random
    share = max(score - facts.random, 0.0) / whole if whole > 0 else 0.0
    bar = _bar(share if facts.directions[feature] else 0.0)
    return tag("td", f"{score:.4f}", bar, class_="number", data_value=repr(score))


def _direction(found: Inspection, feature: int) -> Markup:
    direction = int(found.importance.directions[feature])
    sign, words, kind = {
        1: ("▲", "high first", "high"),
        -1: ("▼", "low first", "low"),
        0: ("○", "orders nothing", None),
    }[direction]
    return tag("td", tag("span", sign, class_=kind), f" {words}", style="white-space:nowrap")


def _remarks(found: Inspection, feature: int) -> str:
    facts = found.features
    remarks = []
    if facts.n_missing is not None and facts.n_missing[feature] == found.n_documents:
        remarks.append("missing everywhere")
    if facts.constant[feature]:
        remarks.append("constant")
    elif facts.constant_in_queries[feature]:
        remarks.append("constant in each query")
    if facts.duplicate_of[feature] >= 0:
        first = found.feature_names[facts.duplicate_of[feature]]
        remarks.append(f"copy of {shortened(first, 60)}")
    return ", ".join(remarks)


def _members(found: Inspection, members: Sequence[int]) -> str:
    return listed([shortened(found.feature_names[member], 60) for member in members], _MEMBERS)


def _name(found: Inspection, feature: int) -> Markup:
    return tag("td", breakable(shortened(found.feature_names[feature], 200)), class_="name")


def _number(text: str, value: float | None = None) -> Markup:
    return tag(
        "td", text, class_="number", data_value=None if value is None else repr(float(value))
    )


def _share(part: int, whole: int) -> Markup:
    return _number(percent(part, whole) if part else "", part)


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
