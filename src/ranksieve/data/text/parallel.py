"""A function over items, side by side on threads, results in order and memory bounded."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import TypeVar

from ranksieve.errors import ParameterError

Item = TypeVar("Item")
Result = TypeVar("Result")


def usable_cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def ordered_map(
    function: Callable[[Item], Result], items: Iterator[Item], n_threads: int | None
) -> Generator[Result]:
    """Yield function(item) for each item, in order; at most threads + 1 items are under way.

    Leaving early, by an error or Ctrl-C, drops what waits and does not wait for what runs.
    """
    workers = usable_cores() if n_threads is None else n_threads
    if workers < 1:
        raise ParameterError(f"n_threads must be at least 1, but is {workers}")
    if workers == 1:
        yield from map(function, items)
        return
    pool = ThreadPoolExecutor(workers)
    waiting: deque[Future[Result]] = deque()
    try:
        for item in islice(items, workers):
            waiting.append(pool.submit(function, item))
        while waiting:
            for item in islice(items, 1):
                waiting.append(pool.submit(function, item))
            yield waiting.popleft().result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
