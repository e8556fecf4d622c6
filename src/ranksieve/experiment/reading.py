"""From the rows of a store to the results of a study."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ranksieve.errors import DataError
from ranksieve.experiment.choosing import Candidate, best, candidate
from ranksieve.experiment.conventions import conventions
from ranksieve.experiment.folds import FoldFacts
from ranksieve.experiment.outcomes import (
    ALL,
    ALL_FEATURES,
    Chosen,
    DataFacts,
    Failure,
    Outcome,
    Results,
)
from ranksieve.experiment.packing import unpacked
from ranksieve.experiment.plan import Job, plan_of
from ranksieve.experiment.reading_parts import SharedSeconds, random_orders, shared_numbers, traces
from ranksieve.experiment.store import Store
from ranksieve.experiment.study import Study
from ranksieve.experiment.tuning import known_plan


class _Group(NamedTuple):
    """What makes one line of a table: trials of the same method with the same ranker."""

    data: str
    method: str
    variant: str
    ranker: str


def read_results(path: str | os.PathLike[str], *, study: int | Study = -1) -> Results:
    """Return the results of a study in a store, from what is finished.

    Parameters
    ----------
    path : of the store
    study : itself, or its place among those of the store, by when they were last asked for; -1 for
        the latest
    """
    with Store(path, only_read=True) as store:
        try:
            studies = store.studies()
        except json.JSONDecodeError as error:
            raise DataError(
                f"{path} was damaged: the text of a study cannot be read ({error}). Restore it "
                "from a copy, or run the study into a new store."
            ) from None
        place = study if isinstance(study, int) else _place(study, studies)
        if not -len(studies) <= place < len(studies):
            raise DataError(
                f"the study that was asked for is not among the {len(studies)} of {path}. Run "
                "`ranksieve compare` into it first, or ask for another."
            )
        return _results(store, studies[place])


def _place(study: Study, studies: list[dict[str, Any]]) -> int:
    """Return where a study is among those of a store; their number where it is not."""
    specs = [found["spec"] for found in studies]
    return specs.index(study.to_json()) if study.to_json() in specs else len(specs)


def studies_in(path: str | os.PathLike[str]) -> list[str]:
    """Return each study of a store in a few words: its title, or its selectors and rankers."""
    with Store(path, only_read=True) as store:
        found = [Study.from_json(one["spec"]) for one in store.studies()]
    return [study.title or _in_words(study) for study in found]


def _in_words(study: Study) -> str:
    data = ", ".join(source.name for source in study.sources)
    selectors = ", ".join(one.label for one in study.selector_grids) or "no selectors"
    rankers = ", ".join(one.label for one in study.ranker_grids)
    return f"{data}: {selectors}" + (f"; {rankers}" if rankers else "")


def _results(store: Store, found: dict[str, Any]) -> Results:
    study, folds = Study.from_json(found["spec"]), found["folds"]
    reader = _Reader(store, study, folds)
    chosen, curves = reader.outcomes()
    return Results(
        title=study.title,
        command=found["command"],
        versions=found["versions"],
        conventions=conventions(study, folds, reader.folds),
        measures=tuple(study.measures),
        data=tuple(_data_facts(reader.folds)),
        chosen=tuple(chosen),
        curves=tuple(curves),
        importance=shared_numbers(store, study, reader.folds, "importance"),
        random_orders=random_orders(store, study, reader.folds),
        similarity={
            data: {text: stack.mean(axis=0) for text, stack in stacks.items()}
            for data, stacks in shared_numbers(store, study, reader.folds, "similarity").items()
        },
        traces=tuple(traces(store, study, reader.folds)),
        failures=tuple(reader.failures),
        n_trials=reader.n_trials,
    )


class _Reader:
    """Groups the trials of a study by line and number of features, fold by fold."""

    def __init__(self, store: Store, study: Study, folds: list[FoldFacts]) -> None:
        self.failures: list[Failure] = []
        self._trials: set[str] = set()
        self._measures = tuple(study.measures)
        self._shared = SharedSeconds(store)
        self._folds = folds
        # Group and place of the fold to candidates, in the order of the plan.
        self._found: dict[_Group, dict[int, list[Candidate]]] = {}
        plan = known_plan(plan_of(study, tuple(folds)), store)
        waiting = {(job.data, job.place) for job in plan.later}
        finished = []
        for fold in folds:
            rows = {row["key"]: row for row in store.rows(fold.fingerprint)}
            here = fold.data, fold.place
            own = [job for job in plan.jobs if (job.data, job.place) == here]
            for job in own:
                self._add(job, rows)
            done = all(trial.key in rows for job in own for trial in job.trials)
            if done and here not in waiting:
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
        kept = []
        for name in dict.fromkeys(fold.data for fold in self._folds):
            own = [fold for fold in self._folds if fold.data == name]
            done = [fold for fold in finished if fold.data == name]
            whole = any(
                group.data == name and group.method != ALL_FEATURES and len(found) == len(own)
                for group, found in self._found.items()
            )
            kept += own if whole or not done else done
        return kept

    def outcomes(self) -> tuple[list[Outcome], list[Outcome]]:
        """Return one outcome a group, and one for each of its numbers of features."""
        chosen: list[Outcome] = []
        curves: list[Outcome] = []
        for group in self._found:
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
                of = group.data, job.fold, group.method, group.ranker, trial.number
                said = f"{trial.ranker}: {row['error']}" if trial.ranker else row["error"]
                self.failures.append(Failure(*of, said))
                continue
            place = self._found.setdefault(group, {})
            place.setdefault(job.place, []).append(candidate(row, trial.number))

    def _numbers(self, group: _Group) -> list[int]:
        found = {one.number for some in self._found[group].values() for one in some}
        return sorted(found, key=lambda number: (number == ALL, number))

    def _outcome(self, group: _Group, number: int | None) -> Iterator[Outcome]:
        """Yield the outcome of a group at a number, where every fold has one."""
        picked = []
        for fold in self.folds:
            if fold.data != group.data:
                continue
            some = self._found[group].get(fold.place, [])
            found = best(one for one in some if number in (None, one.number))
            if found is None:
                return
            picked.append((fold, found))
        yield self._joined(group, number, picked)

    def _joined(
        self, group: _Group, number: int | None, picked: list[tuple[FoldFacts, Candidate]]
    ) -> Outcome:
        tests = [unpacked(found.row["test"]) for _, found in picked]
        ids = [
            f"{fold.test_part or fold.name}:{one}" for fold, _ in picked for one in fold.query_ids
        ]
        return Outcome(
            *group,
            number=number,
            folds=tuple(self._chosen(fold, found) for fold, found in picked),
            values={
                measure: np.concatenate([test[place] for test in tests])
                for place, measure in enumerate(self._measures)
            },
            query_ids=np.array(ids, dtype=np.str_),
            fold_of=np.repeat(np.arange(len(tests)), [test.shape[1] for test in tests]),
        )

    def _selection_seconds(self, row: dict[str, Any]) -> float:
        """Return what a selection took, with what it shares; a sparse model is the selection."""
        own = 0.0 if row["variant"] == "weights" else float(row["selection_seconds"])
        return own + self._shared.of(row["setting"], row["fingerprint"])

    def _chosen(self, fold: FoldFacts, found: Candidate) -> Chosen:
        row = found.row
        features = unpacked(row["chosen"])
        weights = None if row["weights"] is None else unpacked(row["weights"])
        if weights is not None:
            # The model has its features in their own order, the trial in the order of choice.
            place = np.argsort(unpacked(row["features"]))
            weights = weights[place][np.argsort(np.argsort(features))]
        means: Any = () if found.means is None else found.means
        return Chosen(
            trial=row["id"],
            fold=fold.name,
            selector=row["setting"],
            ranker=row["ranker"],
            wanted=None if found.number == ALL else found.number,
            features=features,
            weights=weights,
            validation=dict(zip(self._measures, map(float, means), strict=False)),
            seconds=row["seconds"],
            selection_seconds=self._selection_seconds(row),
            peak_memory=row["peak_memory"],
            ending=json.loads(row["ending"]),
        )


def _data_facts(folds: list[FoldFacts]) -> Iterator[DataFacts]:
    for name in dict.fromkeys(fold.data for fold in folds):
        own = [fold for fold in folds if fold.data == name]
        yield DataFacts(
            name=name,
            folds=tuple(fold.name for fold in own),
            fingerprints=tuple(fold.fingerprint for fold in own),
            feature_names=own[0].feature_names,
            used=np.any([np.array(fold.used, dtype=bool) for fold in own], axis=0),
            n_documents=tuple(fold.n_documents for fold in own),
            n_queries=tuple(fold.n_queries for fold in own),
        )
