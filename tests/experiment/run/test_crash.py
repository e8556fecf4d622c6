"""Runs that are killed at any moment: nothing is lost, nothing is done twice, nothing differs."""

from __future__ import annotations

import os
import signal
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from ranksieve.experiment import compare, read_results
from tests.experiment.cases import (
    assert_same_results,
    assert_still_there,
    computed,
    contents,
    small_study,
)
from tests.experiment.child import TOGETHER, note_computations, note_in_workers
from tests.experiment.processes import (
    Run,
    by_kind,
    n_trials,
    noted,
    nothing_is_claimed,
    wait_until,
)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="looks at processes through /proc"),
]


def finish_here(study, store, log, monkeypatch):
    """Do the rest in this process, and return how often each kind of computation was begun."""
    note_computations(str(log), monkeypatch.setattr)
    compare(study, store)
    return by_kind(noted(log))


@pytest.mark.parametrize("kill", [os.kill, os.killpg])
def test_a_run_that_is_killed_is_finished_by_the_next(
    kill, folds, undisturbed, expected, tmp_path, monkeypatch
):
    study, store, log = small_study(folds), tmp_path / "runs.db", tmp_path / "log"
    rng = np.random.default_rng(len(kill.__name__))
    with Run(study, store, log, pause=0.03, workers=2) as run:
        run.until_trials(int(rng.integers(1, 40)))
        kill(run.process.pid, signal.SIGKILL)
        run.until_nobody_is_left()
    there = contents(store)
    assert set(noted(log).values()) == {1}
    again = finish_here(study, store, tmp_path / "again", monkeypatch)
    assert contents(store) == expected
    assert_still_there(there, contents(store))
    assert again == computed(expected) - computed(there)
    assert_same_results(read_results(store), read_results(undisturbed))


def test_a_killed_workers_work_is_taken_over_by_the_others(
    folds, expected, undisturbed, tmp_path, monkeypatch
):
    study, store, log = small_study(folds), tmp_path / "runs.db", tmp_path / "log"

    def kill_one():
        wait_until(lambda: n_trials(store) >= 7)
        worker = int(log.read_text().split()[-1])
        os.kill(worker, signal.SIGKILL)
        return worker

    note_in_workers(log, monkeypatch.setattr, monkeypatch.setenv, pause=0.05)
    with ThreadPoolExecutor(1) as pool:
        killing = pool.submit(kill_one)
        results = compare(study, store, workers=2)
    assert killing.result() != os.getpid()
    assert contents(store) == expected
    assert_same_results(results, read_results(undisturbed))
    # What the killed one was at: a part, and what that part needed.
    assert sum((by_kind(noted(log)) - computed(expected)).values()) <= 2
    assert nothing_is_claimed(store)


def test_two_runs_at_once_share_the_work(folds, expected, undisturbed, tmp_path, monkeypatch):
    study, store, log = small_study(folds), tmp_path / "runs.db", tmp_path / "log"
    note_in_workers(log, monkeypatch.setattr, monkeypatch.setenv, pause=0.04)
    # One works itself, the other one is this process with its two workers.
    monkeypatch.setenv(TOGETHER, "3")
    with Run(study, store, log, pause=0.04, workers=1) as run:
        results = compare(study, store, workers=2)
        assert run.wait() == (0, "", "")
    assert contents(store) == expected
    assert_same_results(results, read_results(undisturbed))
    assert set(noted(log).values()) == {1}
    assert by_kind(noted(log)) == computed(expected)
    written = sorted(path.name for path in tmp_path.iterdir())
    assert written == ["log", "log.ready", "runs.db", "runs.db-owners"]


def test_ctrl_c_ends_the_command_with_its_code_and_without_a_traceback(folds, tmp_path):
    store = tmp_path / "runs.db"
    asked = ["--selectors", "GAS", "--k", "1,2,3,5,all", "--store", str(store), "--workers", "2"]
    command = ["-c", "from ranksieve.cli import main; main()", "compare", str(folds), *asked]
    with Run.of([sys.executable, *command], store) as run:
        run.until_trials(5)
        os.killpg(run.process.pid, signal.SIGINT)
        code, out, err = run.wait()
        assert run.members() == []
    assert (code, out) == (130, "")
    assert "Traceback" not in err
    assert "What was finished is kept: the same command goes on from there." in err
    assert len(contents(store)["trial"]) >= 5
    assert nothing_is_claimed(store)
