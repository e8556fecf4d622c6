"""The numbers of a study for machines: what the page's tables were made from."""

from __future__ import annotations

import math
from typing import Any

from ranksieve.experiment import ALL, Outcome
from ranksieve.report.study.view import StudyView


def study_record(view: StudyView) -> dict[str, Any]:
    """Return the results as JSON takes them: unrounded means, without values of queries."""
    results, means = view.results, _means(view)
    return {
        "format": "ranksieve-study",
        "format_version": 1,
        "title": view.title,
        "command": results.command,
        "versions": dict(results.versions),
        "conventions": list(results.conventions),
        "measures": list(view.measures),
        "test": view.test.name,
        "alternative": view.test.alternative,
        "n_trials": results.n_trials,
        "data": [
            {
                "name": facts.name,
                "folds": list(facts.folds),
                "fingerprints": list(facts.fingerprints),
                "n_features": len(facts.feature_names),
                "n_used": int(facts.used.sum()),
            }
            for facts in results.data
        ],
        "chosen": [_outcome(outcome, means[id(outcome)]) for outcome in results.chosen],
        "curves": [_outcome(outcome, means[id(outcome)]) for outcome in results.curves],
    }


def _means(view: StudyView) -> dict[int, dict[str, float]]:
    """Return the means of each outcome by measure, by its identity."""
    means: dict[int, dict[str, float]] = {}
    for standing in view.standings:
        means.setdefault(id(standing.outcome), {})[standing.measure] = standing.mean
    for outcome, measure, (mean, _, _) in view.curve_points:
        means.setdefault(id(outcome), {})[measure] = mean
    return means


def _outcome(outcome: Outcome, means: dict[str, float]) -> dict[str, Any]:
    number: int | str | None = "all" if outcome.number == ALL else outcome.number
    return {
        "data": outcome.data,
        "method": outcome.method,
        "variant": outcome.variant,
        "ranker": outcome.ranker,
        "number": number,
        "n_features": outcome.n_features.tolist(),
        "means": {name: mean if math.isfinite(mean) else None for name, mean in means.items()},
    }
