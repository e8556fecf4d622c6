"""How far a long computation is: the library reports, whoever listens shows it.

The library never prints. Code that may take longer than a moment calls `report`; the
command line installs a listener with `listening`, and without one a report costs a
context-variable look-up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Listener = Callable[[str, float, float], None]

_listener: ContextVar[Listener | None] = ContextVar("ranksieve_progress", default=None)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Send every report made inside the `with` to `listener(label, done, total)`.

    Examples
    --------
    >>> seen = []
    >>> with listening(lambda label, done, total: seen.append((label, done, total))):
    ...     report("reading", 1, 2)
    >>> seen
    [('reading', 1, 2)]
    """
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def report(label: str, done: float, total: float) -> None:
    """Say that `done` of `total` units of the work called `label` are finished."""
    listener = _listener.get()
    if listener is not None:
        listener(label, done, total)
