"""The trial of each fold that validation chooses, and an outcome for each line of a table."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranksieve.experiment.folds import FoldFacts
from ranksieve.experiment.plan import Plan, plan_of
from ranksieve.experiment.results.outcomes import Chosen, Failure, Outcome
from ranksieve.experiment.results.shared import SharedSeconds
from ranksieve.experiment.store.schema import unpacked
from ranksieve.experiment.store.store import Store
from ranksieve.experiment.study import ALL, ALL_FEATURES, RANKER_FIRST, Study
from ranksieve.experiment.trials import PLAIN, Job
from ranksieve.measures import best_mean


@dataclass(frozen=True, eq=False)
class Candidate:
    """A finished trial of one fold: its row, its number of features, its validation means."""

    row: dict[str, Any]
    number: int
    n_features: int
    means: NDArray[np.float64] | None


def candidate(row: dict[str, Any], number: int) -> Candidate:
    """Return the candidate that a row of the store makes, with the number it was asked for."""
    stored = row["validation"]
    with np.errstate(all="ignore"):
        means = None if stored is None else _means(unpacked(stored))
    return Candidate(row, number, len(unpacked(row["chosen"])), means)


def _means(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean of each measure over the queries that count; NaN where none does."""
    counted = ~np.isnan(values)
    means: NDArray[np.float64] = np.where(counted, values, 0.0).sum(axis=1) / counted.sum(axis=1)
    return means


def best(candidates: Iterable[Candidate]) -> Candidate | None:
    """Return the candidate with the best mean of the first measure on validation.

    Among equals the one with fewer features, then the first. One without features is never
    taken. Without a validation part the only candidate is taken, and none where there are more.
    """
    usable = [each for each in candidates if each.n_features > 0]
    if not usable or any(each.means is None for each in usable):
        return usable[0] if len(usable) == 1 else None
    # NaN where no query counts: worse than any mean.
    means = [each.means[0] for each in usable]  # type: ignore[index]
    return usable[best_mean(means, [each.n_features for each in usable])]


Rows = Mapping[str, dict[str, Any]]


def tuned_plan(plan: Plan, store: Store, *, retry_failed: bool = False) -> Plan:
    """Return the plan with the rankers' settings fixed on the folds whose first stage is done.

    Parameters
    ----------
    plan : Plan
    store : where the trials with all features are looked up
    retry_failed : bool, whether one that ended with an error is still to be done
    """
    study = plan.study
    if study.tune != RANKER_FIRST:
        return plan
    first_stage = {job.fingerprint: job for job in plan.jobs if job.kind == PLAIN}
    fixed = {}
    for fingerprint, job in first_stage.items():
        rows = store.rows_of(trial.key for trial in job.trials)
        if retry_failed:
            rows = {key: row for key, row in rows.items() if row["error"] is None}
        if all(trial.key in rows for trial in job.trials):
            fixed[fingerprint] = _best_settings(job, rows)
    return plan_of(study, plan.folds, fixed, version=plan.version)


def _best_settings(job: Job, rows: Rows) -> dict[str, str]:
    """Return ranker to the setting that validation chooses; without those that always failed."""
    settings = {}
    for ranker in job.rankers:
        if len(ranker.settings) == 1:
            settings[ranker.label] = ranker.settings[0]
            continue
        trials = [trial for label, trial in job.labelled_trials if label == ranker.label]
        done = [(trial, rows[trial.key]) for trial in trials if rows[trial.key]["error"] is None]
        chosen = best(candidate(row, trial.number) for trial, row in done)
        if chosen is not None:
            settings[ranker.label] = str(chosen.row["ranker"])
    return settings


class _Group(NamedTuple):
    """What makes one line of a table: trials of the same method with the same ranker."""

    data: str
    method: str
    variant: str
    ranker: str


class Lines:
    """Groups the trials of a study by line and number of features, fold by fold."""

    def __init__(
        self, store: Store, study: Study, folds: list[FoldFacts], version: str | None
    ) -> None:
        self.failures: list[Failure] = []
        self._trials: set[str] = set()
        self._measures = tuple(study.measures)
        self._shared = SharedSeconds(store)
        self._folds = folds
        # Group and position of the fold to candidates, in the order of the plan.
        self._candidates: dict[_Group, dict[int, list[Candidate]]] = {}
        plan = tuned_plan(plan_of(study, tuple(folds), version=version), store)
        waiting = {(job.data, job.position) for job in plan.later}
        finished = []
        for fold in folds:
            rows = {row["key"]: row for row in store.rows(fold.fingerprint)}
            fold_key = fold.data, fold.place
            jobs = [job for job in plan.jobs if (job.data, job.position) == fold_key]
            for job in jobs:
                self._add(job, rows)
            done = all(trial.key in rows for job in jobs for trial in job.trials)
            if done and fold_key not in waiting:
                finished.append(fold)
        self.folds = self._comparable(finished)

    @property
    def n_trials(self) -> int:
        """How many rows of the store were read."""
        return len(self._trials)

    def _comparable(self, finished: list[FoldFacts]) -> list[FoldFacts]:
        """Return the folds that lines are made of: all, or those that a run is done with so far.

        The same ones for every line of a data set. Where a study was added to one that is
        finished, the lines that have all folds keep them.
        """
        comparable = []
        for name in dict.fromkeys(fold.data for fold in self._folds):
            folds = [fold for fold in self._folds if fold.data == name]
            done = [fold for fold in finished if fold.data == name]
            complete = any(
                group.data == name and group.method != ALL_FEATURES and len(by_fold) == len(folds)
                for group, by_fold in self._candidates.items()
            )
            comparable += folds if complete or not done else done
        return comparable

    def outcomes(self) -> tuple[list[Outcome], list[Outcome]]:
        """Return one outcome per group, and one for each of its numbers of features."""
        chosen: list[Outcome] = []
        curves: list[Outcome] = []
        for group in self._candidates:
            chosen += self._outcome(group, None)
            for number in self._numbers(group):
                curves += self._outcome(group, number)
        return chosen, curves

    def _add(self, job: Job, rows: dict[str, dict[str, Any]]) -> None:
        for ranker, trial in job.labelled_trials:
            row = rows.get(trial.key)
            if row is None:
                continue
            self._trials.add(trial.key)
            group = _Group(job.data, job.method.label, trial.variant, ranker)
            if row["error"] is not None:
                origin = group.data, job.fold, group.method, group.ranker, trial.number
                message = f"{trial.ranker}: {row['error']}" if trial.ranker else row["error"]
                self.failures.append(Failure(*origin, message))
                continue
            by_fold = self._candidates.setdefault(group, {})
            by_fold.setdefault(job.position, []).append(candidate(row, trial.number))

    def _numbers(self, group: _Group) -> list[int]:
        numbers = {
            each.number for candidates in self._candidates[group].values() for each in candidates
        }
        return sorted(numbers, key=lambda number: (number == ALL, number))

    def _outcome(self, group: _Group, number: int | None) -> Iterator[Outcome]:
        """Yield the outcome of a group at a number, where every fold has one."""
        picked = []
        for fold in self.folds:
            if fold.data != group.data:
                continue
            candidates = self._candidates[group].get(fold.place, [])
            chosen = best(each for each in candidates if number in (None, each.number))
            if chosen is None:
                return
            picked.append((fold, chosen))
        yield self._joined(group, number, picked)

    def _joined(
        self, group: _Group, number: int | None, picked: list[tuple[FoldFacts, Candidate]]
    ) -> Outcome:
        tests = [unpacked(chosen.row["test"]) for _, chosen in picked]
        ids = [
            f"{fold.test_part or fold.name}:{query_id}"
            for fold, _ in picked
            for query_id in fold.query_ids
        ]
        return Outcome(
            *group,
            number=number,
            folds=tuple(self._chosen(fold, chosen) for fold, chosen in picked),
            values={
                measure: np.concatenate([test[row] for test in tests])
                for row, measure in enumerate(self._measures)
            },
            query_ids=np.array(ids, dtype=np.str_),
            fold_of=np.repeat(np.arange(len(tests)), [test.shape[1] for test in tests]),
        )

    def _selection_seconds(self, row: dict[str, Any]) -> float:
        """Return what a selection took, with what it shares; a sparse model is the selection."""
        alone = 0.0 if row["variant"] == "weights" else float(row["selection_seconds"])
        return alone + self._shared.of(row["setting"], row["fingerprint"])

    def _chosen(self, fold: FoldFacts, chosen: Candidate) -> Chosen:
        row = chosen.row
        features = unpacked(row["chosen"])
        weights = None if row["weights"] is None else unpacked(row["weights"])
        if weights is not None:
            # The model has its features in their own order, the trial in the order of choice.
            ascending = np.argsort(unpacked(row["features"]))
            weights = weights[ascending][np.argsort(np.argsort(features))]
        means: Any = () if chosen.means is None else chosen.means
        return Chosen(
            trial=row["id"],
            fold=fold.name,
            selector=row["setting"],
            ranker=row["ranker"],
            wanted=None if chosen.number == ALL else chosen.number,
            features=features,
            weights=weights,
            validation=dict(zip(self._measures, map(float, means), strict=False)),
            seconds=row["seconds"],
            selection_seconds=self._selection_seconds(row),
            peak_memory=row["peak_memory"],
            ending=json.loads(row["ending"]),
        )
