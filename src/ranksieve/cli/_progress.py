"""Progress bars on standard error, for what takes longer than two seconds."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from ranksieve.progress import listening

_PATIENCE = 2.0


@contextmanager
def progress_bars() -> Iterator[None]:
    """Show the library's reports as bars with an ETA, on a terminal, once they take long."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield
        return
    bars = _Bars(console)
    try:
        with listening(bars.show):
            yield
    finally:
        bars.close()


class _Bars:
    def __init__(self, console: Console) -> None:
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f}%"),
            TimeRemainingColumn(),
            console=console,
            transient=True,
        )
        self._started: dict[str, float] = {}
        self._tasks: dict[str, TaskID] = {}

    def show(self, label: str, done: float, total: float) -> None:
        started = self._started.setdefault(label, time.monotonic())
        if label in self._tasks:
            self._progress.update(self._tasks[label], completed=done, total=total)
        elif time.monotonic() - started > _PATIENCE and done < total:
            self._progress.start()
            self._tasks[label] = self._progress.add_task(label, total=total, completed=int(done))

    def close(self) -> None:
        self._progress.stop()
