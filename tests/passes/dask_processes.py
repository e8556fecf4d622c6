"""A scheduler and workers as processes of their own, on the loopback interface."""

import json
import os
import subprocess
import sys
import time
from contextlib import contextmanager
from contextvars import copy_context
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PATIENCE = 40.0


@contextmanager
def scheduler(folder):
    """Give the process of a scheduler and its address."""
    pytest.importorskip("distributed", reason="Dask is absent: pip install 'ranksieve[dask]'")
    file = folder / "scheduler.json"
    options = ["--port", "0", "--no-show", "--no-dashboard", "--dashboard-address", "127.0.0.1:0"]
    with _process("dask_scheduler", *options, "--scheduler-file", str(file)) as process:
        yield process, _address(file)


@contextmanager
def local_client():
    """Give a client of two processes of a local cluster."""
    pytest.importorskip("distributed", reason="Dask is absent: pip install 'ranksieve[dask]'")
    from ranksieve.passes.cluster import cluster

    # In a context of its own: other tests are not to see it as the active cluster.
    context, manager = copy_context(), cluster("local:2")
    yield context.run(manager.__enter__).client
    context.run(manager.__exit__, None, None, None)


@contextmanager
def worker(address, *options, n_threads=1):
    """Give the process of a worker, which ends soon after its scheduler."""
    with _process(
        *("dask_worker", address, "--nthreads", str(n_threads), "--no-nanny", "--no-dashboard"),
        *("--death-timeout", "5", "--dashboard-address", "127.0.0.1:0", *options),
    ) as process:
        yield process


@contextmanager
def _process(module, *options):
    command = [sys.executable, "-m", f"distributed.cli.{module}", "--host", "127.0.0.1", *options]
    # Sources that this process was pointed to are those of its workers: others are compiled anew.
    folders = filter(None, [str(ROOT), os.environ.get("PYTHONPATH")])
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(folders)}
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def _address(file):
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            return json.loads(file.read_text())["address"]
        except (OSError, ValueError):
            time.sleep(0.05)
    raise TimeoutError("the scheduler did not start")
