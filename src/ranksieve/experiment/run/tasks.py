"""What the trials of a job have in common, and what each adds: by kind of method."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.errors import DataError
from ranksieve.experiment.plan import EMBEDDED, PLAIN, Job, Trial
from ranksieve.experiment.results.choose import EQUAL
from ranksieve.experiment.results.outcomes import ALL
from ranksieve.experiment.run.select import largest, models, trace
from ranksieve.experiment.run.selecting import selection
from ranksieve.experiment.run.shared import Shared
from ranksieve.experiment.run.train import FoldWork
from ranksieve.experiment.store.store import Model


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
        """Return what tells the model from all others: trials with the same one share it."""
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
        place = self._place(trial)
        number = len(self._weights[place]) if trial.number == ALL else trial.number
        return largest(self._weights[place], number)

    def setting(self, trial: Trial) -> str:
        """Return the setting of the model whose weights are looked at."""
        return self.job.method.settings[self._place(trial)]

    def seconds(self, trial: Trial) -> float:
        """Return what the grid took to choose from; 0 where the model is the selection."""
        return self._part.seconds if trial.variant == "refit" else 0.0

    def identity(self, trial: Trial, features: NDArray[np.int64]) -> list[Any]:
        """Return the grid, the setting and the number for a model that is not trained again."""
        if trial.variant == "refit":
            return super().identity(trial, features)
        own = [trial.among, trial.selector, features.tolist(), trial.measures, trial.version]
        return ["weights", *own]

    def model(self, trial: Trial, features: NDArray[np.int64]) -> Model:
        """Train and measure, or measure the weights as they are."""
        if trial.variant == "refit":
            return super().model(trial, features)
        place = self._place(trial)
        cost = float(self._part.arrays["seconds"][place]), self._part.peak_memory
        said = self._part.content["endings"][place]
        return self.work.weighted(features, self._weights[place], said, cost)

    def _place(self, trial: Trial) -> int:
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
    """Return the model with the best mean; among equals fewer features, then the first."""
    n_features = np.count_nonzero(weights, axis=1)
    usable = np.flatnonzero(n_features)
    if len(usable) == 0:
        return None
    # Means this close are equal: rounding must not decide for more features.
    near = usable[~(means[usable] < means[usable].max() - EQUAL)]
    return int(near[np.argmin(n_features[near])])
