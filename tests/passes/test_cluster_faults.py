"""Workers that end, run out of memory, come late or differ, and a scheduler that is gone.

The result is what it would have been, or a clear error; nothing hangs.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from ranksieve.errors import ClusterError
from ranksieve.passes.cluster import cluster
from tests.passes import remote_functions as remote
from tests.passes.dask_processes import scheduler, worker

pytest.importorskip("distributed", reason="Dask is absent: pip install 'ranksieve[dask]'")
pytestmark = [pytest.mark.usefixtures("time_limit"), pytest.mark.slow]


class FragileCluster:
    """Two worker processes that tests may kill; others take their place, or all are new."""

    client = None

    def ready(self):
        if self.client is not None and not self._has_two():
            self.close()
        if self.client is None:
            self.client = local_client(n_workers=2)
        return self.client

    def _has_two(self):
        # A nanny does not always start a worker again that ended while it started.
        try:
            self.client.wait_for_workers(2, timeout=5)
        except TimeoutError:
            return False
        return True

    def close(self):
        if self.client is not None:
            self.client.close()
            self.client.cluster.close()
            self.client = None


@pytest.fixture(scope="module")
def fragile():
    clusters = FragileCluster()
    yield clusters
    clusters.close()


@pytest.fixture
def workers(fragile):
    with cluster(fragile.ready()) as connected:
        yield connected


def local_client(**options):
    import distributed

    return distributed.Client(
        threads_per_worker=1, dashboard_address="127.0.0.1:0", silence_logs=50, **options
    )


def test_a_worker_killed_in_a_pinned_call_is_an_error_that_names_it(workers):
    address, other = workers.workers()
    requests = {address: (remote.end_process, ()), other: (remote.sleep, (3,))}
    with pytest.raises(ClusterError, match=f"worker {address} was lost during a pass.*memory"):
        workers.call_all(requests, label="a pass")


def test_a_worker_that_went_before_its_call_is_an_error_that_names_it(workers):
    gone = "tcp://127.0.0.1:1"
    with pytest.raises(ClusterError, match=f"worker {gone} was lost"):
        workers.call(gone, remote.process_id)


def test_tasks_of_killed_workers_are_done_again_with_the_same_results(workers, tmp_path):
    function = partial(remote.end_process_once, str(tmp_path))
    assert list(workers.map(function, range(8))) == [number**2 for number in range(8)]
    assert len(list(tmp_path.iterdir())) == 3


def test_what_tasks_share_is_sent_again_when_all_workers_that_had_it_were_killed(workers, tmp_path):
    requests = [(str(tmp_path), number, 2) for number in range(4)]
    table = remote.Table(np.ones(3))
    results = list(workers.map(remote.end_all_once, requests, shared=table))
    assert results == [3.0, 4.0, 5.0, 6.0]


def test_a_task_that_kills_every_worker_is_given_up(workers):
    with pytest.raises(ClusterError, match=r"orders: task 2 ended 4 workers.*needs more memory"):
        list(workers.map(_end_at_one, range(3), label="orders"))


def _end_at_one(number):
    if number == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def test_a_worker_that_runs_out_of_memory_is_an_error_and_not_a_hang():
    scheduler_options = {"allowed_failures": 0}
    with (
        local_client(
            n_workers=1, memory_limit=600 << 20, scheduler_kwargs=scheduler_options
        ) as client,
        cluster(client) as connected,
    ):
        assert list(connected.map(remote.square, [3])) == [9]
        with pytest.raises(ClusterError, match=r"task 1 ended 1 workers.*needs more memory"):
            list(connected.map(remote.use_memory, [1 << 30]))
        client.wait_for_workers(1, timeout=30)
        (address,) = connected.workers()
        with pytest.raises(ClusterError, match=f"{address} was lost.*use up its memory"):
            connected.call(address, remote.use_memory, 1 << 30)


def test_a_worker_that_joins_late_takes_tasks_and_the_order_stays():
    with local_client(n_workers=1) as client, cluster(client) as connected:
        table = remote.Table(np.ones(3))
        results = connected.map(_slow, range(16), shared=table)
        seen = [next(results)]
        client.cluster.scale(2)
        client.wait_for_workers(2, timeout=30)
        seen += results
    assert [number for number, _ in seen] == list(range(16))
    assert len({process for _, process in seen}) == 2


def _slow(table, number):
    return remote.slow_process_id(number)


def test_a_cluster_whose_last_worker_ends_is_an_error_after_a_while(tmp_path, monkeypatch):
    monkeypatch.setattr("ranksieve.passes.cluster.connection.NO_WORKER", 1.0)
    with scheduler(tmp_path) as (_, address), worker(address), cluster(address) as connected:
        message = r"no worker for 1 seconds that takes tasks; it has none: start workers"
        with pytest.raises(ClusterError, match=message):
            list(connected.map(remote.end_process, range(3)))


@pytest.mark.parametrize("by", ["call", "map"])
def test_a_scheduler_that_is_killed_is_an_error_and_not_a_hang(by, tmp_path):
    with scheduler(tmp_path) as (process, address), worker(address), cluster(address) as connected:
        (only,) = connected.workers()
        work = {
            "call": lambda: connected.call(only, remote.sleep, 30),
            "map": lambda: list(connected.map(remote.sleep, [30])),
        }
        threading.Timer(1.0, process.kill).start()
        with pytest.raises(ClusterError, match=f"the scheduler at {address} is gone"):
            work[by]()


def test_a_worker_of_another_version_is_refused_before_anything_runs(tmp_path):
    preload = tmp_path / "older.py"
    preload.write_text("import ranksieve\nranksieve.__version__ = '0.0.1'\n")
    with scheduler(tmp_path) as (_, address), worker(address, "--preload", str(preload)):
        message = r"the worker tcp://127\.0\.0\.1:\d+ has ranksieve 0\.0\.1, but the client has"
        with pytest.raises(ClusterError, match=message):
            cluster(address).__enter__()


def test_a_worker_without_ranksieve_is_refused(tmp_path):
    preload = tmp_path / "without.py"
    preload.write_text(
        "import sys\n"
        "for name in [name for name in sys.modules if name.startswith('ranksieve')]:\n"
        "    del sys.modules[name]\n"
        "sys.modules['ranksieve'] = None\n"
    )
    message = r"has no ranksieve .*Install the same version"
    with (
        scheduler(tmp_path) as (_, address),
        worker(address, "--preload", str(preload)),
        pytest.raises(ClusterError, match=message),
    ):
        cluster(address).__enter__()


def test_an_address_where_nothing_answers_is_an_error(monkeypatch):
    monkeypatch.setattr("ranksieve.passes.cluster.connect._CONNECT", 0.5)
    with pytest.raises(ClusterError, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:1"):
        cluster("tcp://127.0.0.1:1").__enter__()


def test_a_scheduler_without_workers_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr("ranksieve.passes.cluster.connect._FIRST_WORKER", 0.5)
    with (
        scheduler(tmp_path) as (_, address),
        pytest.raises(ClusterError, match=f"has no workers.*dask worker {address}"),
    ):
        cluster(address).__enter__()


def test_the_processes_of_a_local_cluster_end_with_it_also_after_an_error():
    processes = []

    def fail_on_cluster():
        with cluster("local:2") as connected:
            processes.extend(connected.call(each, os.getpid) for each in connected.workers())
            raise KeyError

    with pytest.raises(KeyError):
        fail_on_cluster()
    assert len(processes) == 2
    assert not any(_runs(process) for process in processes)


def test_workers_end_with_a_client_that_is_killed(tmp_path):
    program = (
        "import os, signal\n"
        "from ranksieve.passes.cluster import cluster\n"
        "if __name__ == '__main__':\n"
        "    with cluster('local:1') as connected:\n"
        "        (worker,) = connected.workers()\n"
        "        print(connected.call(worker, os.getpid), flush=True)\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    script = tmp_path / "script.py"
    script.write_text(program)
    ended = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=50, check=False
    )
    assert ended.returncode == -signal.SIGKILL
    process = int(ended.stdout)
    end = time.monotonic() + 20
    while _runs(process) and time.monotonic() < end:
        time.sleep(0.1)
    assert not _runs(process)


def _runs(process):
    """Tell whether a process is there that has not ended."""
    try:
        status = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
    return status.rsplit(")", 1)[1].split()[0] != "Z"
