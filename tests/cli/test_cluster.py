"""--cluster: the same commands on worker processes, and what Ctrl-C leaves."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ranksieve import make_ranking
from ranksieve.data import write_text
from tests.experiment.cases import contents
from tests.passes.dask_processes import scheduler, worker

pytest.importorskip("distributed", reason="Dask is absent: pip install 'ranksieve[dask]'")
pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("time_limit")]
PROGRAM = str(Path(sys.executable).parent / "ranksieve")
PATIENCE = 100


@pytest.fixture(scope="module")
def train(tmp_path_factory):
    data, _ = make_ranking(40, 12, n_relevant=3, n_redundant=2, n_irrelevant=4)
    path = tmp_path_factory.mktemp("cluster") / "train.txt"
    write_text(data, path)
    return path


def test_a_comparison_on_a_local_cluster_names_its_processes_and_prints_results(train, tmp_path):
    command = (
        PROGRAM,
        *("compare", train, "--selectors", 'TopK("ndcg@10")', "--rankers", "RankSVM(C=0.01)"),
        *("--k", "2,all", "--store", tmp_path / "runs.db", "--cluster", "local:2", "--json"),
    )
    ended = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert ended.returncode == 0, ended.stderr
    assert "on 2 processes" in ended.stderr
    assert json.loads(ended.stdout)["failures"] == []


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """The address of a scheduler with two workers, which run in another folder than the client."""
    folder = tmp_path_factory.mktemp("workers")
    with scheduler(folder) as (_, found), worker(found, n_threads=2), worker(found):
        yield found


def test_a_sieve_on_a_cluster_answers_as_one_process_does(ranksieve, train, address):
    options = ("sieve", train, "--ranker", "RankSVM(C=0.01)", "--folds", "3", "--repeats", "1")
    answers = []
    for cluster in ((), ("--cluster", address)):
        code, out, err = ranksieve(*options, "--json", *cluster)
        assert code == 0, err
        answer = json.loads(out)
        answer["making"].pop("seconds")
        answers.append(answer)
    assert answers[0] == answers[1]


def test_a_comparison_on_workers_of_another_folder_fills_the_store_as_one_process_does(
    ranksieve, train, address, tmp_path, monkeypatch
):
    monkeypatch.chdir(train.parent)
    options = (
        "--selectors",
        'TopK("ndcg@10")',
        "--rankers",
        "RankSVM(C=[0.01, 1])",
        "--k",
        "2,all",
    )
    stores = [tmp_path / "local.db", tmp_path / "cluster.db"]
    places = ("--workers", 1), ("--cluster", address)
    for store, place in zip(stores, places, strict=True):
        code, _, err = ranksieve("compare", train.name, *options, "--store", store, *place)
        assert code == 0, err
    assert contents(stores[1]) == contents(stores[0])


@pytest.mark.parametrize("command", ["sieve", "select", "train", "compare"])
def test_an_address_that_is_none_is_an_error_of_every_command(ranksieve, command, train, tmp_path):
    options = {
        "sieve": (),
        "select": (),
        "train": ("-o", tmp_path / "model.json"),
        "compare": ("-s", "GAS", "--store", tmp_path / "runs.db"),
    }
    code, _, err = ranksieve(command, train, *options[command], "--cluster", "nowhere")
    assert code == 1
    assert "tcp://host:port" in err


def test_workers_and_a_cluster_are_not_given_together(ranksieve, train, tmp_path):
    code, _, err = ranksieve(
        "compare", train, "--store", tmp_path / "runs.db", "--workers", 2, "--cluster", "local:2"
    )
    assert code == 2
    assert "give one" in err


def test_ctrl_c_ends_a_sieve_and_leaves_no_process(train, tmp_path):
    ranker = "LightGBMRanker(100, learning_rate=0.1, validation_share=None)"
    command = [PROGRAM, "sieve", train, "--ranker", ranker, "-o", tmp_path, "--cluster", "local:2"]
    # A terminal sends Ctrl-C to all processes of a command, and so does this test.
    child = subprocess.Popen(
        list(map(str, command)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        wait_until(lambda: (tmp_path / "trainings.db").exists() or child.poll() is not None)
        wait_until(lambda: len(processes_of(child.pid)) >= 3 or child.poll() is not None)
        time.sleep(1.0)
        os.killpg(child.pid, signal.SIGINT)
        _, messages = child.communicate(timeout=PATIENCE)
    finally:
        if child.poll() is None:
            os.killpg(child.pid, signal.SIGKILL)
            child.communicate()
    assert child.returncode == 130
    assert "Traceback" not in messages
    wait_until(lambda: processes_of(child.pid) == [])


def processes_of(session):
    """The processes of a session that have not ended."""
    running = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[3]) == session and fields[0] != "Z":
            running.append(int(path.parent.name))
    return running


def wait_until(holds):
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)
