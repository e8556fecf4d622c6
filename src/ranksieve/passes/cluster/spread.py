"""A function over items, on all workers that there are.

Tasks go to any worker, also to one that joins late, and a task whose worker ends is done again on
another. Results come in the order of the items, so that they are the same on any cluster. A few
tasks for each thread are under way at a time.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import CancelledError
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from ranksieve.errors import ClusterError
from ranksieve.passes.cluster.connection import LOOK, Connection, Members
from ranksieve.passes.cluster.remote import outcome, packed, run_item
from ranksieve.passes.cluster.shared import SharedObjects
from ranksieve.passes.cluster.versions import Versions

# Tasks under way for each thread of the cluster: one runs, one waits beside it.
_PER_THREAD = 2
# Times that a task is sent again after what it needs was lost with all workers.
_MOST_LOST = 3


@dataclass(eq=False)
class _Task:
    number: int
    request: bytes
    future: Any


class Spread:
    """One function, and what all its calls share."""

    def __init__(
        self,
        connection: Connection,
        sender: tuple[Versions, str],
        function: Callable[..., Any],
        shared: tuple[SharedObjects, Any] | None,
        label: str,
    ) -> None:
        self._connection, self._sender, self._function = connection, sender, function
        self._shared, self._label = shared, label or "tasks"
        self._members = connection.members()
        self._looked = time.monotonic()

    def results(self, items: Iterable[Any]) -> Generator[Any, None, None]:
        """Yield the results in the order of the items."""
        source = enumerate(items)
        waiting: deque[_Task] = deque()
        more = True
        try:
            while more or waiting:
                while more and len(waiting) < self._window():
                    following = next(source, None)
                    if following is None:
                        more = False
                    else:
                        waiting.append(self._task(*following))
                if waiting:
                    answer = self._finished(waiting[0])
                    waiting.popleft()
                    yield outcome(answer)
        finally:
            self._drop([task.future for task in waiting])

    def _task(self, number: int, item: Any) -> _Task:
        request = packed((self._function, (item,)))
        return _Task(number, request, self._submitted(request))

    def _submitted(self, request: bytes) -> Any:
        shared = () if self._shared is None else (self._shared[0].future_of(self._shared[1]),)
        client = self._connection.client
        return client.submit(run_item, self._sender, request, *shared, pure=False, retries=0)

    def _finished(self, task: _Task) -> bytes:
        for _ in range(_MOST_LOST):
            try:
                answer = self._connection.wait(_gathered(task.future), self._check)
            except import_module("distributed").KilledWorker as error:
                raise self._killed(task, error) from None
            if answer is not None:
                return answer
            self._wait_for_worker()
            task.future = self._submitted(task.request)
        raise ClusterError(
            f"{self._label}: task {task.number + 1} was lost with all workers that had its data, "
            f"{_MOST_LOST} times over. Do workers have enough memory? Give them more, or start "
            "fewer on a machine."
        )

    def _wait_for_worker(self) -> None:
        """Return once a worker takes tasks; raise where none does, or the scheduler is gone."""
        self._check(self._connection.members())
        while not self._members.running:
            time.sleep(LOOK)
            self._check(self._connection.members())

    def _window(self) -> int:
        if time.monotonic() - self._looked > LOOK:
            self._check(self._connection.members())
        threads = sum(self._members.n_threads[worker] for worker in self._members.running)
        return _PER_THREAD * max(threads, 1)

    def _check(self, members: Members) -> None:
        self._connection.check_any_worker(members)
        new = sorted(members.running - self._members.n_threads.keys())
        self._members, self._looked = members, time.monotonic()
        if new and self._shared is not None:
            self._shared[0].send_to(self._shared[1], new)

    def _killed(self, task: _Task, error: Any) -> ClusterError:
        n_ended, last = error.allowed_failures + 1, error.last_worker.address
        return ClusterError(
            f"{self._label}: task {task.number + 1} ended {n_ended} workers, the last of them "
            f"{last}, and is not tried again. Most likely it needs more memory than a worker has: "
            "give workers more, or start fewer on a machine."
        )

    def _drop(self, dropped: list[Any]) -> None:
        if dropped and self._connection.client.status == "running":
            client = self._connection.client

            async def cancelled() -> None:
                await client.cancel(dropped, force=True)

            self._connection.tell(cancelled())


async def _gathered(future: Any) -> bytes | None:
    """Return the result of a task; None where what it needs was lost."""
    try:
        answer: bytes = await future
    except CancelledError:
        return None
    return answer
