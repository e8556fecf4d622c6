"""FS-SCPR in front of other rankers than its paper's: the study `fsscpr-rankers`."""

from __future__ import annotations

from benchmarks.published_tables import DATA
from benchmarks.results_field import (
    LEVEL,
    FieldTable,
    difference_cells,
    field_table,
    outcome_cells,
)
from benchmarks.results_markdown import table
from benchmarks.results_stores import Stored

STUDY = "fsscpr-rankers"
RANKERS = ("RankSVM", "AdaRank-MAP", "RankBoost", "LightGBM")
HEAD = ["*data", "*ranker", "*features by", "features", "MAP", "NDCG@10", "difference", "95 %", "p"]


def scpr_section(stored: Stored) -> list[str]:
    """The section of the page."""
    tables = [
        each
        for data in DATA
        for ranker in RANKERS
        if (each := field_table(stored, data, ranker, study=STUDY)) is not None
    ]
    head = ["## FS-SCPR with other rankers", ""]
    if not tables:
        return [*head, f"The study `{STUDY}` is not stored.", ""]
    return [
        *head,
        "The paper trains RankSVM on what FS-SCPR selects and leaves other rankers open. "
        "*Difference* is in MAP, to the same ranker with all features: mean over queries, with its "
        "95 % interval by Student's t, and p by the paired t-test, two-sided, by Holm's method "
        "over the lines of a ranker and data set.",
        "",
        _summary(tables),
        "",
        *table(HEAD, [row for each in tables for row in _rows(each)]),
    ]


def _summary(tables: list[FieldTable]) -> str:
    ours = [m for t in tables for m in t.methods if m.outcome.method == "FS-SCPR"]
    better = sum(m.p_value <= LEVEL and m.difference > 0 for m in ours)
    worse = sum(m.p_value <= LEVEL and m.difference < 0 for m in ours)
    numbers = [m.n_features for m in ours]
    return (
        f"FS-SCPR, as printed, in front of {len(RANKERS)} rankers on {len(DATA)} data sets: "
        f"{better} of {len(ours)} lines are significantly better than all features and {worse} "
        f"worse; the differences go from {min(m.difference for m in ours):+.4f} to "
        f"{max(m.difference for m in ours):+.4f}, with {min(numbers):.1f} to {max(numbers):.1f} "
        "features."
    )


def _rows(each: FieldTable) -> list[list[str]]:
    methods = sorted(each.methods, key=lambda method: method.outcome.method)
    return [
        [each.data, each.ranker, "all features", *outcome_cells(each.reference), "", "", ""],
        *(
            ["", "", m.outcome.method, *outcome_cells(m.outcome), *difference_cells(m)]
            for m in methods
        ),
    ]
