"""How many threads passes use: set and restored in one place."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from ranksieve.errors import ParameterError

_chosen: ContextVar[int | None] = ContextVar("ranksieve_threads", default=None)


@contextmanager
def threads(n: int) -> Iterator[None]:
    """Run the passes inside the `with` on `n` threads; only this context is changed.

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
        return (
            len(os.sched_getaffinity(0))
            if hasattr(os, "sched_getaffinity")
            else os.cpu_count() or 1
        )
    if not text.isdecimal() or int(text) < 1:
        raise ParameterError(
            f"RANKSIEVE_THREADS must be a whole number of at least 1, but is {text!r}"
        )
    return int(text)
