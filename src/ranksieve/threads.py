"""Threads of this process: how many, and a function over items side by side."""

from __future__ import annotations

import os
import queue
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from typing import Any, TypeVar

from ranksieve.errors import ParameterError

Item = TypeVar("Item")
Result = TypeVar("Result")

_chosen: ContextVar[int | None] = ContextVar("ranksieve_threads", default=None)


@contextmanager
def threads(n: int) -> Iterator[None]:
    """Use `n` threads inside the `with`; only this context is changed.

    Examples
    --------
    >>> with threads(1):
    ...     n_threads()
    1
    """
    if n < 1:
        raise ParameterError(f"the number of threads must be at least 1, but is {n}")
    token = _chosen.set(n)
    try:
        yield
    finally:
        _chosen.reset(token)


def n_threads() -> int:
    """Return the number in force: `threads(n)`, else RANKSIEVE_THREADS, else the cores.

    Where OMP_NUM_THREADS is set, the cores count up to it: joblib sets it in its workers, which
    would otherwise use all cores each.
    """
    chosen = _chosen.get()
    if chosen is not None:
        return chosen
    text = os.environ.get("RANKSIEVE_THREADS", "")
    if not text:
        return min(_usable_cores(), _openmp_limit())
    if not text.isdecimal() or int(text) < 1:
        raise ParameterError(
            f"RANKSIEVE_THREADS must be a whole number of at least 1, but is {text!r}"
        )
    return int(text)


def side_by_side(
    function: Callable[[Item], Result], items: Iterable[Item]
) -> Generator[Result, None, None]:
    """Yield function(item) for each item, in order, on `n_threads()` threads.

    One item more than there are threads is under way at most, so memory is bounded. The
    calling thread only waits, also for a single item, so that Ctrl-C reaches it at once;
    what waits is dropped then, and what runs ends by itself, or with the process.

    Examples
    --------
    >>> list(side_by_side(abs, [-1, 2, -3]))
    [1, 2, 3]
    """
    workers = n_threads()
    pool = _Pool(workers)
    waiting: deque[Future[Result]] = deque()
    try:
        for item in items:
            waiting.append(pool.submit(function, item))
            if len(waiting) > workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        for future in waiting:
            future.cancel()
        pool.close()


class _Pool:
    """A few threads that a process may end without: those of the standard library's pools
    are waited for at the end, however long the work that they are at.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._started = 0
        self._tasks: queue.SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None]
        self._tasks = queue.SimpleQueue()

    def submit(self, function: Callable[[Item], Result], item: Item) -> Future[Result]:
        """Hand over one call, in the context of the caller."""
        context = copy_context()
        future: Future[Result] = Future()
        self._tasks.put((future, lambda: context.run(function, item)))
        if self._started < self._size:
            self._started += 1
            threading.Thread(target=self._work, daemon=True, name="ranksieve").start()
        return future

    def close(self) -> None:
        """Let the threads go once they have nothing left to do."""
        for _ in range(self._started):
            self._tasks.put(None)

    def _work(self) -> None:
        while (task := self._tasks.get()) is not None:
            future, call = task
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(call())
            except BaseException as error:  # noqa: BLE001 - it is raised where the result is taken
                future.set_exception(error)
            # Not kept until the next task: a result may be large.
            del task, future, call


def _openmp_limit() -> int:
    # One number, or one for each level of nesting; what is no number is not ours to refuse.
    first = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    return int(first) if first.isdecimal() and int(first) > 0 else sys.maxsize


def _usable_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
