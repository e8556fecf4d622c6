"""How much of a run is done, seen from its store: what other processes finish is there too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from ranksieve.experiment.store.store import FinishedTrial, Store
from ranksieve.experiment.trials import SELECTED, Job, Trial
from ranksieve.progress import report

# Seconds to measure and write a trial whose model is there already.
MEASURED = 0.004


class Look(Protocol):
    """Reports, when called, how much of the jobs that it follows is done."""

    def follow(self, jobs: Sequence[Job], later: Sequence[Job]) -> None:
        """Look at these jobs from now on; others will come after them."""

    def __call__(self) -> None:
        """Report what is done by now."""


class CountedTrials:
    """Reports how many of the missing trials are done."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._row, self._done, self._n_later = 0, 0, 0
        self._left: set[str] = set()

    def follow(self, jobs: Sequence[Job], later: Sequence[Job]) -> None:
        """Look at these jobs from now on; others will come after them."""
        self._row = 0
        self._left = {trial.key for job in jobs for trial in job.trials}
        for _, key in self._news():
            self._left.discard(key)
        self._n_later = len({trial.key for job in later for trial in job.trials})

    def __call__(self) -> None:
        """Report what is done by now."""
        for _, key in self._news():
            if key in self._left:
                self._left.remove(key)
                self._done += 1
        report("trials", self._done, self._done + len(self._left) + self._n_later)

    def _news(self) -> list[tuple[int, str]]:
        news = self._store.keys_after(self._row)
        self._row = news[-1][0] if news else self._row
        return news


class TimedTrials:
    """Reports the seconds that finished trials took, of those and the ones expected to come.

    Trials are alike that train the same setting of a ranker on as many features of the same
    data. What is left of them is expected to take what they took so far, on the average: that
    counts trials whose model was there already, since another one has the same features.
    Where none of them is done, the expected cost counts, corrected by how far it was off for
    the others.
    """

    def __init__(self, store: Store, cost: Callable[[Job], Sequence[float]]) -> None:
        self._store, self._cost = store, cost
        self._row, self._models = 0, set[int]()
        self._selected: set[str] = set()
        self._left: dict[str, tuple[_Kind, str]] = {}
        self._kinds: dict[tuple[str, ...], _Kind] = {}
        self._spent = self._expected = self._later = 0.0

    def follow(self, jobs: Sequence[Job], later: Sequence[Job]) -> None:
        """Look at these jobs from now on; others will come after them."""
        self._left = {}
        for kind in self._kinds.values():
            kind.n_left = 0
        for job in jobs:
            self._add(job)
        for finished in self._store.costs_after(0):
            if finished.key in self._left:
                self._left.pop(finished.key)[0].n_left -= 1
            self._see(finished)
        self._later = sum(sum(self._cost(job)) for job in later)

    def __call__(self) -> None:
        """Report what is done by now."""
        for finished in self._store.costs_after(self._row):
            seconds = self._see(finished)
            if finished.key in self._left:
                kind, job = self._left.pop(finished.key)
                seconds += self._selection(finished, kind, job)
                kind.add(seconds)
                self._spent += seconds
                self._expected += kind.expected
        report("trials", self._spent, self._spent + self._still_to_come())

    def _add(self, job: Job) -> None:
        for trial, cost in zip(job.trials, self._cost(job), strict=True):
            if trial.key not in self._left:
                kind = self._kinds.setdefault(_name(job, trial), _Kind(cost, job.kind == SELECTED))
                kind.n_left += 1
                self._left[trial.key] = kind, job.key

    def _see(self, finished: FinishedTrial) -> float:
        """Return the seconds that a trial took: few where its model was there."""
        self._row = max(self._row, finished.row)
        if finished.model is None or finished.model in self._models:
            return MEASURED
        self._models.add(finished.model)
        return finished.seconds + MEASURED

    def _selection(self, finished: FinishedTrial, kind: _Kind, job: str) -> float:
        """Return the seconds of a job's selection, with its first trial."""
        if not kind.selects or job in self._selected:
            return 0.0
        self._selected.add(job)
        return finished.selection_seconds

    def _still_to_come(self) -> float:
        correction = self._spent / self._expected if self._expected else 1.0
        seconds = sum(kind.seconds_left(correction) for kind in self._kinds.values())
        return seconds + correction * self._later


@dataclass
class _Kind:
    """Trials that are alike: what one is expected to take, how many are left, what some took."""

    expected: float
    selects: bool
    n_left: int = 0
    n_done: int = 0
    spent: float = 0.0

    def add(self, seconds: float) -> None:
        self.n_left -= 1
        self.n_done += 1
        self.spent += seconds

    def seconds_left(self, correction: float) -> float:
        each = self.spent / self.n_done if self.n_done else self.expected * correction
        return self.n_left * each


def _name(job: Job, trial: Trial) -> tuple[str, ...]:
    component = trial.ranker or job.method.label
    return job.data, job.kind, trial.variant, component, str(trial.number)
