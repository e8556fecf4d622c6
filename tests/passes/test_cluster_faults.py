"""Workers that end, run out of memory, come late or differ, and a scheduler that is gone.

The result is what it would have been, or a clear error; nothing hangs.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from ranksieve.catalog import parse
from ranksieve.errors import ClusterError
from ranksieve.passes.cluster import cluster, place
from ranksieve.threads import threads
from tests.passes import remote_functions as remote
from tests.passes.dask_processes import scheduler, worker

distributed = pytest.importorskip("distributed", reason="pip install 'ranksieve[dask]'")
dask = pytest.importorskip("dask")
pytestmark = [pytest.mark.usefixtures("time_limit"), pytest.mark.slow]


# Of the workers of FragileCluster: many times what they need, and less than tests let them use.
MEMORY = 800 << 20
START_METHOD = "distributed.worker.multiprocessing-method"


class FragileCluster:
    """Two worker processes that tests may kill; others take their place, or all are new."""

    client = None

    def ready(self):
        if self.client is not None and not self._has_two():
            self.close()
        if self.client is None:
            self.client = distributed.Client(
                n_workers=2,
                threads_per_worker=1,
                memory_limit=MEMORY,
                dashboard_address="127.0.0.1:0",
                silence_logs=50,
            )
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
    # Forks of a process that has imported all they need: most of the time of a start.
    with dask.config.set({START_METHOD: "forkserver"}):
        context = distributed.utils.get_mp_context()
        context.set_forkserver_preload(["distributed", "ranksieve.passes.cluster"])
        clusters = FragileCluster()
        yield clusters
        clusters.close()


@pytest.fixture
def workers(fragile):
    with cluster(fragile.ready()) as connected:
        yield connected


@pytest.fixture
def allow_failures(workers, monkeypatch):
    """Let Dask do a task again on another worker up to some times."""
    return partial(monkeypatch.setattr, workers.client.cluster.scheduler, "allowed_failures")


class OutsideCluster:
    """The process of a scheduler, which tests may kill: then there is a new one."""

    process = address = None

    def __init__(self, folders):
        self._folders, self._processes = folders, ExitStack()

    def ready(self):
        """Give the address of a scheduler that has no workers yet."""
        if self.process is None or self.process.poll() is not None:
            folder = self._folders.mktemp("scheduler")
            self.process, self.address = self._processes.enter_context(scheduler(folder))
        with distributed.Client(self.address, set_as_default=False) as client:
            while client.scheduler_info()["workers"]:  # one that a test before this one has ended
                time.sleep(0.05)
        return self.address

    def close(self):
        self._processes.close()


@pytest.fixture(scope="module")
def outside(tmp_path_factory):
    clusters = OutsideCluster(tmp_path_factory)
    yield clusters
    clusters.close()


@pytest.fixture
def address(outside):
    """The scheduler of a cluster without workers."""
    return outside.ready()


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


def test_a_task_that_kills_every_worker_is_given_up(workers, allow_failures):
    allow_failures(1)
    with pytest.raises(ClusterError, match=r"orders: task 2 ended 2 workers.*needs more memory"):
        list(workers.map(_end_at_one, range(3), label="orders"))


def _end_at_one(number):
    if number == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def test_a_worker_that_runs_out_of_memory_is_an_error_and_not_a_hang(workers, allow_failures):
    allow_failures(0)
    assert list(workers.map(remote.square, [3])) == [9]
    with pytest.raises(ClusterError, match=r"task 1 ended 1 workers.*needs more memory"):
        list(workers.map(remote.use_memory, [1 << 30]))
    workers.client.wait_for_workers(1, timeout=30)
    address = workers.workers()[0]
    with pytest.raises(ClusterError, match=f"{address} was lost.*use up its memory"):
        workers.call(address, remote.use_memory, 1 << 30)


def test_a_worker_killed_in_the_middle_of_a_solve_is_a_clear_error(workers, data, monkeypatch):
    monkeypatch.setattr("ranksieve.problems.pair_risk._SMALL_DATA", 0)
    placed = place(data)
    victim = workers.call(workers.workers()[1], os.getpid)
    killing = threading.Timer(0.3, os.kill, (victim, signal.SIGKILL))
    killing.start()
    with threads(1), pytest.raises(ClusterError, match=r"the worker tcp://\S+ (was|is) lost"):
        _solve_on_and_on(placed)
    assert killing.finished.is_set()


def _solve_on_and_on(placed):
    while True:
        parse("SparseRankSVM(strength=0.01)", "selectors").fit(placed)


def test_a_worker_that_joins_late_takes_tasks_and_the_order_stays(workers):
    workers.client.cluster.scale(1)
    while len(workers.workers()) > 1:
        time.sleep(0.05)
    table = remote.Table(np.ones(3))
    results = workers.map(_slow, range(16), shared=table)
    seen = [next(results)]
    workers.client.cluster.scale(2)
    workers.client.wait_for_workers(2, timeout=30)
    seen += results
    assert [number for number, _ in seen] == list(range(16))
    assert len({process for _, process in seen}) == 2


def _slow(table, number):
    return remote.slow_process_id(number)


def test_a_cluster_whose_last_worker_ends_is_an_error_after_a_while(address, monkeypatch):
    monkeypatch.setattr("ranksieve.passes.cluster.connection.NO_WORKER", 1.0)
    with worker(address), cluster(address) as connected:
        message = r"no worker for 1 seconds that takes tasks; it has none: start workers"
        with pytest.raises(ClusterError, match=message):
            list(connected.map(remote.end_process, range(3)))


def test_a_scheduler_that_is_killed_is_an_error_and_not_a_hang(outside, address):
    message = f"the scheduler at {address} is gone"
    with worker(address), cluster(address) as connected, ThreadPoolExecutor() as beside:
        (only,) = connected.workers()
        call = beside.submit(connected.call, only, remote.sleep, 30)
        threading.Timer(1.0, outside.process.kill).start()
        with pytest.raises(ClusterError, match=message):
            list(connected.map(remote.sleep, [30]))
        with pytest.raises(ClusterError, match=message):
            call.result()


def test_a_worker_of_another_version_is_refused_before_anything_runs(address, tmp_path):
    preload = tmp_path / "older.py"
    preload.write_text("import ranksieve\nranksieve.__version__ = '0.0.1'\n")
    with worker(address, "--preload", str(preload)):
        message = r"the worker tcp://127\.0\.0\.1:\d+ has ranksieve 0\.0\.1, but the client has"
        with pytest.raises(ClusterError, match=message):
            cluster(address).__enter__()


def test_a_worker_without_ranksieve_is_refused(address, tmp_path):
    preload = tmp_path / "without.py"
    preload.write_text(
        "import sys\n"
        "for name in [name for name in sys.modules if name.startswith('ranksieve')]:\n"
        "    del sys.modules[name]\n"
        "sys.modules['ranksieve'] = None\n"
    )
    message = r"has no ranksieve .*Install the same version"
    with (
        worker(address, "--preload", str(preload)),
        pytest.raises(ClusterError, match=message),
    ):
        cluster(address).__enter__()


def test_an_address_where_nothing_answers_is_an_error(monkeypatch):
    monkeypatch.setattr("ranksieve.passes.cluster.connect._CONNECT", 0.5)
    with pytest.raises(ClusterError, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:1"):
        cluster("tcp://127.0.0.1:1").__enter__()


def test_a_scheduler_without_workers_is_an_error(address, monkeypatch):
    monkeypatch.setattr("ranksieve.passes.cluster.connect._FIRST_WORKER", 0.5)
    with pytest.raises(ClusterError, match=f"has no workers.*dask worker {address}"):
        cluster(address).__enter__()


def test_the_processes_of_a_local_cluster_end_with_it_also_after_an_error():
    processes = []

    def fail_on_cluster():
        with cluster("local:2") as connected:
            processes.extend(connected.call(each, os.getpid) for each in connected.workers())
            raise KeyError

    with dask.config.set({START_METHOD: "spawn"}), pytest.raises(KeyError):
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
