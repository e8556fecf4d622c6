"""Progress bars on standard error, for what takes longer than two seconds."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from ranksieve.progress import listening

_PATIENCE = 2.0
# Seconds between two lines where there is no terminal.
_LINE = 60.0
_WAITING = "working (a first run compiles, once)"


@contextmanager
def progress_bars(*, lines: bool = False) -> Iterator[None]:
    """Show the library's reports as bars with an ETA, on a terminal, once they take long.

    Elsewhere nothing is shown, or, with `lines`, a line a minute, for what may run for hours.
    """
    console = Console(stderr=True)
    if not console.is_terminal:
        with listening(_Lines(console).show) if lines else nullcontext():
            yield
        return
    bars = _Bars(console)
    try:
        with listening(bars.show):
            yield
    finally:
        bars.close()


class _Lines:
    """A line for each label that is reported for longer than a minute, once a minute."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._started: dict[str, float] = {}
        self._last: dict[str, float] = {}

    def show(self, label: str, done: float, total: float) -> None:
        now = time.monotonic()
        started = self._started.setdefault(label, now)
        if now - self._last.setdefault(label, now) < _LINE or done >= total:
            return
        self._last[label] = now
        left = f", about {duration((now - started) * (total - done) / done)} left" if done else ""
        self._console.print(f"{label}: {done / total:.0%}{left}", markup=False, highlight=False)


def duration(seconds: float) -> str:
    """Return a time in words, to about a tenth.

    Examples
    --------
    >>> duration(3.2), duration(100), duration(5000)
    ('3 s', '2 min', '1 h 23 min')
    """
    if seconds < 90:
        return f"{max(round(seconds), 1)} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


class _Bars:
    """A bar for each label that is reported for long, and one while nothing is reported."""

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
        self._lock = threading.Lock()
        self._watch()

    def show(self, label: str, done: float, total: float) -> None:
        with self._lock:
            started = self._started.setdefault(label, time.monotonic())
            if done >= total:
                self._finish(label)
            elif label in self._tasks:
                self._progress.update(self._tasks[label], completed=done, total=total)
            elif time.monotonic() - started > _PATIENCE:
                self._remove(_WAITING)
                self._add(label, done, total)

    def close(self) -> None:
        self._timer.cancel()
        with self._lock:
            self._progress.stop()

    def _watch(self) -> None:
        """Say after a while that work goes on, unless a bar says so by then."""
        self._timer = threading.Timer(_PATIENCE, self._show_waiting)
        self._timer.daemon = True
        self._timer.start()

    def _show_waiting(self) -> None:
        with self._lock:
            if not self._tasks:
                self._add(_WAITING, 0, None)

    def _finish(self, label: str) -> None:
        self._started.pop(label)
        if self._remove(label) and not self._tasks:
            self._watch()

    def _remove(self, label: str) -> bool:
        task = self._tasks.pop(label, None)
        if task is not None:
            self._progress.remove_task(task)
        return task is not None

    def _add(self, label: str, done: float, total: float | None) -> None:
        self._progress.start()
        self._tasks[label] = self._progress.add_task(label, total=total)
        self._progress.update(self._tasks[label], completed=done)
