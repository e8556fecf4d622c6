"""A process of its own that does jobs, for `compare`.

The plan comes on standard input, which the parent then keeps open: where it closes, the parent
is gone, however it went, and the worker ends at once. What it did not write is done again later.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import IO, Any

from threadpoolctl import threadpool_limits

from ranksieve.errors import RanksieveError
from ranksieve.experiment.plan import Job
from ranksieve.experiment.run.jobs import Runner
from ranksieve.experiment.run.shared import PAUSE
from ranksieve.experiment.store.claims import Claims
from ranksieve.experiment.store.store import Store
from ranksieve.threads import threads

# Exit code of a worker that has said on standard output why it could not go on.
SAID_WHY = 3


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


def main() -> None:
    """Read the plan, do it, and end: with 0, or with the reason on standard output."""
    answers = _own_output()
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
        _say(answers, {"error": str(error)})
        os._exit(SAID_WHY)


def _own_output() -> IO[str]:
    """Return standard output, and lead what libraries print to standard error.

    The parent reads at the end only: a full pipe would stop the worker for ever.
    """
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return answers


def _say(answers: IO[str], message: dict[str, Any]) -> None:
    answers.write(json.dumps(message) + "\n")
    answers.flush()


def _end_with_parent() -> None:
    # Not through `sys.stdin`: its lock, held by this thread, would break the end of the process.
    os.read(0, 1)
    os._exit(1)
