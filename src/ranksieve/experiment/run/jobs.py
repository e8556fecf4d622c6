"""A job, from its first missing trial to its last."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

from ranksieve.experiment.failures import RunError, StoreError
from ranksieve.experiment.folds import fold_fingerprint, load_fold
from ranksieve.experiment.plan import Job, Trial, digest
from ranksieve.experiment.run.shared import PAUSE, Shared
from ranksieve.experiment.run.tasks import Tasks, tasks_of
from ranksieve.experiment.run.train import FoldWork
from ranksieve.experiment.store.claims import Claims
from ranksieve.experiment.store.store import Store
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

    def run(self, job: Job) -> None:
        """Do what is missing of a job; the error of a trial is recorded, and the rest goes on."""
        waiting = self.missing(job)
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
        said = f"{type(error).__name__}: {error}"
        self._store.add_trial(
            trial, setting=trial.selector, chosen=None, selection_seconds=None, error=said
        )


def _loaded(job: Job) -> StudyFold:
    """Return the data of a job, which must be what the plan was made for."""
    again = "What was finished is kept. Run the same command again when the data is there."
    try:
        fold = load_fold(job.source, job.place)
        found = fold_fingerprint(fold)
    except (OSError, ValueError) as error:
        raise RunError(f"cannot read {job.data}, {job.fold}: {error} {again}") from error
    if found != job.fingerprint:
        raise RunError(f"{job.data}, {job.fold}, was changed while the study ran. {again}")
    return fold
