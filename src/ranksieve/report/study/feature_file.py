"""The features of a row of a report, as a file that `select` and `train` read."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ranksieve.catalog import suggestion
from ranksieve.errors import DataError, ParameterError
from ranksieve.experiment import ALL, DataFacts, Outcome, Results
from ranksieve.report.shared.words import listed
from ranksieve.report.study.names import distinct, number_label
from ranksieve.report.study.view import StudyView


class FoldCount(NamedTuple):
    """How often folds chose a feature, and how early."""

    feature: int
    n_folds: int
    position: float


def by_folds(outcome: Outcome) -> list[FoldCount]:
    """Return the features that some fold chose, from the most often chosen on.

    Among equally often chosen ones, those with the lower mean position in the folds' orders stand
    first, then those of lower index.
    """
    positions: dict[int, list[int]] = {}
    for chosen in outcome.folds:
        for position, feature in enumerate(chosen.features.tolist()):
            positions.setdefault(feature, []).append(position)
    counts = [
        FoldCount(feature, len(each), float(np.mean(each))) for feature, each in positions.items()
    ]
    return sorted(counts, key=lambda entry: (-entry.n_folds, entry.position, entry.feature))


def study_features(
    results: Results,
    *,
    row: str | None = None,
    number: int | str | None = None,
    data: str | None = None,
    **options: Any,
) -> dict[str, Any]:
    """Return the features of a row, in the format of `ranksieve select --out`.

    Folds choose features of their own. Of k features per fold, on average and rounded, the k that
    most folds chose are selected; among equally often chosen ones, those that come earlier in
    the folds' orders. With one fold these are its own.

    Parameters
    ----------
    results : Results
    row : str, optional
        A method with its ranker as in the tables, "GAS + RankSVM", or a method that has one row.
        By default the row of the summary: the fewest features that lose little, by the first
        measure.
    number : int or "all", optional
        Of the table by number of features: how many were requested. By default the row of the
        leaderboard, whose number validation chose.
    data : str, optional; needed where the study has several data sets
    options : of `study_page`, such as `margin`
    """
    view = StudyView.of(results, **options)
    facts = _facts(results, data)
    if row is None and number is not None:
        raise ParameterError("a number of features needs the row it is of, such as 'GAS + RankSVM'")
    outcome = _smallest(view, facts) if row is None else _row(view, facts, row, number)
    return _content(outcome, facts, results, view.measures[0])


def _facts(results: Results, data: str | None) -> DataFacts:
    names = [facts.name for facts in results.data]
    if data is None and len(names) == 1:
        return results.data[0]
    if data is None:
        raise ParameterError(
            f"the study has {len(names)} data sets, so name one with data= (--data on the command "
            f"line): {_all(names)}."
        )
    if data not in names:
        raise ParameterError(
            f"the study has no data set {data!r}{suggestion(data, names)} It has: {_all(names)}."
        )
    return results.data[names.index(data)]


def _smallest(view: StudyView, facts: DataFacts) -> Outcome:
    """Return the fewest features of the summary."""
    summary = view.smallest.get((facts.name, view.measures[0]))
    if summary is not None and summary.fewest is not None:
        return summary.fewest.outcome
    nearest = None if summary is None else summary.nearest
    if nearest is None:
        raise DataError(
            f"no result on {facts.name} has fewer features than the reference, so there is no "
            "smallest set. Name the row whose features to take."
        )
    raise DataError(
        f"on {facts.name} no set is shown to lose less than {view.margin:g}, so there is no "
        f"smallest one. The nearest is {nearest.outcome.name!r} with "
        f"{number_label(nearest.outcome.number)}, which may lose {-nearest.difference_low:.4f}: "
        "allow a larger margin, or name the row whose features to take."
    )


def _row(view: StudyView, facts: DataFacts, row: str, number: int | str | None) -> Outcome:
    requested = ALL if number == "all" else number
    rows = view.outcomes(facts) if requested is None else view.curves(facts)
    same = [outcome for outcome in rows if outcome.name == row] or [
        outcome for outcome in rows if outcome.method == row
    ]
    names = distinct(outcome.name for outcome in same)
    if not same:
        existing = distinct(outcome.name for outcome in rows)
        raise ParameterError(
            f"{facts.name} has no row {row!r}{suggestion(row, existing)} It has: {_all(existing)}."
        )
    if len(names) > 1:
        raise ParameterError(f"{row!r} has several rows: name one of {_all(names)}.")
    numbered = [outcome for outcome in same if outcome.number == requested]
    if not numbered:
        numbers = ("all" if outcome.number == ALL else str(outcome.number) for outcome in same)
        raise ParameterError(
            f"{names[0]} was not tried with {number} features, but with {', '.join(numbers)}."
        )
    return numbered[0]


def _all(names: Any) -> str:
    return listed([repr(name) for name in names], 40)


def _content(outcome: Outcome, facts: DataFacts, results: Results, measure: str) -> dict[str, Any]:
    counts = by_folds(outcome)
    # Half a feature more is rounded up.
    n_selected = int(np.floor(outcome.n_features.mean() + 0.5))
    if n_selected == 0:
        raise DataError(f"{outcome.name} keeps no feature on {facts.name}: name another row.")
    return {
        "format": "ranksieve-features",
        "format_version": 1,
        "ranksieve": results.versions.get("ranksieve"),
        "method": outcome.name,
        "data": {
            "source": facts.name,
            "fingerprints": list(facts.fingerprints),
            "features": len(facts.feature_names),
        },
        "selected": [facts.feature_names[entry.feature] for entry in counts[:n_selected]],
        "order": [
            {
                "feature": facts.feature_names[entry.feature],
                "index": entry.feature,
                "folds": entry.n_folds,
                "mean_position": entry.position,
            }
            for entry in counts
        ],
        "row": {
            "number": number_label(outcome.number),
            "measure": measure,
            "mean": outcome.mean(measure),
            "mean_features": float(outcome.n_features.mean()),
            "folds": [
                {"fold": chosen.fold, "selector": chosen.selector, "ranker": chosen.ranker}
                for chosen in outcome.folds
            ],
        },
    }
