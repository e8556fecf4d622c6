"""Rows that the charts of a study are drawn from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.experiment import DataFacts, Outcome, Trace
from ranksieve.report.shared.clustering import clusters
from ranksieve.report.shared.heat_map import N_LEVELS, HeatMap
from ranksieve.report.shared.packing import Rows
from ranksieve.report.shared.similarity_facts import scaled_similarity
from ranksieve.report.study.names import (
    ALL_FEATURES,
    distinct,
    method_label,
    number_label,
    ranker_label,
    short_components,
)
from ranksieve.report.study.standings import sparsity_of
from ranksieve.report.study.view import StudyView

# More cells than a panel has room for would only make the page large.
_CELLS = 150
# Points of all traces together, and the most per trace.
_TRACE_POINTS, _POINTS_A_TRACE = 8_000, 100


def outcome_rows(view: StudyView) -> Rows:
    """Return a row for each outcome and measure: of the curves, then what validation chose.

    Fields `difference`, `worst` and `best` are the paired difference to the reference of the fewest
    features, and the ends of its interval; `reference` is its name, `fewest` marks these features.
    """
    facts = {standing.name: standing for standing in view.results.data}
    rows = [
        _outcome_row(outcome, facts[outcome.data], measure, ends, "curve")
        | _difference(view, outcome, measure)
        for outcome, measure, ends in view.curve_points
    ]
    for standing in view.standings:
        ends = (standing.mean, standing.low, standing.high)
        row = _outcome_row(
            standing.outcome, facts[standing.outcome.data], standing.measure, ends, "chosen"
        )
        rows.append(
            row
            | _difference(view, standing.outcome, standing.measure)
            | {"seconds": _seconds(standing.outcome)}
        )
    return rows


def _difference(view: StudyView, outcome: Outcome, measure: str) -> dict[str, object]:
    answer = view.smallest.get((outcome.data, measure))
    beside = view.beside_reference.get((id(outcome), measure))
    fewest = bool(answer and answer.fewest and answer.fewest.outcome is outcome)
    if beside is None:
        return {"difference": None, "worst": None, "best": None, "fewest": False, "reference": None}
    return {
        "difference": short(beside.difference, 4),
        "worst": short(beside.difference_low, 4),
        "best": short(beside.difference_high, 4),
        "fewest": fewest,
        "reference": answer.reference.outcome.name if answer else None,
    }


def _outcome_row(
    outcome: Outcome,
    facts: DataFacts,
    measure: str,
    ends: tuple[float, float, float],
    kind: str,
) -> dict[str, object]:
    mean, low, high = ends
    return {
        **_about(outcome),
        "measure": measure,
        "kind": kind,
        "wanted": number_label(outcome.number) if outcome.method != ALL_FEATURES else ALL_FEATURES,
        "features": float(outcome.n_features.mean()),
        "sparsity": short(sparsity_of(outcome, facts), 4),
        "mean": mean if np.isfinite(mean) else None,
        "low": short(low),
        "high": short(high),
        "seconds": None,
    }


def _about(outcome: Outcome) -> dict[str, object]:
    return {
        "data": outcome.data,
        "ranker": ranker_label(outcome),
        "method": method_label(outcome),
    }


def _seconds(outcome: Outcome) -> float:
    times = [chosen.seconds + chosen.selection_seconds for chosen in outcome.folds]
    return float(np.mean(times))


def removal_rows(view: StudyView) -> Rows:
    """Return the share of removed features by fold, and by data set where there are three."""
    rows: Rows = []
    for facts in view.results.data:
        n_used = max(int(facts.used.sum()), 1)
        for outcome in view.outcomes(facts):
            if outcome.method == ALL_FEATURES:
                continue
            n_kept = [int(facts.used[chosen.features].sum()) for chosen in outcome.folds]
            removed = [1.0 - n / n_used for n in n_kept]
            several = len(view.results.data) > 1
            for chosen, share in zip(outcome.folds, removed, strict=True):
                branch = f"{facts.name} {chosen.fold}" if several else chosen.fold
                rows.append(_about(outcome) | _branch("folds", branch, share))
            rows.append(_about(outcome) | _branch("data sets", facts.name, float(np.mean(removed))))
    levels = ("data sets", "folds") if len(view.results.data) >= 3 else ("folds",)
    drawn_rows = [row for level in levels for row in rows if row["level"] == level]
    order = {branch: index for index, branch in enumerate(row["branch"] for row in drawn_rows)}
    return [row | {"order": order[row["branch"]]} for row in drawn_rows]


def _branch(level: str, branch: str, removed: float) -> dict[str, object]:
    return {"level": level, "branch": branch, "removed": removed}


def importance_rows(view: StudyView) -> Rows:
    """Return features from the best mean importance over folds to the worst."""
    rows: Rows = []
    names = _short_names(view.results.importance)
    for facts in view.results.data:
        for component, scores in view.results.importance.get(facts.name, {}).items():
            means = scores.mean(axis=0)
            random = _random_order(view, facts, component, means)
            for rank, feature in enumerate(np.argsort(-means, kind="stable").tolist(), start=1):
                rows.append(
                    {
                        "data": facts.name,
                        "component": names[component],
                        "text": component,
                        "feature": facts.feature_names[feature],
                        "rank": rank,
                        "score": float(means[feature]),
                        "random": 0.0 if random is None else random,
                        "note": "" if random is None else "random order",
                        "low": short(scores[:, feature].min()),
                        "high": short(scores[:, feature].max()),
                    }
                )
    return rows


def _random_order(
    view: StudyView, facts: DataFacts, component: str, means: NDArray[np.float64]
) -> float | None:
    """Return what a random order scores: as stored, or else what features score that order nothing.

    None for a store of an older version, if every feature orders some documents.
    """
    stored = view.results.random_orders.get(facts.name, {}).get(component)
    if stored is not None:
        return short(stored)
    idle = ~facts.used
    for matrix in view.results.similarity.get(facts.name, {}).values():
        idle = idle | (np.diag(matrix) == 0)
    return short(float(means[idle].mean())) if idle.any() else None


def _short_names(components: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Return short names of the components of all data sets."""
    return short_components(distinct(text for of_data in components.values() for text in of_data))


def similarity_rows(view: StudyView) -> Rows:
    """Return cells of the similarity of features, with alike ones adjacent.

    Values have steps of a hundredth of their range. Beyond 150 features, a cell is the mean over
    neighbours.
    """
    rows: Rows = []
    short_names = _short_names(view.results.similarity)
    for facts in view.results.data:
        for component, matrix in view.results.similarity.get(facts.name, {}).items():
            cells, names = _heat_map(matrix, facts.feature_names)
            low, high = cells.range
            values = low + (high - low) * cells.levels / (N_LEVELS - 1)
            about = {"data": facts.name, "component": short_names[component]}
            rows += [
                about | {"a": names[i], "b": names[j], "i": i, "j": j, "similarity": short(value)}
                for (i, j), value in np.ndenumerate(values)
            ]
    return rows


def _heat_map(
    matrix: NDArray[np.float64], feature_names: tuple[str, ...]
) -> tuple[HeatMap, list[str]]:
    ordering = np.flatnonzero(np.diag(matrix) > 0)
    scaled = scaled_similarity(np.nan_to_num(matrix))
    order, _ = clusters(scaled, ordering, 1.0)
    cells = HeatMap.of_order(scaled, order, (-1.0, 1.0), _CELLS)
    return cells, cells.cell_names([feature_names[feature] for feature in order])


def selection_rows(view: StudyView) -> Rows:
    """Return a row for each feature that a fold chose, with its place in the order."""
    rows: Rows = []
    for facts in view.results.data:
        for outcome in view.outcomes(facts):
            if outcome.method == ALL_FEATURES:
                continue
            rows += [
                _about(outcome)
                | {
                    "fold": chosen.fold,
                    "feature": facts.feature_names[feature],
                    "place": position,
                    "share": short((position - 1) / max(len(chosen.features) - 1, 1), 2),
                }
                for chosen in outcome.folds
                for position, feature in enumerate(chosen.features.tolist(), start=1)
            ]
    return rows


def trace_rows(view: StudyView) -> Rows:
    """Return how objectives and gaps fell: at most about 8,000 points over all traces.

    The best objective is the least one of the same component on the same fold. What is 0 has no
    place on a logarithmic scale and is left out.
    """
    traces = view.results.traces
    labels = short_components(distinct(trace.component for trace in traces))
    most = max(min(_POINTS_A_TRACE, _TRACE_POINTS // max(len(traces), 1)), 5)
    best: dict[tuple[str, str, str], float] = {}
    for trace in traces:
        key = (trace.data, trace.fold, trace.component)
        best[key] = min(best.get(key, np.inf), float(np.nanmin(trace.objectives)))
    return [
        row | {"label": labels[trace.component]}
        for trace in traces
        for row in _points(trace, best[trace.data, trace.fold, trace.component], most)
    ]


def _points(trace: Trace, best: float, most: int) -> Rows:
    n = len(trace.objectives)
    # As many at the start as at the end on a logarithmic scale, where most happens.
    steps = np.unique(np.round(np.geomspace(1, n, min(n, most))).astype(int) - 1)
    return [
        {
            "data": trace.data,
            "fold": trace.fold,
            "component": trace.component,
            "step": int(step) + 1,
            "second": _positive(trace.seconds[step]),
            "excess": _positive(trace.objectives[step] - best),
            "gap": _positive(trace.gaps[step]) if step < len(trace.gaps) else None,
        }
        for step in steps
    ]


def _positive(value: float) -> float | None:
    return short(value, 4) if np.isfinite(value) and value > 0 else None


def short(value: float, digits: int = 6) -> float | None:
    """Return a number for a place in a picture: as many digits as can be seen."""
    return float(f"{value:.{digits}g}") if np.isfinite(value) else None
