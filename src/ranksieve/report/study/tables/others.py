"""Tables of stability, costs, choices, failures and data."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ranksieve.evaluate import jaccard_stability, nogueira_stability
from ranksieve.experiment import Chosen, DataFacts, Outcome
from ranksieve.report.shared.table import (
    Column,
    Row,
    Table,
    Value,
    between,
    count,
    fixed,
    megabytes,
    seconds,
)
from ranksieve.report.study.names import ALL_FEATURES, method_label, number_label, ranker_label
from ranksieve.report.study.view import StudyView


def stability_table(view: StudyView) -> Table:
    """Return how alike the sets of the folds are."""
    columns = (
        Column("data"),
        Column("method"),
        Column("ranker"),
        Column("folds", count),
        Column("features", count),
        Column("Nogueira", fixed(3)),
        Column("95 % interval", between, parts=("low", "high")),
        Column("Jaccard", fixed(3)),
    )
    rows = [
        _row(outcome, _agreement(outcome, facts))
        for facts in view.results.data
        for outcome in view.outcomes(facts)
        if outcome.method != ALL_FEATURES and len(outcome.folds) > 1
    ]
    notes = (
        "How alike the sets of the folds are. Nogueira's index is 1 for equal sets and about 0 for "
        "sets drawn at random from the used features, whatever their sizes; its interval is "
        "asymptotic, and folds that share queries make it too narrow. Jaccard's is "
        "the mean share of common features.",
    )
    return Table("stability", "Stability of the chosen features", columns, tuple(rows), notes)


def _agreement(outcome: Outcome, facts: DataFacts) -> tuple[Value, ...]:
    sets = _selected(outcome, len(facts.feature_names))
    # What is 0 everywhere is left out by all alike: counted, it would make random sets agree.
    index = nogueira_stability(sets[:, facts.used] if facts.used.any() else sets)
    return (
        len(sets),
        float(outcome.n_features.mean()),
        index.value,
        None if math.isnan(index.low) else (index.low, index.high),
        jaccard_stability(sets),
    )


def _selected(outcome: Outcome, n_features: int) -> NDArray[np.bool_]:
    sets = np.zeros((len(outcome.folds), n_features), dtype=bool)
    for row, chosen in zip(sets, outcome.folds, strict=True):
        row[chosen.features] = True
    return sets


def costs_table(view: StudyView) -> Table:
    """Return what selection and training took."""
    columns = (
        Column("data"),
        Column("method"),
        Column("ranker"),
        Column("selection, s", seconds),
        Column("training, s", seconds),
        Column("together, s", seconds),
        Column("peak memory, MB", megabytes),
    )
    rows = [_row(outcome, _cost(outcome.folds)) for outcome in view.results.chosen]
    notes = (
        "Seconds are means over folds, of the chosen setting alone; memory is the largest over "
        "folds, of the whole process while it trained.",
    )
    return Table("costs", "Time and memory", columns, tuple(rows), notes)


def _cost(folds: tuple[Chosen, ...]) -> tuple[Value, ...]:
    selection = float(np.mean([chosen.selection_seconds for chosen in folds]))
    training = float(np.mean([chosen.seconds for chosen in folds]))
    memory = [chosen.peak_memory for chosen in folds if chosen.peak_memory is not None]
    return selection, training, selection + training, max(memory, default=None)


def choices_table(view: StudyView) -> Table:
    """Return what each fold chose."""
    measure = view.results.measures[0]
    columns = (
        Column("data"),
        Column("method"),
        Column("ranker"),
        Column("fold"),
        Column("features", count),
        Column("selector's setting"),
        Column("ranker's setting"),
        Column(f"{measure} on validation", fixed(4)),
        Column("ended"),
        Column("trial", count),
    )
    rows = [
        _row(outcome, _choice(chosen, measure))
        for outcome in view.results.chosen
        for chosen in outcome.folds
    ]
    return Table("choices", "What each fold chose", columns, tuple(rows))


def _choice(chosen: Chosen, measure: str) -> tuple[Value, ...]:
    return (
        chosen.fold,
        len(chosen.features),
        chosen.selector or ALL_FEATURES,
        chosen.ranker or "-",
        chosen.validation.get(measure),
        _ending(chosen),
        chosen.trial,
    )


def _ending(chosen: Chosen) -> str:
    """Return in words how the fit ended."""
    ending = chosen.ending
    words = []
    if "converged" in ending:
        words.append("converged" if ending["converged"] else "not converged")
    if "n_iter" in ending:
        words.append(f"{ending['n_iter']} steps")
    if ending.get("warnings"):
        words.append("with warnings")
    return ", ".join(words) or "-"


def failures_table(view: StudyView) -> Table:
    """Return the trials that failed."""
    columns = (
        Column("data"),
        Column("method"),
        Column("ranker"),
        Column("fold"),
        Column("features"),
        Column("error"),
    )
    rows = [
        Row(
            (
                failure.data,
                failure.method,
                failure.ranker or "-",
                failure.fold,
                number_label(failure.number),
                failure.error,
            ),
            data=failure.data,
            method=failure.method,
            ranker=failure.ranker,
        )
        for failure in view.results.failures
    ]
    return Table("failures", "Trials that failed", columns, tuple(rows))


def data_table(view: StudyView) -> Table:
    """Return the folds of each data set, their sizes and fingerprints."""
    columns = (
        Column("data"),
        Column("fold"),
        Column("features", count),
        Column("used", count),
        Column("train queries", count),
        Column("vali queries", count),
        Column("test queries", count),
        Column("train documents", count),
        Column("vali documents", count),
        Column("test documents", count),
        Column("fingerprint"),
    )
    rows = [
        Row((facts.name, *_fold(facts, fold)), data=facts.name)
        for facts in view.results.data
        for fold in range(len(facts.folds))
    ]
    notes = ("Features are used unless they are 0 in every training document of every fold.",)
    return Table("data", "Data", columns, tuple(rows), notes)


def _fold(facts: DataFacts, fold: int) -> tuple[Value, ...]:
    return (
        facts.folds[fold],
        len(facts.feature_names),
        int(facts.used.sum()),
        *facts.n_queries[fold],
        *facts.n_documents[fold],
        facts.fingerprints[fold],
    )


def _row(outcome: Outcome, values: tuple[Value, ...]) -> Row:
    method, ranker = method_label(outcome), ranker_label(outcome)
    return Row(
        (outcome.data, method, ranker, *values), data=outcome.data, method=method, ranker=ranker
    )
