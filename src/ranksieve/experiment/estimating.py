"""How long a plan will take: from what the store has timed, or from a sample of the data.

Trying each component on a sample compiles its kernels too, once, before several workers would
all do so at the same time.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ranksieve import catalog
from ranksieve.data import RankingData
from ranksieve.experiment.folds import load_fold
from ranksieve.experiment.grids import Grid
from ranksieve.experiment.plan import EMBEDDED, SELECTED, Job, Plan
from ranksieve.experiment.store import Store
from ranksieve.progress import report
from ranksieve.threads import threads

# Documents of the sample, and seconds to measure and write a model that is not trained again.
_SAMPLED, _MEASURED = 10_000, 0.004
# What a model costs that starts from the one before it, as a share of one that does not.
_WARM = 0.2
# A first call that takes longer than this may have compiled: it is made once more.
_SUSPECT = 0.2


@dataclass(frozen=True)
class Estimate:
    """Seconds of one process for all that is missing, and for one trial of each job."""

    of_trial: Mapping[tuple[str, str], float]
    seconds: float

    def cost(self, job: Job) -> float:
        """Return the seconds of a trial of a job, also where its rankers' settings came later."""
        return self.of_trial.get(_fold_and_method(job), 1.0)


def estimate(plan: Plan, counts: Mapping[str, int], store: Store) -> Estimate:
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
    costs = _Costs(plan, jobs, store) if jobs else None
    found = {job.key: costs.of_job(job) / len(job.trials) for job in jobs} if costs else {}
    return Estimate(
        {_fold_and_method(job): found[job.key] for job in jobs},
        sum(found[job.key] * counts[job.key] for job in jobs),
    )


def _fold_and_method(job: Job) -> tuple[str, str]:
    return job.fingerprint, f"{job.method.label}: {job.method.settings}"


class _Costs:
    """Seconds a document of each component, by label."""

    def __init__(self, plan: Plan, jobs: list[Job], store: Store) -> None:
        self._documents = {fold.fingerprint: fold.n_documents[0] for fold in plan.folds}
        self._timed = store.seconds_by_ranker()
        grids = {one.label: one for job in jobs for one in job.rankers}
        selectors = {job.method.label: job for job in jobs if job.kind in (SELECTED, EMBEDDED)}
        self._sample = _Sample(jobs[0], len(grids) + len(selectors))
        self._rankers = {label: self._ranker(one) for label, one in grids.items()}
        self._selectors = {
            label: self._sample.seconds("selectors", job.method, _selects(job))
            for label, job in selectors.items()
        }

    def of_job(self, job: Job) -> float:
        """Return the seconds of all trials of a job."""
        documents = self._documents[job.fingerprint]
        selection = self._selectors.get(job.method.label, 0.0) * documents
        if job.kind == EMBEDDED:
            selection *= 1.0 + _WARM * (len(job.method.settings) - 1)
        trained = sum(
            len(ranker.settings) * (self._rankers[ranker.label] * documents + _MEASURED)
            for ranker in job.rankers
        )
        n_plain = sum(trial.ranker == "" for trial in job.trials)
        n_numbers = len({trial.number for trial in job.trials if trial.ranker})
        return selection + n_numbers * trained + n_plain * _MEASURED

    def _ranker(self, ranker: Grid) -> float:
        timed = [self._timed[text] for text in ranker.settings if text in self._timed]
        if timed:
            return sum(timed) / len(timed)
        return self._sample.seconds("rankers", ranker, _trains)


class _Sample:
    """Some queries of a fold, on which components are tried."""

    def __init__(self, job: Job, n_trials: int) -> None:
        self._data = _some(load_fold(job.source, job.place).train)
        self._done, self._total = 0, n_trials

    def seconds(
        self, family: str, component: Grid, attempt: Callable[[Any, RankingData], Any]
    ) -> float:
        """Return the seconds a document of the middle setting; 0 where it raises."""
        text = component.settings[len(component.settings) // 2]
        took = self._once(family, text, attempt)
        if took > _SUSPECT:
            took = min(took, self._once(family, text, attempt))
        self._done += 1
        report("estimating", self._done, self._total)
        return took / self._data.n_documents

    def _once(self, family: str, text: str, attempt: Callable[[Any, RankingData], Any]) -> float:
        made = catalog.parse(text, family)
        started = time.perf_counter()
        with threads(1), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                attempt(made, self._data)
            except Exception:  # noqa: BLE001 - what a component raises is recorded when it runs
                return 0.0
        return time.perf_counter() - started


def _trains(ranker: Any, data: RankingData) -> None:
    ranker.fit(data).predict(data)


def _selects(job: Job) -> Callable[[Any, RankingData], Any]:
    if job.kind == EMBEDDED:
        return lambda selector, data: selector.fit(data)
    return lambda selector, data: selector._sets(data).of_size(1)


def _some(train: RankingData) -> RankingData:
    """Return the first queries with about as many documents as a sample has."""
    n_queries = int((train.query_ptr[1:] <= _SAMPLED).sum())
    return train.queries(list(range(max(n_queries, 1)))).gathered()
