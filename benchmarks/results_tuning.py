"""Two ways to choose on validation, beside each other: all settings at once, or the ranker's first.

Both read the same trials. "Ranker first" chooses the ranker's setting with all features, and then,
with that, the selector's setting and the number of features.
"""

from __future__ import annotations

from benchmarks.published_tables import DATA, MAP, NDCG10, TABLES
from benchmarks.results_markdown import table
from benchmarks.results_stores import ALL_FEATURES, NAMES, Stored
from ranksieve.experiment import Outcome, Results

JOINT, RANKER_FIRST = "letor", "letor-ranker-first"
RANKER = "RankSVM"
MEASURES = (MAP, NDCG10)


def tuning_tables(stored: Stored) -> list[str]:
    """The section that shows both, a table a data set."""
    lines = [
        "## All settings at once, or the ranker's first",
        "",
        "Validation chooses the settings of selector and ranker and the number of features "
        "together everywhere else on this page. On OHSUMED it has 21 queries per fold, so that a "
        "fold may end with very few features. Here the ranker's setting is chosen with all "
        "features first, and then, with that, the selector's setting and the number of features. "
        "**This second way was found with test figures in view**, so it is shown beside the first "
        "and not in its place: its figures are no fair estimate.",
        "",
    ]
    joint, first = stored.studies.get(JOINT), stored.studies.get(RANKER_FIRST)
    if joint is None or first is None:
        missing = JOINT if joint is None else RANKER_FIRST
        return [*lines, f"Not in the stores: `ranksieve compare --config {missing}` makes it.", ""]
    for data in (facts.name for facts in joint.data):
        lines += _table(joint, first, data)
    return lines


def _table(joint: Results, first: Results, data: str) -> list[str]:
    names = ("MAP", "NDCG@10")
    head = [f"{name}, {way}" for name in names for way in ("published", "joint", "ranker first")]
    rows = [
        _row(outcome, other)
        for outcome in joint.chosen
        if outcome.data == data
        and _has_ranker(outcome)
        and (other := _same(first, outcome)) is not None
    ]
    if not rows:
        return [f"{data}: no method is stored with every fold.", ""]
    return [
        f"{data}, {RANKER}:",
        "",
        *table(["*method", *head, "features, joint", "features, ranker first"], rows),
    ]


def _has_ranker(outcome: Outcome) -> bool:
    return outcome.ranker == RANKER and outcome.method != ALL_FEATURES


def _same(results: Results, outcome: Outcome) -> Outcome | None:
    key = (outcome.data, outcome.method, outcome.variant, outcome.ranker)
    for each in results.chosen:
        if (each.data, each.method, each.variant, each.ranker) == key:
            return each
    return None


def _row(joint: Outcome, first: Outcome) -> list[str]:
    refit = ", refit" if joint.variant == "refit" else ""
    cells = [f"{joint.method}{refit}"]
    for measure in MEASURES:
        cells += [
            _published(joint, measure),
            f"{joint.mean(measure):.4f}",
            f"{first.mean(measure):.4f}",
        ]
    return [*cells, f"{joint.n_features.mean():.1f}", f"{first.n_features.mean():.1f}"]


def _published(outcome: Outcome, measure: str) -> str:
    """The published value of a line, where a paper has it."""
    names = [
        name
        for name, lines in NAMES.items()
        if any(
            (line.study, line.method, line.variant, line.ranker)
            == (JOINT, outcome.method, outcome.variant, outcome.ranker)
            for line in lines
        )
    ]
    if outcome.data not in DATA:
        return ""
    for each in TABLES:
        for name in names:
            if each.data == outcome.data and name in each.rows and measure in each.measures:
                return f"{each.value(name, measure):.4f}"
    return ""
