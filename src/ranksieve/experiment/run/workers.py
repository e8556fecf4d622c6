"""Jobs in this process, or in several that are watched until the last one ends.

A worker gets its jobs on standard input, which the parent then keeps open: where it closes, the
parent is gone, however it went, and the worker ends at once. What it did not write is done again
later.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from threadpoolctl import threadpool_limits

from ranksieve.errors import RanksieveError, RunError
from ranksieve.experiment.run.jobs import Runner
from ranksieve.experiment.run.shared import PAUSE
from ranksieve.experiment.store.claims import Claims
from ranksieve.experiment.store.store import Store
from ranksieve.experiment.trials import Job
from ranksieve.kernels.compile_cache import QUIET
from ranksieve.threads import threads

# Seconds between two looks at the store, and for workers to end when they are told to.
_LOOK, _GRACE = 0.5, 10.0
# A worker leaves Ctrl-C to its parent, from before its first import on.
_START = (
    "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); "
    "from ranksieve.packages import import_less; import_less(); "
    "from ranksieve.experiment.run.workers import main; main()"
)
# Exit code of a worker that has said on standard output why it could not go on.
GAVE_UP = 3


def work(
    jobs: Sequence[Job], store: Store, *, after_each: Callable[[], None] | None = None
) -> None:
    """Do jobs until all are done, by this process or by others that are at it too.

    `after_each` is called after each trial, and after each job that another process did.
    """
    pending = list(jobs)
    # One thread, so that results are the same on every machine and with any number of workers.
    # Of BLAS too: it adds up in another order with two, in products of long vectors.
    with threads(1), threadpool_limits(1, user_api="blas"), Claims(store) as claims:
        runner = Runner(store, claims, after_each=after_each)
        while pending:
            left = []
            for job in pending:
                if not _done(job, runner, claims):
                    left.append(job)
                elif after_each is not None:
                    after_each()
            if len(left) == len(pending):
                time.sleep(PAUSE)
            pending = left


def _done(job: Job, runner: Runner, claims: Claims) -> bool:
    """Do a job; False where another process is at it."""
    if not runner.missing(job):
        return True
    if not claims.take(job.key):
        return False
    try:
        runner.run(job)
    finally:
        claims.release(job.key)
    return True


def run_workers(
    jobs: Sequence[Job], store: Path, n_workers: int, *, look: Callable[[], None]
) -> None:
    """Do jobs in `n_workers` processes; `look` is called now and then.

    A worker that is killed does not end the others, which take over what it was at.
    """
    workers: list[_Worker] = []
    try:
        for number in range(n_workers):
            workers.append(_Worker())
            # Each starts elsewhere, so that they rarely want the same fold.
            first = number * len(jobs) // n_workers
            workers[-1].ask(store, [*jobs[first:], *jobs[:first]])
        while any(worker.running for worker in workers):
            time.sleep(_LOOK)
            look()
            if any(worker.has_given_up for worker in workers):
                break
    finally:
        for worker in workers:
            worker.tell_to_end()
        for worker in workers:
            worker.end()
    _check(workers)


class _Worker:
    def __init__(self) -> None:
        self._output = ""
        # -P: a file json.py in the working folder is not the worker's, unless it is the parent's.
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _START],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # What can be said once is said by the parent.
            env=os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": _module_folders(), QUIET: "1"},
            text=True,
        )

    def ask(self, store: Path, jobs: Sequence[Job]) -> None:
        """Hand over the plan. Standard input stays open: the worker ends when it closes."""
        request = {"store": str(store), "jobs": [job.to_json() for job in jobs]}
        stdin: IO[str] = self._process.stdin  # type: ignore[assignment]
        # One that has ended already is seen by its exit code.
        with suppress(BrokenPipeError):
            stdin.write(json.dumps(request) + "\n")
            stdin.flush()

    @property
    def running(self) -> bool:
        return self._process.poll() is None

    @property
    def has_given_up(self) -> bool:
        return self._process.poll() == GAVE_UP

    @property
    def code(self) -> int:
        return int(self._process.returncode)

    def reason(self) -> str:
        """Return why a worker that has ended gave up."""
        return str(json.loads(self._output.splitlines()[-1])["error"])

    def tell_to_end(self) -> None:
        """Ask the process to end, if it has not ended by itself."""
        if self.running:
            self._process.terminate()

    def end(self) -> None:
        """Wait for the end of the process, for a while."""
        try:
            self._process.wait(_GRACE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdin is not None:
            # What a dead worker did not read cannot be flushed.
            with suppress(BrokenPipeError):
                self._process.stdin.close()
        if self._process.stdout is not None:
            self._output = self._process.stdout.read()
            self._process.stdout.close()


def _module_folders() -> str:
    """Return where this process looks for modules, for workers to look there too."""
    return os.pathsep.join(folder or str(Path.cwd()) for folder in sys.path)


def _check(workers: list[_Worker]) -> None:
    for worker in workers:
        if worker.code == GAVE_UP:
            raise RunError(worker.reason())
    # Killed workers matter only where nobody was left to take over.
    if all(worker.code != 0 for worker in workers):
        raise RunError(
            f"all {len(workers)} workers ended before everything was done (exit codes "
            f"{', '.join(str(worker.code) for worker in workers)}; -9 is often too little memory). "
            "What was finished is kept. Run the same command again, with fewer --workers if "
            "memory is short."
        )


def main() -> None:
    """Read the plan, do it, and end: with 0, or with the reason on standard output."""
    # As a command does: at its end Python would look for garbage among all that was loaded.
    atexit.register(gc.freeze)
    answers = _separate_output()
    line = sys.stdin.readline()
    if not line.endswith("\n"):
        os._exit(1)  # the parent is gone already
    request = json.loads(line)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        with Store(request["store"], create=False) as store:
            jobs = [Job.from_json(text) for text in request["jobs"]]
            work(jobs, store)
    except RanksieveError as error:
        _answer(answers, {"error": str(error)})
        os._exit(GAVE_UP)


def _separate_output() -> IO[str]:
    """Return standard output, and lead what libraries print to standard error.

    The parent reads at the end only: a full pipe would stop the worker for ever.
    """
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return answers


def _answer(answers: IO[str], message: dict[str, Any]) -> None:
    answers.write(json.dumps(message) + "\n")
    answers.flush()


def _end_with_parent() -> None:
    # Not through `sys.stdin`: its lock, held by this thread, would break the end of the process.
    os.read(0, 1)
    os._exit(1)
