"""How long a plan will take: from what the store has timed, or from a sample of the data.

Trying each component on a sample compiles its kernels too, once, before several workers would
all do so at the same time.
"""

from __future__ import annotations

import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve import catalog
from ranksieve.data import RankingData
from ranksieve.experiment.folds import load_fold
from ranksieve.experiment.grids import Grid
from ranksieve.experiment.plan import Plan
from ranksieve.experiment.run.progress import MEASURED
from ranksieve.experiment.run.select import models, selection
from ranksieve.experiment.run.shared import LookUp
from ranksieve.experiment.store.store import Store
from ranksieve.experiment.study import ALL
from ranksieve.experiment.trials import EMBEDDED, SELECTED, Job
from ranksieve.progress import step
from ranksieve.selectors import SharedComponent
from ranksieve.threads import threads

# Documents of the sample.
_SAMPLED = 10_000
# A first call that takes longer than this may have compiled: it is made once more.
_SUSPECT = 0.2
# Seconds for which further settings of a component are tried.
_PATIENCE = 1.0
# What a model costs that starts from the one before it, as a share of one that does not.
_WARM = 0.2


@dataclass(frozen=True)
class Estimate:
    """Seconds of one process for all that is missing, and for each trial of a job.

    Notes
    -----
    Trials of selections with all features have the model of those without a selection. Others
    share one where a sample of the data gives them the same features. Trials with fewer
    features train faster, as on the sample.
    """

    of_job: Callable[[Job], list[float]]
    seconds: float

    def cost(self, job: Job) -> list[float]:
        """Return the seconds of each trial of a job, in their order."""
        return self.of_job(job)


def estimate_run(plan: Plan, counts: Mapping[str, int], store: Store) -> Estimate:
    """Return how long the missing trials will take.

    Parameters
    ----------
    plan : Plan
    counts : job's key to the number of its trials that are missing
    store : what it has timed is not tried again
    """
    # Methods with settings in common have jobs in common.
    every = (*plan.jobs, *plan.later)
    jobs = list({job.key: job for job in every if counts[job.key]}.values())
    if not jobs:
        return Estimate(lambda job: [0.0] * len(job.trials), 0.0)
    costs = _Costs(plan, jobs, store)
    seconds = sum(costs.of_all(job) * counts[job.key] / job.n_trials for job in jobs)
    return Estimate(costs.of_job, seconds)


class _Costs:
    """Seconds of trials, from seconds per document of their components."""

    def __init__(self, plan: Plan, jobs: list[Job], store: Store) -> None:
        self._folds = {fold.fingerprint: fold for fold in plan.folds}
        self._n_settings = {grid.label: len(grid.settings) for grid in plan.study.selector_grids}
        rankers = {grid.label: grid for job in jobs for grid in job.rankers}
        methods = {job.method.label: job for job in jobs if job.kind in (SELECTED, EMBEDDED)}
        sample = _Sample(jobs[0])
        n_tried = len(rankers) + len(methods)
        self._rankers: dict[str, _TrainingTimes] = {}
        for label, grid in rankers.items():
            with step("estimating", len(self._rankers), n_tried):
                self._rankers[label] = _training_times(grid, store, sample)
        self._selectors: dict[str, _SelectionTimes] = {}
        for label, job in methods.items():
            with step("estimating", len(rankers) + len(self._selectors), n_tried):
                self._selectors[label] = _selection_times(job, plan, sample)
        self._different = _shares_of_different_sets(list(self._selectors.values()))

    def of_all(self, job: Job) -> float:
        """Return the seconds of all trials of a job, without making them."""
        trained = sum(
            len(ranker.settings) * self._training(job, ranker.label, number)
            for ranker in job.rankers
            for number in job.numbers
        )
        if job.kind == EMBEDDED and "refit" not in job.variants:
            trained = 0.0
        n_documents = self._folds[job.fingerprint].n_documents[0]
        return (self._selection(job) + trained) * n_documents + job.n_trials * MEASURED

    def of_job(self, job: Job) -> list[float]:
        """Return the seconds of each trial of a job."""
        n_documents = self._folds[job.fingerprint].n_documents[0]
        selecting = self._selection(job) * n_documents / job.n_trials
        return [
            selecting + MEASURED + self._training(job, label, trial.number) * n_documents
            for label, trial in job.labelled_trials
        ]

    def _selection(self, job: Job) -> float:
        times = self._selectors.get(job.method.label)
        if times is None:
            return 0.0
        # What settings share, an importance say, is computed once for all of them.
        n_settings = self._n_settings.get(job.method.label, 1) if job.kind == SELECTED else 1
        return times.alone + times.shared / n_settings

    def _training(self, job: Job, label: str, number: int) -> float:
        times = self._rankers.get(label)
        if times is None or (job.kind == SELECTED and number == ALL):
            return 0.0
        different = self._different.get(number, 1.0) if job.kind == SELECTED else 1.0
        return different * times.at(number, self._folds[job.fingerprint].n_features)


class _Sample:
    """The first queries of a fold, on which components are tried."""

    def __init__(self, job: Job) -> None:
        self.data = _first_queries(load_fold(job.source, job.position).train)
        self._numbers: dict[tuple[str, str], NDArray[np.float64]] = {}

    @property
    def look_up(self) -> LookUp:
        """Importances and similarities, computed when first asked for."""

        def numbers(shared: SharedComponent) -> NDArray[np.float64]:
            key = shared.parameter, shared.text
            if key not in self._numbers:
                self._numbers[key] = shared.numbers(self.data)
            return self._numbers[key]

        return numbers

    def seconds(self, attempt: Callable[[], Any], *, forget: bool = False) -> float:
        """Return the seconds that something takes without compiling; 0 where it raises.

        `forget` computes importances and similarities again.
        """
        if forget:
            self._numbers.clear()
        took = _seconds(attempt)
        if took <= _SUSPECT:
            return took
        if forget:
            self._numbers.clear()
        return min(took, _seconds(attempt))


@dataclass(frozen=True)
class _TrainingTimes:
    """Seconds per document of training with few features and with all of the sample."""

    at_small: float
    n_small: int
    at_full: float
    n_full: int

    def at(self, number: int, n_features: int) -> float:
        """Return the seconds per document with a number of features: on a line through both."""
        number = n_features if number == ALL else min(number, n_features)
        share = (number - self.n_small) / max(self.n_full - self.n_small, 1)
        return max(
            self.at_small + share * (self.at_full - self.at_small), min(self.at_small, self.at_full)
        )


def _training_times(grid: Grid, store: Store, sample: _Sample) -> _TrainingTimes:
    """Try a ranker with all features and with few of them; not where the store has timed it."""
    data = sample.data
    n_small = max(data.n_features // 8, 1)
    timed = store.seconds_by_ranker()
    seconds = [timed[text] for text in grid.settings if text in timed]
    if seconds:
        mean = sum(seconds) / len(seconds)
        return _TrainingTimes(mean, n_small, mean, data.n_features)
    middle = grid.settings[len(grid.settings) // 2]
    full_seconds = sample.seconds(partial(_train, middle, data))
    small_seconds = sample.seconds(
        partial(_train, middle, data.features(np.arange(n_small)).gathered())
    )
    # Strong settings may take far longer than weak ones: the middle and both ends stand for all.
    ends = {grid.settings[0], grid.settings[-1]} - {middle} if full_seconds < _PATIENCE else set()
    seconds = [full_seconds, *(_seconds(partial(_train, text, data)) for text in sorted(ends))]
    mean = sum(seconds) / len(seconds)
    small = small_seconds * mean / full_seconds if full_seconds else 0.0
    return _TrainingTimes(small / len(data), n_small, mean / len(data), data.n_features)


@dataclass(frozen=True)
class _SelectionTimes:
    """Seconds per document of one setting, of what all share, and the features of some settings.

    `sets` has the features for each number, of the settings that were tried.
    """

    alone: float
    shared: float
    sets: Sequence[Mapping[int, frozenset[int]]] = ()


def _selection_times(job: Job, plan: Plan, sample: _Sample) -> _SelectionTimes:
    """Try a selector on the sample."""
    if job.kind == EMBEDDED:
        return _path_times(job.method.settings, sample)
    grids = {grid.label: grid for grid in plan.study.selector_grids}
    return _filter_times(grids[job.method.label].settings, job.numbers, sample)


def _path_times(settings: Sequence[str], sample: _Sample) -> _SelectionTimes:
    """Solve one model: there are as many as settings, and the best one is solved again."""
    middle = settings[len(settings) // 2]
    seconds = sample.seconds(lambda: models([middle], sample.data, sample.look_up))
    seconds *= 2.0 + _WARM * (len(settings) - 1)
    return _SelectionTimes(seconds / len(sample.data), 0.0)


def _filter_times(
    settings: Sequence[str], numbers: Sequence[int], sample: _Sample
) -> _SelectionTimes:
    """Select with one setting, with and without what all share, and with others while quick."""
    sets: list[dict[int, frozenset[int]]] = []
    sizes = [number for number in numbers if number != ALL]

    def select(setting: str) -> None:
        part = selection(setting, sizes, sample.data, sample.look_up)
        sets.append({size: frozenset(part.arrays[f"{size}"].tolist()) for size in sizes})

    middle = partial(select, settings[len(settings) // 2])
    cold = sample.seconds(middle, forget=True)
    warm = min(cold, _seconds(middle))
    sets.clear()
    until = time.perf_counter() + _PATIENCE
    for setting in settings:
        if time.perf_counter() < until:
            _seconds(partial(select, setting))
    return _SelectionTimes(warm / len(sample.data), (cold - warm) / len(sample.data), sets)


def _shares_of_different_sets(selections: Sequence[_SelectionTimes]) -> dict[int, float]:
    """Return, by number of features, different sets as a share of those of all settings."""
    sets: dict[int, list[frozenset[int]]] = defaultdict(list)
    for selection_times in selections:
        for by_number in selection_times.sets:
            for number, features in by_number.items():
                sets[number].append(features)
    return {number: len(set(of_number)) / len(of_number) for number, of_number in sets.items()}


def _seconds(attempt: Callable[[], Any]) -> float:
    """Return the seconds that something takes; 0 where it raises."""
    started = time.perf_counter()
    with threads(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            attempt()
        except Exception:  # noqa: BLE001 - what a component raises is recorded when it runs
            return 0.0
    return time.perf_counter() - started


def _train(setting: str, data: RankingData) -> None:
    catalog.parse(setting, "rankers").fit(data).predict(data)


def _first_queries(train: RankingData) -> RankingData:
    """Return the first queries with about as many documents as a sample has."""
    n_queries = int((train.query_ptr[1:] <= _SAMPLED).sum())
    return train.queries(list(range(max(n_queries, 1)))).gathered()
