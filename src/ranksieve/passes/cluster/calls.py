"""A cluster: a function on one worker, on several, or over items on all of them."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from ranksieve.errors import ClusterError
from ranksieve.passes.cluster.connection import Check, Connection, Members, lost_worker
from ranksieve.passes.cluster.remote import outcome, packed, process_name, run_pinned
from ranksieve.passes.cluster.shared import SharedObjects
from ranksieve.passes.cluster.spread import Spread
from ranksieve.passes.cluster.versions import Versions, check_versions, versions

Result = TypeVar("Result")
# A function, and its arguments.
Request = tuple[Callable[..., Any], Sequence[Any]]


class Cluster:
    """The workers of a Dask cluster. `ranksieve.passes.cluster.cluster` makes one.

    Functions and arguments are sent by pickle, and so are results. Calls do not wait for ever:
    ClusterError tells which worker was lost, or that the scheduler is. What a function raises is
    raised here: errors of ranksieve as they are, others with a note that names the worker.
    """

    def __init__(self, client: Any) -> None:
        self._connection = Connection(client)
        self._shared = SharedObjects(self._connection)
        self._sender = versions(), process_name()
        # Called when the `with cluster(...)` ends, while the workers are still there.
        self.closing: list[Callable[[], None]] = []

    @property
    def client(self) -> Any:
        """The `distributed.Client`, for libraries that train on Dask themselves."""
        return self._connection.client

    @property
    def sender(self) -> tuple[Versions, str]:
        """The versions of this process, and which one it is: what workers are told."""
        return self._sender

    @property
    def address(self) -> str:
        """The address of the scheduler."""
        return self._connection.address

    def workers(self) -> list[str]:
        """Return the addresses of the workers, sorted as text."""
        return sorted(self._connection.members().n_threads)

    def call(
        self, worker: str, function: Callable[..., Any], *arguments: Any, label: str = ""
    ) -> Any:
        """Return function(*arguments), called on a worker; see `call_all`."""
        return self.call_all({worker: (function, arguments)}, label=label)[worker]

    def call_all(self, requests: Mapping[str, Request], *, label: str = "") -> dict[str, Any]:
        """Return what each worker's function returns, all at the same time.

        A call stays on its worker, whose threads are those of `ranksieve.threads.n_threads`
        inside; it is not repeated elsewhere.

        Parameters
        ----------
        requests : the address of a worker -> a function and its arguments
        label : what is done, for the error of a worker that is lost

        Notes
        -----
        Cost: 2 ms for two workers on an idle machine. Dask's tasks would take 16 ms: these calls
        go through the scheduler as messages, and are none of its tasks.
        """
        messages = {
            worker: (run_pinned, self._sender, packed(request))
            for worker, request in requests.items()
        }
        answers = self._asked(messages, label)
        return {worker: outcome(answer) for worker, answer in answers.items()}

    def guarded(
        self, function: Callable[[], Result], workers: Iterable[str], *, label: str = ""
    ) -> Result:
        """Return function(), which uses `client` by itself: ClusterError if one of these is lost.

        For libraries that would wait for ever.
        """

        def as_current() -> Result:
            with self.client.as_current():
                return function()

        return self._connection.wait_for_call(as_current, _all_there(list(workers), label))

    def map(
        self,
        function: Callable[..., Any],
        items: Iterable[Any],
        *,
        shared: Any = None,
        label: str = "",
    ) -> Generator[Any, None, None]:
        """Yield function(item) of each item in order, or function(shared, item).

        Tasks go to any worker and use one thread each. A task whose worker ends is done again on
        another one, up to Dask's `allowed-failures`, which is 3. A few tasks for each thread are
        under way at a time, so `items` may be long.

        Parameters
        ----------
        function : called on workers
        items : small, since each is sent with its task
        shared : what all tasks use, such as data: sent to each worker once, also over several maps
        label : what is done, for errors
        """
        content = None if shared is None else (self._shared, shared)
        spread = Spread(self._connection, self._sender, function, content, label)
        yield from spread.results(items)

    def check_versions(self) -> None:
        """Raise, with the worker, where one has other versions than this process.

        Workers answer at once, whatever they are at.
        """
        answers = self._asked(dict.fromkeys(self.workers(), (versions,)), "a look at its versions")
        for worker, answer in answers.items():
            check_versions(self._sender[0], answer, worker)

    def check_paths(self, paths: Iterable[str | os.PathLike[str]]) -> None:
        """Raise, with the worker and the path, where a worker cannot read a file or folder."""
        requested = [str(Path(path).expanduser().absolute()) for path in paths]
        workers = self.workers()
        request = _unreadable, (requested,)
        failures = self.call_all(dict.fromkeys(workers, request), label="a look at its files")
        for worker in workers:
            for path, reason in failures[worker]:
                raise ClusterError(
                    f"the worker {worker} cannot read {path} ({reason}). Put the data where all "
                    "workers see it under the same path, such as a shared disk, and check its "
                    "rights."
                )

    def _asked(self, messages: Mapping[str, Sequence[Any]], label: str) -> dict[str, Any]:
        """Return what workers answer, each to a function and its arguments, in its event loop."""

        async def all_answers() -> list[Any]:
            calls = [self._answer(worker, message) for worker, message in messages.items()]
            return await asyncio.gather(*calls)

        answers = self._connection.wait(all_answers(), _all_there(messages, label))
        for worker, answer in zip(messages, answers, strict=True):
            if isinstance(answer, OSError | TimeoutError):
                raise lost_worker(worker, label) from answer
            if isinstance(answer, Exception):
                # What our function raises is in its answer: the worker has not got the function.
                raise ClusterError(
                    f"the worker {worker} has no ranksieve {self._sender[0]['ranksieve']} that "
                    f"could be run ({answer}). Install the same version there, and start the "
                    "worker again."
                ) from answer
        return dict(zip(messages, answers, strict=True))

    async def _answer(self, worker: str, message: Sequence[Any]) -> Any:
        answers = await self.client.run(*message, workers=[worker], on_error="return")
        return answers[worker]


def _all_there(workers: Collection[str], label: str) -> Check:
    """Return what raises where one of some workers is lost."""

    def check(members: Members) -> None:
        for worker in workers:
            if worker not in members.n_threads:
                raise lost_worker(worker, label)

    return check


def _unreadable(paths: list[str]) -> list[tuple[str, str]]:
    """Return those of some paths that this process cannot read, with the reasons."""
    failures = []
    for path in paths:
        try:
            if Path(path).is_dir():
                next(Path(path).iterdir(), None)
            else:
                Path(path).open("rb").close()
        except OSError as error:
            failures.append((path, error.strerror or str(error)))
    return failures
