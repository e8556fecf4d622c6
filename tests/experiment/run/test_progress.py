"""What a run reports while it goes: seconds of finished trials, and of those to come."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from ranksieve.cli._progress import Work
from ranksieve.experiment import Store, make_plan
from ranksieve.experiment.comparison import run_plan
from ranksieve.experiment.run.progress import MEASURED, CountedTrials, TimedTrials
from ranksieve.experiment.store.store import FinishedTrial
from ranksieve.progress import listening
from tests.experiment.cases import small_study

# Trials of the simulated runs: for each number of features and setting of the ranker.
NUMBERS, SETTINGS = (1, 10, 46), ("C=0.001", "C=1")


class FakeStore:
    """Trials as they are finished, with models that may be there already."""

    def __init__(self):
        self.finished = []

    def costs_after(self, row):
        return self.finished[row:]

    def add(self, key, seconds, *, model=None, selection=0.0):
        row = len(self.finished) + 1
        own = row if model is None else model
        self.finished.append(FinishedTrial(row, key, own, seconds, selection))


def job(name, kind="selector"):
    trials = [
        SimpleNamespace(key=f"{name} {number} {setting}", variant="", ranker=setting, number=number)
        for number in NUMBERS
        for setting in SETTINGS
    ]
    method = SimpleNamespace(label=name)
    return SimpleNamespace(key=name, data="data", kind=kind, method=method, trials=trials)


def true_seconds(trial):
    return 0.1 * trial.number * (10.0 if trial.ranker == "C=1" else 1.0)


def simulate(jobs, expected, *, n_workers, startup=3.0):
    """Run jobs on workers that each take the next one; shares of time, and estimates to truth."""
    store, now = FakeStore(), [0.0]
    look = TimedTrials(store, lambda job: [expected(trial) for trial in job.trials])
    work = Work(lambda: now[0])
    free = np.full(n_workers, startup)
    events = []
    for one in jobs:
        worker = int(np.argmin(free))
        for trial in one.trials:
            free[worker] += true_seconds(trial)
            events.append((free[worker], trial))
    events.sort(key=lambda event: event[0])
    end, found = events[-1][0], []
    with listening(work.add):
        look.follow(jobs, ())
        look()
        for when, trial in events:
            now[0] = when
            store.add(trial.key, true_seconds(trial))
            look()
            left = work.moment().left
            if 0.1 <= when / end <= 0.95:
                found.append(left / (end - when))
    return np.array(found)


@pytest.mark.parametrize("n_workers", [1, 2])
@pytest.mark.parametrize("factor", [0.02, 1.0, 50.0])
def test_time_left_is_within_a_factor_of_two_where_costs_are_wrong_by_a_factor(n_workers, factor):
    jobs = [job(f"job {number}") for number in range(20)]
    found = simulate(jobs, lambda trial: factor * true_seconds(trial), n_workers=n_workers)
    assert (found.min(), found.max()) == (
        pytest.approx(1.0, abs=0.5),
        pytest.approx(1.0, abs=1.0),
    )


@pytest.mark.parametrize("n_workers", [1, 2])
def test_time_left_is_within_a_factor_of_two_where_costs_are_wrong_for_each_kind(n_workers):
    # Expected to be alike, while a kind takes 460 times as long as another.
    jobs = [job(f"job {number}") for number in range(20)]
    found = simulate(jobs, lambda trial: 1.0, n_workers=n_workers)
    assert 0.5 <= found.min() <= found.max() <= 2.0


def test_a_model_that_is_there_already_costs_no_training():
    store, seen = FakeStore(), []
    look = TimedTrials(store, lambda job: [5.0] * len(job.trials))
    with listening(lambda label, done, total: seen.append((done, total))):
        look.follow([job("a"), job("b")], ())
        store.add("a 46 C=1", 7.0, model=1)
        look()
        store.add("b 46 C=1", 7.0, model=1)
        look()
    assert seen[0][0] == pytest.approx(7.0 + MEASURED)
    assert seen[1][0] == pytest.approx(7.0 + 2 * MEASURED)


def test_a_selection_counts_once_for_all_trials_of_its_job():
    store, seen = FakeStore(), []
    look = TimedTrials(store, lambda job: [5.0] * len(job.trials))
    with listening(lambda label, done, total: seen.append(done)):
        look.follow([job("a")], ())
        store.add("a 1 C=1", 1.0, selection=30.0)
        store.add("a 10 C=1", 1.0, selection=30.0)
        look()
    assert seen == [pytest.approx(32.0 + 2 * MEASURED)]


def test_what_was_there_before_is_not_counted():
    store, seen = FakeStore(), []
    store.add("a 1 C=1", 100.0)
    look = TimedTrials(store, lambda job: [5.0] * len(job.trials))
    with listening(lambda label, done, total: seen.append((done, total))):
        look.follow([job("a")], [job("b")])
        look()
    assert seen == [(0.0, 5.0 * (6 - 1) + 5.0 * 6)]


@pytest.mark.parametrize("timed", [False, True])
def test_a_run_in_this_process_reports_after_every_trial_and_nothing_else(folds, tmp_path, timed):
    plan = make_plan(small_study(folds))
    seen = []
    with Store(tmp_path / "runs.db") as store, listening(lambda *message: seen.append(message)):
        cost = (lambda job: [1.0] * len(job.trials)) if timed else None
        run_plan(plan, store, workers=1, cost=cost)
    assert {label for label, _, _ in seen} == {"trials"}
    assert len(seen) >= plan.n_trials
    assert seen[-1][1] == seen[-1][2]


def test_counts_of_trials_are_of_those_that_were_missing(folds, tmp_path):
    plan = make_plan(small_study(folds, selectors=[]))
    seen = []
    with Store(tmp_path / "runs.db") as store:
        run_plan(plan, store, workers=1)
        look = CountedTrials(store)
        with listening(lambda *message: seen.append(message)):
            look.follow(plan.jobs, plan.jobs)
            look()
    assert seen == [("trials", 0, plan.n_trials)]
