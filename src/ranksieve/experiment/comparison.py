"""compare: do what is missing of a study, and return its results.

A comparison plans (`plan`), says what is missing and how long it will take (`estimate`), does it
(`run`), trial by trial into the `store`, and reads the `results` from there.
"""

from __future__ import annotations

import os
import platform
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from ranksieve.data.paths import exists
from ranksieve.errors import ParameterError
from ranksieve.experiment.estimate import Estimate, estimate_run
from ranksieve.experiment.plan import Plan, make_plan
from ranksieve.experiment.results.choose import tuned_plan
from ranksieve.experiment.results.outcomes import Results
from ranksieve.experiment.results.read import read_results
from ranksieve.experiment.run.progress import CountedTrials, Look, TimedTrials
from ranksieve.experiment.run.remote import run_remotely
from ranksieve.experiment.run.workers import run_workers, work
from ranksieve.experiment.store.store import Store
from ranksieve.experiment.study import Study
from ranksieve.experiment.trials import Job
from ranksieve.passes.cluster import active_cluster
from ranksieve.progress import report

_PACKAGES = ("numpy", "scipy", "scikit-learn", "numba")
# Rankers whose package's version belongs to the results.
_ADAPTERS = {"LightGBM": "lightgbm", "XGBoost": "xgboost-cpu", "CatBoost": "catboost"}
# Seconds until processes of their own have started.
_START = 2.0


@dataclass(frozen=True, eq=False)
class Forecast:
    """What a run will do, before it begins.

    Attributes
    ----------
    plan : Plan, with the settings of rankers that are tuned first where the store has them
    n_missing : int, trials that the store does not have
    estimate : Estimate, how long they take
    """

    plan: Plan
    n_missing: int
    estimate: Estimate

    def seconds(self, workers: int) -> float:
        """Return how long the run will take with a number of processes."""
        return self.estimate.seconds / workers + (_START if workers > 1 else 0.0)


def compare(
    study: Study,
    store: str | os.PathLike[str],
    *,
    workers: int = 1,
    retry_failed: bool = False,
    many: bool = False,
    command: str = "",
    on_plan: Callable[[Forecast], None] | None = None,
) -> Results:
    """Do the trials of a study that its store does not have yet, and return what came out.

    Every finished trial is written at once, so nothing is lost however the run ends, and a second
    run does what is missing. Several runs may work at one store at the same time: nothing is done
    twice. Results are the same, bit for bit, with any number of workers.

    Parameters
    ----------
    study : Study
    store : path of a SQLite file; made where it does not exist
    workers : processes; 1 works in this one. Inside `with cluster(...)` its workers do the jobs
        instead, and this process alone opens the store.
    retry_failed : bool
        Trials that ended with an error are recorded with it and not done again, unless asked for.
    many : bool
        Whether the study may have more than 200,000 trials, which is an error otherwise.
    command : what is shown as the command that made the results
    on_plan : function of a Forecast, called once, before the first trial
        With it, each component is tried on a sample of the data first, and progress is reported
        in seconds instead of trials.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from ranksieve import make_ranking
    >>> from ranksieve.data import write_text
    >>> data, _ = make_ranking(30, 10, n_relevant=2, n_redundant=0, n_irrelevant=3)
    >>> fold = Path(tempfile.mkdtemp()) / "Fold1"
    >>> fold.mkdir()
    >>> parts = {"train": range(15), "vali": range(15, 20), "test": range(20, 30)}
    >>> for part, queries in parts.items():
    ...     write_text(data.queries(list(queries)), fold / f"{part}.txt")
    >>> study = Study([str(fold.parent)], ["GAS"], ["RankSVM(C=[0.01, 1])"], numbers=[2, "all"])
    >>> results = compare(study, fold.parent / "runs.db")
    >>> [outcome.name for outcome in results.chosen]
    ['all features + RankSVM', 'GAS + RankSVM']
    """
    plan, cost = make_plan(study, report, many=many), None
    with Store(store) as opened:
        if on_plan is not None:
            expected = _forecast(plan, opened, retry_failed=retry_failed)
            on_plan(expected)
            plan, cost = expected.plan, expected.estimate.cost
        record_study(plan, opened, command)
        run_plan(plan, opened, workers=workers, retry_failed=retry_failed, cost=cost)
    # Not the latest: another process may have asked the same store for another study meanwhile.
    return read_results(store, study=study)


def forecast(
    study: Study, store: str | os.PathLike[str] | None = None, *, retry_failed: bool = False
) -> Forecast:
    """Return what `compare` would do, of any number of trials, and do nothing.

    Parameters
    ----------
    study : Study
    store : path of a store, which is not made where it does not exist; None for none
    retry_failed : bool, whether trials that ended with an error are to be done again
    """
    plan = make_plan(study, report, many=True)
    with _existing_or_temporary(store) as path, Store(path) as opened:
        return _forecast(plan, opened, retry_failed=retry_failed)


def _forecast(plan: Plan, store: Store, *, retry_failed: bool) -> Forecast:
    plan = tuned_plan(plan, store, retry_failed=retry_failed)
    counts = count_missing(plan, store, retry_failed=retry_failed)
    return Forecast(plan, sum(counts.values()), estimate_run(plan, counts, store))


@contextmanager
def _existing_or_temporary(store: str | os.PathLike[str] | None) -> Iterator[Path]:
    if store is not None and exists(store):
        yield Path(store)
        return
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder) / "runs.db"


def record_study(plan: Plan, store: Store, command: str) -> None:
    """Make a study the latest of its store."""
    store.add_study(plan.study.to_json(), command, _versions(plan.study), plan.folds)


def count_missing(plan: Plan, store: Store, *, retry_failed: bool = False) -> dict[str, int]:
    """Return how many trials of each job, by its key, are still to be done; each counts once."""
    jobs = (*plan.jobs, *plan.later)
    if store.n_trials() == 0 and not plan.may_share_trials:
        return {job.key: job.n_trials for job in jobs}
    # The settings of rankers that come later are made up: what the store has of them says nothing.
    unsure = {trial.key for job in plan.later for trial in job.trials if trial.ranker}
    keys = {trial.key for job in jobs for trial in job.trials}
    seen = store.done(keys - unsure, failed_too=not retry_failed)
    counts: dict[str, int] = {}
    for job in jobs:
        new = {trial.key for trial in job.trials} - seen
        seen |= new
        # Methods with settings in common have jobs in common.
        counts[job.key] = counts.get(job.key, 0) + len(new)
    return counts


def run_plan(
    plan: Plan,
    store: Store,
    *,
    workers: int,
    retry_failed: bool = False,
    cost: Callable[[Job], Sequence[float]] | None = None,
) -> None:
    """Do what is missing; reports how many trials are done, or their seconds where `cost` is given.

    `cost` is what the trials of a job are expected to take; it is corrected by what they took.
    Where rankers are tuned first, the later jobs are planned again once their settings are chosen.
    """
    if workers < 1:
        raise ParameterError(f"workers must be at least 1, but is {workers}")
    plan = tuned_plan(plan, store, retry_failed=retry_failed)
    look: Look = CountedTrials(store) if cost is None else TimedTrials(store, cost)
    tried: set[str] = set()
    while True:
        if retry_failed:
            keys = {trial.key for job in plan.jobs for trial in job.trials}
            store.forget_failed(keys - tried)
            tried |= keys
        _run_jobs(plan, store, workers, look)
        if not plan.later:
            return
        plan = tuned_plan(plan, store)


def _run_jobs(plan: Plan, store: Store, workers: int, look: Look) -> None:
    """Do the jobs of a plan that can be done now."""
    counts = count_missing(plan, store)
    jobs = list({job.key: job for job in plan.jobs if counts[job.key]}.values())
    if not jobs:
        return
    look.follow(jobs, plan.later)
    look()
    cluster = active_cluster()
    if cluster is not None:
        run_remotely(jobs, store, cluster, look=look)
    elif workers == 1:
        work(jobs, store, after_each=look)
    else:
        run_workers(jobs, store.path, workers, look=look)


def _versions(study: Study) -> dict[str, str]:
    texts = " ".join(setting for grid in study.ranker_grids for setting in grid.settings)
    names = [*_PACKAGES, *(name for mark, name in _ADAPTERS.items() if mark in texts)]
    # Our own by the code that runs: what an editable install says of itself may be older.
    versions = {
        "Python": platform.python_version(),
        "ranksieve": import_module("ranksieve").__version__,
    }
    for name in names:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return versions
