"""Threads of this process: how many, and a function over items side by side."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from itertools import islice
from typing import TypeVar

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
    """Return the number in force: `threads(n)`, else RANKSIEVE_THREADS, else the cores."""
    chosen = _chosen.get()
    if chosen is not None:
        return chosen
    text = os.environ.get("RANKSIEVE_THREADS", "")
    if not text:
        return _usable_cores()
    if not text.isdecimal() or int(text) < 1:
        raise ParameterError(
            f"RANKSIEVE_THREADS must be a whole number of at least 1, but is {text!r}"
        )
    return int(text)


def side_by_side(
    function: Callable[[Item], Result], items: Iterable[Item]
) -> Generator[Result, None, None]:
    """Yield function(item) for each item, in order, on `n_threads()` threads.

    One item more than there are threads is under way at most, so memory is bounded.
    Leaving early, by an error or Ctrl-C, drops what waits and does not wait for what runs.

    Examples
    --------
    >>> list(side_by_side(abs, [-1, 2, -3]))
    [1, 2, 3]
    """
    workers = n_threads()
    source = iter(items)
    head = list(islice(source, 2))
    if workers == 1 or len(head) < 2:
        yield from map(function, _chained(head, source))
        return
    pool = ThreadPoolExecutor(workers)
    waiting: deque[Future[Result]] = deque()
    try:
        for item in _chained(head, source):
            waiting.append(pool.submit(copy_context().run, function, item))
            if len(waiting) > workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _usable_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _chained(head: list[Item], rest: Iterator[Item]) -> Iterator[Item]:
    yield from head
    yield from rest
