"""A job, from its first missing trial to its last.

What its trials have in common, and what each adds, depends on the kind of method: all features, a
selector in front of rankers, or an embedded method.
"""

from __future__ import annotations

import json
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.errors import DataError, RunError, StoreError
from ranksieve.experiment.folds import fold_fingerprint, load_fold
from ranksieve.experiment.run.select import largest, models, selection, trace
from ranksieve.experiment.run.shared import PAUSE, Shared
from ranksieve.experiment.run.train import FoldWork
from ranksieve.experiment.store.claims import Claims
from ranksieve.experiment.store.store import Model, Store
from ranksieve.experiment.study import ALL
from ranksieve.experiment.trials import EMBEDDED, PLAIN, Job, Trial, digest
from ranksieve.measures import best_mean
from ranksieve.progress import silent
from ranksieve.sources import StudyFold


class Runner:
    """Does jobs, one trial after another, each written as soon as it is finished."""

    def __init__(
        self, store: Store, claims: Claims, *, after_each: Callable[[], None] | None = None
    ) -> None:
        self._store, self._claims, self._after_each = store, claims, after_each
        self._last: tuple[tuple[str, tuple[str, ...]], FoldWork, Shared] | None = None

    def missing(self, job: Job) -> list[Trial]:
        """Return the trials of a job that are still to be done."""
        done = self._store.done(trial.key for trial in job.trials)
        return [trial for trial in job.trials if trial.key not in done]

    def run(self, job: Job, wanted: Collection[str] | None = None) -> None:
        """Do what is missing of a job; the error of a trial is recorded, and the others go on.

        `wanted` are the keys of the trials to do, where others are done elsewhere.
        """
        missing = self.missing(job)
        waiting = [trial for trial in missing if wanted is None or trial.key in wanted]
        if not waiting:
            return
        # Outside of what is recorded: that data went away is no fault of a method.
        with silent():
            work, shared = self._fold(job)
        try:
            with silent():
                tasks = tasks_of(job, work, shared)
        except StoreError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever a method raises is recorded
            for trial in waiting:
                self._record(trial, error)
            return
        while waiting:
            held = [trial for trial in waiting if not self._finished(trial, tasks)]
            if len(held) == len(waiting):
                time.sleep(PAUSE)
            waiting = held

    def _finished(self, trial: Trial, tasks: Tasks) -> bool:
        with silent():
            finished = self._finish(trial, tasks)
        if finished and self._after_each is not None:
            self._after_each()
        return finished

    def _finish(self, trial: Trial, tasks: Tasks) -> bool:
        """Do a trial, or record its error; False where another process trains its model now."""
        try:
            return self._try(trial, tasks)
        except StoreError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever a method raises is recorded
            self._record(trial, error)
            return True

    def _try(self, trial: Trial, tasks: Tasks) -> bool:
        features = tasks.features(trial)
        key = digest("model", trial.fingerprint, *tasks.identity(trial, features))
        record = partial(
            self._store.add_trial,
            trial,
            setting=tasks.setting(trial),
            chosen=features,
            selection_seconds=tasks.seconds(trial),
        )
        row = self._store.model(key)
        if row is not None:
            record(model=row)
            return True
        if not self._claims.take(key):
            return False
        try:
            # It may have been finished between the two looks.
            row = self._store.model(key)
            record(model=(key, tasks.model(trial, features)) if row is None else row)
        finally:
            self._claims.release(key)
        return True

    def _fold(self, job: Job) -> tuple[FoldWork, Shared]:
        """Return the data of a job and what its trials share; kept until another fold's turn."""
        name = job.fingerprint, job.measures
        if self._last is None or self._last[0] != name:
            work = FoldWork(_loaded(job), job.measures)
            self._last = name, work, Shared(self._store, self._claims, job.fingerprint)
        return self._last[1:]

    def _record(self, trial: Trial, error: Exception) -> None:
        message = f"{type(error).__name__}: {error}"
        self._store.add_trial(
            trial, setting=trial.selector, chosen=None, selection_seconds=None, error=message
        )


def _loaded(job: Job) -> StudyFold:
    """Return the data of a job, which must be what the plan was made for."""
    again = "What was finished is kept. Run the same command again when the data is there."
    try:
        fold = load_fold(job.source, job.position)
        fingerprint = fold_fingerprint(fold)
    except (OSError, ValueError) as error:
        raise RunError(f"cannot read {job.data}, {job.fold}: {error} {again}") from error
    if fingerprint != job.fingerprint:
        raise RunError(f"{job.data}, {job.fold}, was changed while the study ran. {again}")
    return fold


class Tasks(ABC):
    """The trials of a job on a fold."""

    def __init__(self, job: Job, work: FoldWork, shared: Shared) -> None:
        self.job, self.work, self.shared = job, work, shared

    @abstractmethod
    def features(self, trial: Trial) -> NDArray[np.int64]:
        """Return the features of a trial, in the order in which they were chosen."""

    def setting(self, trial: Trial) -> str:
        """Return the selector that was used."""
        return trial.selector

    @abstractmethod
    def seconds(self, trial: Trial) -> float:
        """Return what the selection took."""

    def identity(self, trial: Trial, features: NDArray[np.int64]) -> list[Any]:
        """Return what the model is made from: trials with equal ones share it."""
        # The seed is part of the ranker's text.
        return [trial.ranker, np.sort(features).tolist(), trial.measures, trial.version]

    def model(self, trial: Trial, features: NDArray[np.int64]) -> Model:
        """Train and measure."""
        return self.work.trained(trial.ranker, features)


class AllFeatures(Tasks):
    """Rankers without selection."""

    def features(self, trial: Trial) -> NDArray[np.int64]:
        """Return all of them."""
        return np.arange(self.work.train.n_features, dtype=np.int64)

    def seconds(self, trial: Trial) -> float:
        """Return 0: there is no selection."""
        return 0.0


class Selected(Tasks):
    """One setting of a selector in front of rankers."""

    def __init__(self, job: Job, work: FoldWork, shared: Shared) -> None:
        super().__init__(job, work, shared)
        setting = job.method.settings[0]
        look_up = shared.numbers(work.train)
        self._part = shared.part(
            "selection",
            json.dumps([setting, job.numbers]),
            lambda: selection(setting, job.numbers, work.train, look_up),
        )

    def features(self, trial: Trial) -> NDArray[np.int64]:
        """Return what the selector keeps for the number."""
        return self._part.arrays[f"{trial.number}"]

    def seconds(self, trial: Trial) -> float:
        """Return what the selection took, for all numbers together."""
        return self._part.seconds


class Embedded(Tasks):
    """The models of a method that selects by its weights, and rankers behind the best one."""

    def __init__(self, job: Job, work: FoldWork, shared: Shared) -> None:
        super().__init__(job, work, shared)
        look_up = shared.numbers(work.train)
        settings = job.method.settings
        self._part = shared.part(
            "models", json.dumps(settings), lambda: models(settings, work.train, look_up)
        )
        self._weights = self._part.arrays["weights"]
        self._best = _best(self.work.validation_means(self._weights), self._weights)
        if self._best is not None:
            best = settings[self._best]
            shared.part("trace", best, lambda: trace(best, work.train, look_up))

    def features(self, trial: Trial) -> NDArray[np.int64]:
        """Return those with the largest weights, none with 0."""
        row = self._row(trial)
        number = len(self._weights[row]) if trial.number == ALL else trial.number
        return largest(self._weights[row], number)

    def setting(self, trial: Trial) -> str:
        """Return the setting of the model whose weights are looked at."""
        return self.job.method.settings[self._row(trial)]

    def seconds(self, trial: Trial) -> float:
        """Return what the grid took to choose from; 0 where the model is the selection."""
        return self._part.seconds if trial.variant == "refit" else 0.0

    def identity(self, trial: Trial, features: NDArray[np.int64]) -> list[Any]:
        """Return the grid, the setting and the number for a model that is not trained again."""
        if trial.variant == "refit":
            return super().identity(trial, features)
        parts = [trial.among, trial.selector, features.tolist(), trial.measures, trial.version]
        return ["weights", *parts]

    def model(self, trial: Trial, features: NDArray[np.int64]) -> Model:
        """Train and measure, or measure the weights as they are."""
        if trial.variant == "refit":
            return super().model(trial, features)
        row = self._row(trial)
        cost = float(self._part.arrays["seconds"][row]), self._part.peak_memory
        ending = self._part.content["endings"][row]
        return self.work.weighted(features, self._weights[row], ending, cost)

    def _row(self, trial: Trial) -> int:
        if trial.variant != "refit":
            return self.job.method.settings.index(trial.selector)
        if self._best is None:
            raise DataError(
                f"no setting of {self.job.method.label} keeps a feature on {self.job.data}, "
                f"{self.job.fold}, so there is nothing to train on. Give weaker penalties."
            )
        return self._best


def tasks_of(job: Job, work: FoldWork, shared: Shared) -> Tasks:
    """Return the trials of a job, with what they share computed."""
    kinds = {PLAIN: AllFeatures, EMBEDDED: Embedded}
    return kinds.get(job.kind, Selected)(job, work, shared)


def _best(means: NDArray[np.float64], weights: NDArray[np.float64]) -> int | None:
    """Return the model that `best_mean` takes of those with features; None where none has any."""
    n_features = np.count_nonzero(weights, axis=1)
    usable = np.flatnonzero(n_features)
    if len(usable) == 0:
        return None
    return int(usable[best_mean(means[usable], n_features[usable])])
