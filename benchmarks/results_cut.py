"""One model per fold, cut to each number of features: how the FSMRank paper draws its curves.

The curves of `Results` have the model that validation chose for each number. Here it is the model
that validation chose with all features that it keeps, with its k largest weights.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.results_stores import Stored
from ranksieve.experiment import ALL, Outcome, Store, Study
from ranksieve.experiment.plan import plan_of
from ranksieve.experiment.store.schema import unpacked
from ranksieve.experiment.trials import EMBEDDED, Job


def cut_curve(stored: Stored, study: str, method: str, data: str) -> dict[int, Outcome]:
    """The curve of an embedded method's own weights; empty where the store is not at hand.

    Every point has the folds' settings of the point with all features.
    """
    results = stored.studies.get(study)
    if results is None or study not in stored.places:
        return {}
    key = (data, method, "weights", ALL)
    outcomes = [o for o in results.curves if (o.data, o.method, o.variant, o.number) == key]
    if not outcomes:
        return {}
    path, index = stored.places[study]
    rows = _rows(path, index, outcomes[0])
    numbers = sorted(set.intersection(*(set(of_fold) for of_fold in rows)))
    return {number: _joined(outcomes[0], [of[number] for of in rows], number) for number in numbers}


def _rows(path: Path, index: int, model: Outcome) -> list[dict[int, dict[str, Any]]]:
    """For each fold of an outcome, number of features to the row of the model cut to it."""
    with Store(path, only_read=True) as store:
        content = store.studies()[index]
        version = content["versions"].get("ranksieve")
        plan = plan_of(Study.from_json(content["spec"]), tuple(content["folds"]), version=version)
        jobs = {
            (job.data, job.fold): job
            for job in plan.jobs
            if (job.kind, job.method.label) == (EMBEDDED, model.method)
        }
        return [
            _rows_of_fold(store, jobs[model.data, chosen.fold], chosen.selector)
            for chosen in model.folds
        ]


def _rows_of_fold(store: Store, job: Job, setting: str) -> dict[int, dict[str, Any]]:
    keys = {job.trial("weights", setting, number, "").key: number for number in job.numbers}
    return {
        keys[row["key"]]: row
        for row in store.rows(job.fingerprint)
        if row["key"] in keys and row["error"] is None
    }


def _joined(model: Outcome, rows: list[dict[str, Any]], number: int) -> Outcome:
    """An outcome with the queries of the whole model, and the folds' features and values."""
    tests = [unpacked(row["test"]) for row in rows]
    folds = tuple(
        replace(
            chosen,
            trial=row["id"],
            wanted=None if number == ALL else number,
            features=unpacked(row["chosen"]),
            weights=None,
            validation={},
        )
        for chosen, row in zip(model.folds, rows, strict=True)
    )
    values = {
        measure: np.concatenate([test[index] for test in tests])
        for index, measure in enumerate(model.values)
    }
    return replace(model, number=number, folds=folds, values=values)
