"""What queries gain and lose, as a histogram."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ranksieve.report.shared.markup import Markup, tag
from ranksieve.report.shared.ticks import nice_ticks
from ranksieve.report.shared.words import counted
from ranksieve.report.sieve.axes import Frame
from ranksieve.report.sieve.view import SieveView

_NARROW = 500.0
# Changes smaller than this are rounding.
SAME = 1e-9
# Bars on each side of 0.
_N_BARS = 12


def changes_of(view: SieveView) -> tuple[list[float], int, list[float]]:
    """Return the changes of queries that lose, how many stay the same, and those that gain."""
    changes = [query.change for query in view.result.queries if math.isfinite(query.change)]
    worse = [change for change in changes if change < -SAME]
    better = [change for change in changes if change > SAME]
    return worse, len(changes) - len(worse) - len(better), better


def query_svg(view: SieveView, *, width: float = 760.0, height: float = 230.0) -> Markup:
    """Return a picture: how many queries lose or gain how much of the measure.

    Queries that stay the same have a bar of their own in the middle.
    """
    worse, n_same, better = changes_of(view)
    extent = max([*map(abs, worse), *better], default=1.0)
    step = _step(extent)
    lost, gained = _counts([-change for change in worse], step), _counts(better, step)
    narrow = width < _NARROW
    frame = Frame(14.0, width - 14.0, 44.0, height - 44.0)
    most = max([*lost, n_same, *gained, 1])
    parts = [
        _bar(frame, most, -1 - index, n, f"{_range(step, index)} lost", "worse")
        for index, n in enumerate(lost)
    ]
    parts.append(_bar(frame, most, 0, n_same, "the same", "same"))
    parts += [
        _bar(frame, most, 1 + index, n, f"{_range(step, index)} gained", "better")
        for index, n in enumerate(gained)
    ]
    labels = (
        (frame.left, "start", "worse", f"▼ {len(worse):,} worse"),
        (frame.x(0, -1, 1), "middle", "same", f"{n_same:,} the same"),
        (frame.right, "end", "better", f"▲ {len(better):,} better"),
    )
    return tag(
        "svg",
        tag("title", "Changes of queries"),
        tag(
            "desc", f"{len(worse):,} queries lose, {n_same:,} stay the same, {len(better):,} gain."
        ),
        tag("path", d=f"M{frame.left:g} {frame.bottom:g}H{frame.right:g}", class_="zero"),
        *parts,
        *_ticks(frame, step, 3 if narrow else 5),
        *(tag("text", text, x=x, y=14.0, class_=f"{at} {kind}") for x, at, kind, text in labels),
        tag(
            "text",
            f"change of {view.result.measure} of a query",
            x=frame.x(0, -1, 1),
            y=height - 6,
            class_="middle axis",
        ),
        viewBox=f"0 0 {width:g} {height:g}",
        role="img",
        class_="queries narrow" if narrow else "queries broad",
    )


def _step(extent: float) -> float:
    """Return a round width of bars with which all changes have room on one side.

    Examples
    --------
    >>> _step(0.48), _step(1.0)
    (0.05, 0.1)
    """
    power = 10.0 ** math.floor(math.log10(extent / _N_BARS))
    return next(
        round(factor * power, 12)
        for factor in (1, 2, 2.5, 5, 10, 20)
        if factor * power * _N_BARS >= extent * (1 - 1e-12)
    )


def _counts(sizes: Sequence[float], step: float) -> list[int]:
    counts = [0] * _N_BARS
    for size in sizes:
        counts[min(math.ceil(size / step - 1e-9), _N_BARS) - 1 if size > 0 else 0] += 1
    return counts


def _range(step: float, index: int) -> str:
    return f"{index * step:.4g} to {(index + 1) * step:.4g}"


def _edges(frame: Frame, slot: int) -> tuple[float, float]:
    """Return where a bar begins and ends; that of queries which stay the same is slot 0."""
    n_slots = 2 * _N_BARS + 1
    start = slot + _N_BARS
    return frame.x(start, 0, n_slots), frame.x(start + 1, 0, n_slots)


def _bar(frame: Frame, most: int, slot: int, n_queries: int, words: str, kind: str) -> Markup:
    if not n_queries:
        return Markup()
    left, right = _edges(frame, slot)
    top = frame.y(n_queries, 0, most)
    label = tag("text", f"{n_queries:,}", x=(left + right) / 2, y=top - 4, class_="middle count")
    bar = tag(
        "rect",
        tag("title", f"{counted(n_queries, 'query', 'queries')}: {words}"),
        x=round(left + 1, 2),
        y=top,
        width=round(right - left - 2, 2),
        height=round(frame.bottom - top, 2),
        class_=f"bar {kind}",
    )
    return Markup.joined(bar, label)


def _ticks(frame: Frame, step: float, most: int) -> list[Markup]:
    """Return labels of round changes at the edges of bars, on both sides of the middle."""
    extent = step * _N_BARS
    labels = []
    for value in nice_ticks(0, extent, most):
        index = value / step
        if value and abs(index - round(index)) < 1e-6:
            labels.append((_edges(frame, round(index))[1], f"+{value:g}"))
            labels.append((_edges(frame, -round(index))[0], f"-{value:g}"))
    middle = sum(_edges(frame, 0)) / 2
    return [
        tag("text", label, x=round(x, 1), y=frame.bottom + 18, class_="middle")
        for x, label in [(middle, "0"), *labels]
        if frame.left + 8 <= x <= frame.right - 8 or label == "0"
    ]
