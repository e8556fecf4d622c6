"""The last table of `compare`: what validation chose, beside all features."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ranksieve.cli._difference import signed
from ranksieve.cli._output import console, number, print_table

if TYPE_CHECKING:
    from ranksieve.experiment import DataFacts, Outcome, Results

# Results in a table beyond which a report is the better place.
_SHOWN = 40


@dataclass(frozen=True, eq=False)
class Beside:
    """An outcome beside all features with the same ranker, by the first measure.

    Attributes
    ----------
    outcome : Outcome
    reference : str, the outcome that it is compared with; "" where there is none
    difference, low, high : float
        The difference of the means, and the ends of its paired 95 % interval; NaN where there is
        no reference.
    n_full : int, folds in which validation kept every feature; 0 for all features themselves
    """

    outcome: Outcome
    reference: str
    difference: float
    low: float
    high: float
    n_full: int

    @property
    def note(self) -> str:
        """What the table says besides: where nothing was left out."""
        n_folds = len(self.outcome.folds)
        if self.n_full == 0:
            return ""
        where = "" if self.n_full == n_folds else f" in {self.n_full} of {n_folds} folds"
        return f"validation kept everything{where}"


def beside_all_features(results: Results, facts: DataFacts) -> list[Beside]:
    """Return what validation chose on a data set, from the best mean on.

    Models with weights of their own stand beside the first ranker with all features. Intervals
    are those of the report: bootstrap over test queries, moved to the mean over folds.
    """
    from ranksieve.report.study.differences import with_intervals
    from ranksieve.report.study.names import ALL_FEATURES
    from ranksieve.report.study.standings import Standing, reference_rule

    measure = results.measures[0]
    points = [
        Standing(outcome, measure, outcome.mean(measure), math.nan, math.nan, math.nan)
        for outcome in results.chosen
        if outcome.data == facts.name
    ]
    compared = points
    if any(point.outcome.method == ALL_FEATURES for point in points):
        reference_of = reference_rule(points, ALL_FEATURES)
        references = [reference_of(point.outcome) for point in points]
        compared = with_intervals(points, references)
        names = ["" if a is b else b.outcome.name for a, b in zip(points, references, strict=True)]
    else:
        names = [""] * len(points)
    rows = [
        Beside(
            point.outcome,
            name,
            point.difference,
            point.difference_low,
            point.difference_high,
            0 if point.outcome.method == ALL_FEATURES else _full_folds(point.outcome, facts),
        )
        for point, name in zip(compared, names, strict=True)
    ]
    return sorted(rows, key=lambda row: -row.outcome.mean(measure))


def _full_folds(outcome: Outcome, facts: DataFacts) -> int:
    return int((outcome.n_features == len(facts.feature_names)).sum())


def print_data(results: Results, facts: DataFacts) -> None:
    """Print a data set's table: each method with its mean, and what it gains or loses."""
    from rich.table import Table

    measures = results.measures[:3]
    rows = beside_all_features(results, facts)
    compares = any(row.reference for row in rows)
    table = Table(box=None)
    table.add_column("method")
    heads = ["features", *measures]
    for head in (*heads, "difference", "95 % interval") if compares else heads:
        table.add_column(head, justify="right")
    table.add_column("")
    for row in rows[:_SHOWN]:
        means = [number(row.outcome.mean(measure)) for measure in measures]
        cells = [row.outcome.name, f"{row.outcome.n_features.mean():.1f}", *means]
        table.add_row(*cells, *(_difference(row) if compares else ()), row.note)
    console().print(facts.name, style="bold")
    print_table(table)
    if len(rows) > _SHOWN:
        console().print(f"and {len(rows) - _SHOWN} more, in the report")
    if compares:
        console().print(_words(results.measures[0], rows), style="dim")
    console().print("")


def _difference(row: Beside) -> tuple[str, str]:
    if not row.reference:
        return "", ""
    return signed(row.difference), f"{signed(row.low)} to {signed(row.high)}"


def _words(measure: str, rows: list[Beside]) -> str:
    references = [row.reference for row in rows if row.reference and not row.outcome.ranker]
    of_models = ""
    if references:
        of_models = f"; of models that rank by their own weights, to {references[0]}"
    return (
        f"difference: by {measure}, to all features with the same ranker{of_models}. Interval: "
        "bootstrap over test queries, paired. One that holds 0 is no proof that nothing is lost."
    )


def beside_summary(row: Beside, measure: str) -> dict[str, Any]:
    """Return the difference to all features for JSON; nothing where there is none."""
    full = {} if row.n_full == 0 else {"folds_that_kept_everything": row.n_full}
    if not row.reference:
        return full
    return {
        "difference": {
            "measure": measure,
            "reference": row.reference,
            "mean": row.difference,
            "low": row.low,
            "high": row.high,
            "level": 0.95,
        },
        **full,
    }
