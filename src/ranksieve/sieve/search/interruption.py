"""Ctrl-C that ends a search with what is finished, where that was asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

_wanted: ContextVar[bool] = ContextVar("ranksieve_best_so_far", default=False)


@dataclass
class Ending:
    """Whether the work inside `ending_early` was interrupted."""

    early: bool = False


@contextmanager
def best_so_far() -> Iterator[None]:
    """Let a sieve that is interrupted inside the `with` answer from what it has finished.

    Without it Ctrl-C ends the sieve as it ends anything else. The answer says that the search
    was ended early, and nothing is certified.
    """
    token = _wanted.set(True)
    try:
        yield
    finally:
        _wanted.reset(token)


@contextmanager
def ending_early(*, allowed: Callable[[], bool] = lambda: True) -> Iterator[Ending]:
    """Note an interruption of the work inside, where it may end early; else let it through.

    `allowed` is asked when the interruption comes.
    """
    ending = Ending()
    try:
        yield ending
    except KeyboardInterrupt:
        if not (_wanted.get() and allowed()):
            raise
        ending.early = True
