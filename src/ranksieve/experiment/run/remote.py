"""Jobs on the workers of a cluster, whose trials come to the client's store.

The client alone opens the store: it claims a job, a worker does it, and its trials are written
when they come back. A worker has a store of its own in a temporary folder, so that what its jobs
share is computed once on each worker. Two workers may train the same model; the first counts.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from ranksieve.errors import RanksieveError, RunError
from ranksieve.experiment.run.jobs import Runner
from ranksieve.experiment.run.shared import PAUSE
from ranksieve.experiment.store.claims import Claims
from ranksieve.experiment.store.exchange import Records, add_records, last_part, records_of
from ranksieve.experiment.store.store import Store
from ranksieve.experiment.trials import Job, digest
from ranksieve.passes.cluster import Cluster, process_name, worker_address, worker_folder
from ranksieve.sources import as_source


class _Request(NamedTuple):
    """A job for a worker: its text, its missing trials, and the name of the worker's store."""

    store_name: str
    job: str
    keys: tuple[str, ...]


def run_remotely(
    jobs: Sequence[Job], store: Store, cluster: Cluster, *, look: Callable[[], None]
) -> None:
    """Do jobs on the workers of a cluster; `look` is called after each.

    Where the client ends before a job came back, that job is done again by the next run.
    """
    sources = {job.source: as_source(job.source).with_full_paths() for job in jobs}
    cluster.check_paths({path for source in sources.values() for path in source.files().values()})
    name = digest("worker store", process_name(), str(store.path.resolve()))
    located = [replace(job, source=repr(sources[job.source])) for job in jobs]
    with Claims(store) as claims:
        while located:
            queue = _Queue(located, store, claims, name)
            for records in cluster.map(_done_job, queue.requests(), label="jobs of the comparison"):
                add_records(store, records)
                queue.release_first()
                look()
            if len(queue.held) == len(located):
                time.sleep(PAUSE)
            look()
            located = queue.held
    with suppress(RanksieveError):
        cluster.call_all(dict.fromkeys(cluster.workers(), (_forget, (name,))))


class _Queue:
    """Jobs on their way to workers, each claimed when it is sent."""

    def __init__(self, jobs: Sequence[Job], store: Store, claims: Claims, name: str) -> None:
        self._jobs, self._store, self._claims, self._name = jobs, store, claims, name
        self._sent: deque[Job] = deque()
        # Jobs that another process is at.
        self.held: list[Job] = []

    def requests(self) -> Iterator[_Request]:
        """Yield what workers are asked for."""
        for job in self._jobs:
            done = self._store.done(trial.key for trial in job.trials)
            keys = tuple(trial.key for trial in job.trials if trial.key not in done)
            if keys and not self._claims.take(job.key):
                self.held.append(job)
            elif keys:
                self._sent.append(job)
                yield _Request(self._name, job.to_json(), keys)

    def release_first(self) -> None:
        """Give up the claim on the job that was sent first: it came back."""
        self._claims.release(self._sent.popleft().key)


class _WorkerStore(threading.local):
    """The store of a worker and what does jobs with it: one for each thread, as SQLite wants it."""

    path: Path | None = None
    store: Store
    runner: Runner

    def open(self, path: Path) -> None:
        """Have the store of a path open, and no other."""
        if self.path == path:
            return
        self.close()
        self.store = Store(path)
        self.runner = Runner(self.store, Claims(self.store))
        self.path = path

    def close(self) -> None:
        """Close the store; nothing where there is none."""
        if self.path is not None:
            self.store.close()
            self.path = None


_worker_store = _WorkerStore()
# What a job warns of, and the memory that it takes, are told for a process: one job at a time.
_one_job = threading.Lock()


def _done_job(request: _Request) -> Records:
    """Do a job on a worker, and return what it wrote."""
    with _one_job:
        _worker_store.open(_path(request.store_name))
        store = _worker_store.store
        # Trials that failed are asked for again only where somebody wants another attempt.
        store.forget_failed(request.keys)
        before = last_part(store)
        try:
            _worker_store.runner.run(Job.from_json(request.job), set(request.keys))
        except RunError as error:
            raise RunError(f"the worker {worker_address()}: {error}") from None
        return records_of(store, request.keys, after_part=before)


def _forget(name: str) -> None:
    """Remove a worker's store, once nothing needs it."""
    _worker_store.close()
    path = _path(name)
    for file in path.parent.glob(f"{path.name}*"):
        with suppress(OSError):
            file.unlink()


def _path(name: str) -> Path:
    return worker_folder() / f"ranksieve-{name}.db"
