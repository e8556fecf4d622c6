"""How many kernels a first run has compiled so far, as numba tells it."""

from __future__ import annotations

import sys
from typing import Any

_KIND = "numba:compile"


class Compiling:
    """Counts what numba compiles; before numba is loaded, nothing is.

    It loads nothing itself: a command that needs no kernels should not pay for numba.
    """

    def __init__(self) -> None:
        self.n_compiled = 0
        self.n_under_way = 0
        self._listener: Any = None

    def listen(self) -> None:
        """Begin to count, once numba is loaded."""
        events = sys.modules.get("numba.core.event")
        if self._listener is None and hasattr(events, "register"):
            self._listener = _listener(events, self)
            events.register(_KIND, self._listener)  # type: ignore[union-attr]

    def close(self) -> None:
        """Count nothing more."""
        if self._listener is not None:
            sys.modules["numba.core.event"].unregister(_KIND, self._listener)
            self._listener = None

    def __str__(self) -> str:
        return f"compiling, {self.n_compiled} functions so far (a first run compiles, once)"


def _listener(events: Any, counts: Compiling) -> Any:
    class Listener(events.Listener):
        def on_start(self, event: Any) -> None:
            counts.n_under_way += 1

        def on_end(self, event: Any) -> None:
            counts.n_under_way -= 1
            counts.n_compiled += 1

    return Listener()
