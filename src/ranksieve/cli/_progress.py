"""Progress on standard error, for what takes longer than two seconds.

On a terminal it is one bar; elsewhere, in logs, a line every ten seconds. Both say what is
under way, how much of it is done, and how long it will still take.
"""

from __future__ import annotations

import sys
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn

from ranksieve.cli._compiling import Compiling
from ranksieve.progress import TimeLeft, listening

# Seconds until something is shown, between two lines, and between two looks of a bar.
_PATIENCE = 2.0
_LINE = 10.0
_REFRESH = 0.25
_WAITING = "working (a first run compiles, once)"


@contextmanager
def progress_bars() -> Iterator[None]:
    """Show the library's reports once they take long: a bar on a terminal, lines elsewhere."""
    console = Console(stderr=True)
    work = Work()
    shown = _Bar(console, work) if console.is_terminal else _Lines(console, work)
    try:
        with listening(work.add):
            yield
    finally:
        shown.close()
        work.compiling.close()


@dataclass(frozen=True)
class Moment:
    """What is under way: its label, the finished share and the seconds left, None if unknown."""

    label: str
    share: float | None = None
    left: float | None = None

    def __str__(self) -> str:
        share = "" if self.share is None else f": {self.share:.0%}"
        left = "" if self.left is None else f", about {duration(self.left)} left"
        return f"{self.label}{share}{left}"


class Work:
    """What the library reports: the last label is what is under way.

    A label that begins again is new work, and its time counts from there.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self.compiling = Compiling()
        self._lock = threading.Lock()
        self._phases: dict[str, TimeLeft] = {}
        self._label: str | None = None

    def add(self, label: str, done: float, total: float | None) -> None:
        """Take a report."""
        with self._lock:
            now = self._clock()
            phase = self._phases.get(label)
            if phase is None or done < phase.done:
                phase = self._phases[label] = TimeLeft()
            phase.add(done, total, now=now)
            self._label = label
            if total is not None and done >= total:
                del self._phases[label]
                self._label = None

    def moment(self) -> Moment:
        """Return what is under way now."""
        with self._lock:
            compiles = self.compiling.n_under_way > 0
            if self._label is None:
                return Moment(str(self.compiling) if compiles else _WAITING)
            phase = self._phases[self._label]
            share = None if phase.total is None else phase.done / phase.total
            if compiles:
                # How long the rest takes cannot be told from what was done before.
                return Moment(f"{self._label}, {self.compiling}", share)
            return Moment(self._label, share, phase.seconds(now=self._clock()))


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


class _Shown(ABC):
    """Shows the work again and again until it is closed, from a thread of its own.

    The work may compile or wait for minutes without a report, and something is shown then too.
    """

    def __init__(self, console: Console, work: Work, every: float) -> None:
        self._console, self._work = console, work
        self._every, self._over = every, threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True, name="ranksieve progress")
        self._thread.start()

    def close(self) -> None:
        """Show nothing more."""
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        wait = _PATIENCE
        while not self._over.wait(wait):
            self._work.compiling.listen()
            self._show(self._work.moment())
            wait = self._every
        self._end()

    @abstractmethod
    def _show(self, moment: Moment) -> None:
        """Show how far the work is."""

    @abstractmethod
    def _end(self) -> None:
        """Remove what must not stay."""


class _Lines(_Shown):
    """A line now and then."""

    def __init__(self, console: Console, work: Work) -> None:
        super().__init__(console, work, _LINE)

    def _show(self, moment: Moment) -> None:
        self._console.print(str(moment), markup=False, highlight=False, soft_wrap=True)

    def _end(self) -> None:
        """Leave all lines: they are a record."""


class _Bar(_Shown):
    """A bar, which disappears at the end."""

    def __init__(self, console: Console, work: Work) -> None:
        self._task: TaskID | None = None
        self._progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TextColumn("{task.fields[share]}"),
            console=console,
            transient=True,
            # Results that go to a file or a pipe stay there while a bar is shown.
            redirect_stdout=sys.stdout.isatty(),
        )
        super().__init__(console, work, _REFRESH)

    def _show(self, moment: Moment) -> None:
        if self._task is None:
            self._task = self._progress.add_task(moment.label, total=None, share="")
            self._progress.start()
        left = "" if moment.left is None else f", about {duration(moment.left)} left"
        share = "" if moment.share is None else f"{moment.share:.0%}{left}"
        self._progress.update(
            self._task,
            description=moment.label,
            completed=0 if moment.share is None else moment.share,
            # Without a total the bar pulses.
            total=None if moment.share is None else 1.0,
            share=share,
        )

    def _end(self) -> None:
        self._progress.stop()
