"""Calls on a cluster whose workers stay."""

import os
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from ranksieve.errors import ClusterError, DataError, ParameterError
from ranksieve.passes.cluster import active_cluster, cluster
from ranksieve.passes.cluster.versions import versions
from ranksieve.threads import threads
from tests.passes import remote_functions as remote

pytestmark = pytest.mark.usefixtures("time_limit")


@pytest.fixture
def workers(local_cluster):
    with cluster(local_cluster) as connected:
        yield connected


def test_a_cluster_is_active_inside_the_with_and_nowhere_else(local_cluster):
    assert active_cluster() is None
    with cluster(local_cluster) as connected:
        assert active_cluster() is connected
    assert active_cluster() is None


def test_a_client_that_is_given_stays_open(local_cluster):
    with cluster(local_cluster):
        pass
    assert local_cluster.status == "running"


def test_workers_are_listed_in_one_order(workers):
    assert workers.workers() == sorted(workers.workers())
    assert len(workers.workers()) == 2


def test_a_call_runs_on_its_worker_with_the_threads_of_that_and_no_cluster(workers):
    with threads(7):
        for address in workers.workers():
            assert workers.call(address, remote.facts) == (address, 1, True)


def test_calls_of_all_workers_run_at_the_same_time(workers):
    answers = workers.call_all(dict.fromkeys(workers.workers(), (remote.sleep, (0.1,))))
    assert list(answers) == workers.workers()
    assert len(set(answers.values()) - {os.getpid()}) == 2


def test_arrays_keep_their_layout_and_may_be_written_to(workers):
    (address, _) = workers.workers()
    read_only = np.zeros((3, 2), order="F")
    read_only.flags.writeable = False
    assert workers.call(address, remote.flags, np.zeros((3, 2), order="F")) == (True, True)
    assert workers.call(address, remote.flags, read_only) == (False, True)
    assert remote.flags(workers.call(address, remote.zeros, (3, 2))) == (True, True)


def test_an_error_of_ranksieve_comes_back_as_it_is(workers):
    with pytest.raises(DataError, match=r"^row 3 has no grade\. Give it one\.$") as caught:
        workers.call(workers.workers()[0], remote.fail_with_data_error)
    assert not hasattr(caught.value, "__notes__")


def test_another_error_comes_back_with_the_worker_in_a_note(workers):
    address = workers.workers()[1]
    with pytest.raises(KeyError, match="absent") as caught:
        workers.call(address, remote.fail_with_key_error)
    assert caught.value.__notes__[0].startswith(f"Raised on the worker {address}")


def test_an_error_that_cannot_be_pickled_comes_back_in_words(workers):
    with pytest.raises(RuntimeError, match="TwoArgumentsError: salt and pepper"):
        workers.call(workers.workers()[0], remote.fail_with_an_error_that_cannot_travel)


def test_warnings_of_workers_are_given_at_the_client_each_time(workers):
    for _ in range(2):
        with pytest.warns(UserWarning, match="4 is doubled"):
            assert list(workers.map(remote.warn_and_double, [4])) == [8]


def test_a_map_gives_results_in_the_order_of_the_items(workers):
    assert list(workers.map(remote.square, range(30))) == [number**2 for number in range(30)]
    assert list(workers.map(remote.square, [])) == []


def test_a_map_reads_its_items_a_few_at_a_time(workers):
    read = []

    def items():
        for number in range(100):
            read.append(number)
            yield number

    results = workers.map(remote.square, items())
    assert next(results) == 0
    assert len(read) <= 5
    results.close()


def test_what_tasks_share_is_sent_to_each_worker_once_also_over_several_maps(workers):
    table = remote.Table(np.arange(12.0).reshape(4, 3))
    sums = list(workers.map(remote.row_sum, range(4), shared=table))
    assert sums == [3.0, 12.0, 21.0, 30.0]
    copies = set()
    for _ in range(2):
        copies |= set(workers.map(remote.copies_of, range(8), shared=table))
        # Longer than the two seconds after which Dask looks for copies that no task is using.
        time.sleep(2.2)
    assert len(copies) == len({process for process, _ in copies})


def test_an_error_in_a_map_is_raised_where_its_result_would_come(workers):
    table = remote.Table(np.ones((2, 2)))
    results = workers.map(remote.row_sum, [0, 1, 7], shared=table)
    assert [next(results), next(results)] == [2.0, 2.0]
    with pytest.raises(IndexError, match="out of bounds"):
        next(results)


def test_ctrl_c_leaves_a_call_at_once_and_the_cluster_goes_on(workers):
    first, second = workers.workers()
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        workers.call(first, remote.sleep, 4)
    assert workers.call(second, remote.square, 3) == 9


def test_ctrl_c_in_a_map_drops_what_waits(workers, tmp_path):
    requests = [(str(tmp_path), number) for number in range(20)]
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        list(workers.map(remote.mark_and_sleep, requests))
    # What ran ends by itself; the tasks behind it, which Dask had already, are not begun.
    assert list(workers.map(remote.square, range(4))) == [0, 1, 4, 9]
    assert len(list(tmp_path.iterdir())) <= 2


def test_files_that_all_workers_read_are_fine(workers, tmp_path):
    (tmp_path / "train.txt").write_text("1 qid:1 1:1\n")
    workers.check_paths([tmp_path, tmp_path / "train.txt"])


@pytest.mark.skipif(not Path("/proc/self/cwd").exists(), reason="there is no /proc here")
def test_a_path_that_only_the_client_can_open_is_named_with_the_worker(
    workers, tmp_path, monkeypatch
):
    (tmp_path / "train.txt").write_text("1 qid:1 1:1\n")
    monkeypatch.chdir(tmp_path)
    assert Path("/proc/self/cwd/train.txt").exists()
    message = rf"the worker {workers.workers()[0]} cannot read /proc/self/cwd/train\.txt \(No such"
    with pytest.raises(ClusterError, match=message):
        workers.check_paths(["/proc/self/cwd/train.txt"])


def test_versions_are_those_of_ranksieve_python_and_numpy(workers):
    assert workers.call(workers.workers()[0], versions) == versions()


@pytest.mark.parametrize("address", ["local", "local:", "10.0.0.1:8786", "tcp://10.0.0.1", 4, None])
def test_what_is_no_address_is_refused_with_those_that_are(address):
    pytest.importorskip("distributed")
    with pytest.raises(ParameterError, match=r"'tcp://host:port'.*'local:4'.*distributed\.Client"):
        cluster(address).__enter__()


def test_no_workers_are_no_cluster():
    pytest.importorskip("distributed")
    with pytest.raises(ParameterError, match="at least one worker"):
        cluster("local:0").__enter__()


def test_without_dask_the_install_line_is_shown(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "distributed", None)
    with pytest.raises(ImportError, match=r"pip install 'ranksieve\[dask\]'"):
        cluster("local:2").__enter__()
