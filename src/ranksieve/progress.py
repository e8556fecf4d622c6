"""How far a long computation is: the library reports, a listener shows it.

The library never prints. Code that may take longer than a moment calls `report`; the
command line installs a listener with `listening`, and without one a report costs a
context-variable look-up. Work that is made of other work that reports wraps each part in a
`step`, so that the listener hears of the outermost work alone.
"""

from __future__ import annotations

import itertools
import math
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

# Label, units that are finished, and all units: None where their number is not known.
Listener = Callable[[str, float, float | None], None]

_listener: ContextVar[Listener | None] = ContextVar("ranksieve_progress", default=None)

# Reports that come within this share of the time so far are one burst: workers end together.
_BURST = 0.02
# A burst that is larger than each of the last ones is work that has become faster.
_LAST_BURSTS = 4
# What the first finished unit must be of all to tell how long the others take.
_TELLING = 0.1
# The speed is that of this last share of the time, over this many points at least.
_LONG_WINDOW, _FEWEST_POINTS = 1 / 3, 4
# It is that of this last share of the units, over this many points at least, where the two
# differ by more than this factor. Fewer points are few trials of one kind among others.
_SHORT_WINDOW, _SHORT_POINTS, _CHANGE = 0.05, 8, 2.0


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


def report(label: str, done: float, total: float | None) -> None:
    """Say that `done` of `total` units of the work called `label` are finished.

    `total` is None where work ends by itself, such as iterations until a gap is closed: their
    limit says nothing about how many there will be.
    """
    listener = _listener.get()
    if listener is not None:
        listener(label, done, total)


@contextmanager
def silent() -> Iterator[None]:
    """Let nobody hear of what is reported inside the `with`."""
    token = _listener.set(None)
    try:
        yield
    finally:
        _listener.reset(token)


@contextmanager
def step(label: str, done: float, total: float | None) -> Iterator[None]:
    """Do unit `done` (counted from 0) of `total` inside the `with`; what is inside is not heard.

    Examples
    --------
    >>> seen = []
    >>> with listening(lambda *message: seen.append(message)):
    ...     for number in range(2):
    ...         with step("folds", number, 2):
    ...             report("training", 5, 10)
    >>> seen
    [('folds', 0, 2), ('folds', 1, 2), ('folds', 2, 2)]
    """
    report(label, done, total)
    with silent():
        yield
    if total is not None and done + 1 >= total:
        report(label, total, total)


class TimeLeft:
    """How long some work will still take, from when its units were finished.

        left = (total - done) / speed - (now - last report)

    The speed is that of the last third of the time, which evens out units of different
    length. Where the last twentieth of the units was more than twice as fast or as slow, the
    work has changed, and their speed counts. Neither window reaches back to the start: the
    first unit may have compiled. Reports close to each other count as one, since several
    workers end in bursts, up to the largest of the last bursts: more than that is work that
    has become faster. Where the work is later than expected, it is expected to take as long
    again as since the last report.

    Examples
    --------
    >>> left = TimeLeft()
    >>> left.add(0, 10, now=0.0)
    >>> left.seconds(now=5.0) is None
    True
    >>> for done, second in ((1, 30.0), (2, 32.0), (3, 34.0)):  # the first one compiles
    ...     left.add(done, 10, now=second)
    >>> left.seconds(now=34.0), left.seconds(now=35.0)
    (14.0, 13.0)
    """

    def __init__(self) -> None:
        self.done: float = 0.0
        self.total: float | None = None
        self._start: tuple[float, float] | None = None
        self._last = 0.0
        # The first report of each burst: its time, and the units that were finished then.
        self._points: deque[tuple[float, float]] = deque()
        # The burst under way: when it began, its reports, and those in its last point.
        self._burst_start, self._burst, self._merged = -math.inf, 0, 0
        # The reports of the bursts before it.
        self._bursts: deque[int] = deque(maxlen=_LAST_BURSTS)

    def add(self, done: float, total: float | None, *, now: float) -> None:
        """Take a report."""
        if self._start is None:
            self._start, self._last = (now, done), now
        elif done > self.done:
            self._add_point(done, now, now - self._start[0])
            self._last = now
        self.done, self.total = done, total

    def seconds(self, *, now: float) -> float | None:
        """Return the seconds until the end; None while too little is known.

        That is without a total or a finished unit, and where only the first one is finished,
        which may have compiled, unless it is a tenth of all.
        """
        if not self._points or self.total is None or self._start is None:
            return None
        if len(self._points) == 1 and self.done < _TELLING * self.total:
            return None
        waited = now - self._last
        left = self._seconds_per_unit(self._start) * (self.total - self.done) - waited
        return left if left > 0.0 else waited

    def _add_point(self, done: float, now: float, elapsed: float) -> None:
        if self._continues_burst(now, elapsed):
            return
        self._points.append((now, done))
        while self._first_is_too_old(now, elapsed):
            self._points.popleft()

    def _continues_burst(self, now: float, elapsed: float) -> bool:
        if now - self._burst_start >= _BURST * elapsed:
            if self._burst:
                self._bursts.append(self._burst)
            self._burst_start, self._burst, self._merged = now, 1, 1
            return False
        self._burst += 1
        self._merged += 1
        if self._merged <= max(self._bursts, default=math.inf):
            return True
        self._merged = 1
        return False

    def _first_is_too_old(self, now: float, elapsed: float) -> bool:
        return (
            len(self._points) > _FEWEST_POINTS and now - self._points[1][0] > _LONG_WINDOW * elapsed
        )

    def _seconds_per_unit(self, start: tuple[float, float]) -> float:
        if len(self._points) == 1:
            return _pace(start, self._points[0])
        last = self._points[-1]
        long = _pace(self._points[0], last)
        short = _pace(self._short_window(last[1]), last)
        return long if long / _CHANGE <= short <= long * _CHANGE else short

    def _short_window(self, done: float) -> tuple[float, float]:
        """Return the point at which the last twentieth of the units begins."""
        for point in itertools.islice(reversed(self._points), _SHORT_POINTS - 1, None):
            if done - point[1] >= _SHORT_WINDOW * done:
                return point
        return self._points[0]


def _pace(begin: tuple[float, float], end: tuple[float, float]) -> float:
    """Return the seconds that a unit took between two points."""
    return (end[0] - begin[0]) / (end[1] - begin[1])
