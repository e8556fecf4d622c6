"""compare on a cluster: workers do the jobs, and the client alone has the store."""

from __future__ import annotations

import os
import signal
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ranksieve.errors import ClusterError, RunError
from ranksieve.experiment import compare, make_plan
from ranksieve.experiment.comparison import record_study
from ranksieve.experiment.run.remote import run_remotely
from ranksieve.experiment.store.claims import Claims
from ranksieve.experiment.store.store import Store
from ranksieve.passes.cluster import cluster
from ranksieve.progress import listening
from tests.experiment.cases import contents, small_study
from tests.passes.dask_processes import local_client

pytestmark = pytest.mark.usefixtures("time_limit")


@pytest.fixture(scope="module")
def client():
    """A client of two processes of this file's own, which one of its tests kills."""
    with local_client() as connected:
        yield connected


@pytest.fixture
def workers(client):
    with cluster(client) as connected:
        yield connected


def test_a_cluster_writes_the_store_that_one_process_writes(folds, expected, workers, tmp_path):
    compare(small_study(folds), tmp_path / "runs.db")
    assert contents(tmp_path / "runs.db") == expected


def test_paths_are_those_of_the_client_wherever_workers_run(
    folds, expected, workers, tmp_path, monkeypatch
):
    monkeypatch.chdir(Path(folds).parent)
    compare(small_study(Path(folds).name), tmp_path / "runs.db")
    assert contents(tmp_path / "runs.db")["trial"] == expected["trial"]


def test_only_what_is_missing_is_done(folds, expected, workers, tmp_path):
    store, reported = tmp_path / "runs.db", []
    compare(small_study(folds, numbers=[2]), store)
    n_before = len(contents(store)["trial"])
    with listening(lambda *message: reported.append(message)):
        compare(small_study(folds), store)
    assert contents(store)["trial"].keys() >= expected["trial"].keys()
    trials = [message for message in reported if message[0] == "trials"]
    assert trials[0] == ("trials", 0, len(contents(store)["trial"]) - n_before)
    assert trials[-1][1] == trials[-1][2]


def test_errors_of_trials_are_recorded_and_tried_again_on_demand(folds, workers, tmp_path):
    store = tmp_path / "runs.db"
    study = small_study(folds, selectors=['TopK("ndcg@10")'], rankers=["RankSVM(C=[-1, 1])"])
    for retry in (False, True):
        results = compare(study, store, retry_failed=retry)
        assert results.failures
        assert all("C must be" in failure.error for failure in results.failures)


def test_no_claim_and_no_file_is_left_behind(folds, workers, tmp_path):
    compare(small_study(folds), tmp_path / "runs.db")
    with closing(sqlite3.connect(tmp_path / "runs.db")) as store:
        assert store.execute("SELECT * FROM claim").fetchall() == []
    for worker in workers.workers():
        assert workers.call(worker, files_of_worker) == []


def files_of_worker():
    from ranksieve.passes.cluster import worker_folder

    return [path.name for path in worker_folder().glob("ranksieve-*")]


def test_a_job_that_another_process_is_at_is_left_to_it(folds, workers, tmp_path):
    jobs = make_plan(small_study(folds, selectors=[])).jobs
    with Store(tmp_path / "runs.db") as store, Claims(store) as another:
        assert another.take(jobs[0].key)
        looks = []

        def look():
            looks.append(store.n_trials())
            if len(looks) == len(jobs) + 1:
                # It gives up, and the job is done after all.
                assert jobs[0].trials[0].key not in store.done([jobs[0].trials[0].key])
                another.release(jobs[0].key)

        run_remotely(jobs, store, workers, look=look)
        assert store.n_trials() == sum(job.n_trials for job in jobs)


@pytest.mark.skipif(not Path("/proc/self/cwd").exists(), reason="there is no /proc here")
def test_data_that_only_the_client_can_open_is_named_with_the_worker(
    folds, workers, tmp_path, monkeypatch
):
    monkeypatch.chdir(Path(folds).parent)
    folder = f"/proc/self/cwd/{Path(folds).name}"
    with pytest.raises(ClusterError, match=rf"the worker tcp://\S+ cannot read {folder} \(No such"):
        compare(small_study(folder), tmp_path / "runs.db")


def test_data_that_changes_while_a_study_runs_is_an_error_that_names_the_worker(
    folds, workers, tmp_path
):
    from dataclasses import replace

    jobs = [replace(job, fingerprint="0" * 32) for job in make_plan(small_study(folds)).jobs]
    with (
        Store(tmp_path / "runs.db") as store,
        pytest.raises(RunError, match=r"the worker tcp://\S+: .* was changed while the study ran"),
    ):
        run_remotely(jobs, store, workers, look=lambda: None)


@pytest.mark.slow
def test_workers_killed_in_the_middle_change_nothing(folds, expected, workers, tmp_path):
    # The last test of the file: Dask starts others in their place, of which nobody is sure.
    plan = make_plan(small_study(folds))
    with Store(tmp_path / "runs.db") as store:
        record_study(plan, store, "")
        processes = [workers.call(each, os.getpid) for each in workers.workers()]
        assert len(processes) == 2

        def look():
            if processes:
                os.kill(processes.pop(), signal.SIGKILL)

        run_remotely(plan.jobs, store, workers, look=look)
    assert processes == []
    assert contents(tmp_path / "runs.db") == expected
