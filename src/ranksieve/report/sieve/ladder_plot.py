"""The ladder as a curve: what each set changes beside all features."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ranksieve.report.shared.markup import Markup, tag
from ranksieve.report.shared.ticks import nice_ticks
from ranksieve.report.shared.words import counted
from ranksieve.report.sieve.axes import Frame, PriceAxis, spread_apart
from ranksieve.report.sieve.view import Interval, SieveView

if TYPE_CHECKING:
    from ranksieve.sieve.result import CertifiedSet

_NARROW = 500.0
_CHOICE_Y, _CLAIM_Y, _TOP, _BOTTOM = 13.0, 32.0, 48.0, 44.0
# About how wide letters are in labels, and how far apart those stand.
_LETTER, _BOLD_LETTER, _LABEL_STEP = 6.6, 8.0, 15.0
# Sets that lose much are not worth the room: how far below the sets that matter the picture goes,
# in parts of the height that those need.
_BELOW = 1.2
_SIZE = 5.0
_STATE_WORDS = {
    "supported": "supported",
    "open": "not supported",
    "sampled": "looked at on a sample of the queries",
}


def ladder_svg(view: SieveView, *, width: float = 760.0, height: float = 360.0) -> Markup:
    """Return a picture: the change of each set of the ladder against its size or cost.

    Intervals are vertical lines, the margin is a band below 0. A supported set is a disc,
    another one a diamond, one that was judged on a sample a small ring; the choice has a ring
    and a line, and sets below the picture are arrows at its lower edge.
    """
    axes = _Axes.of(view, width, height)
    return tag(
        "svg",
        tag("title", "The ladder: change beside all features"),
        tag("desc", _description(view)),
        _band(view, axes),
        *_y_axis(view, axes),
        *_limits(view, axes),
        *_x_axis(view, axes),
        _curve(view, axes),
        *_choice_line(view, axes),
        *_claim_line(view, axes),
        tag("g", *(_mark(view, axes, position) for position in axes.drawn), class_="sets"),
        *_low_labels(view, axes),
        *_certificate(view, axes),
        viewBox=f"0 0 {width:g} {height:g}",
        role="img",
        class_="ladder narrow" if width < _NARROW else "ladder broad",
    )


def has_sets_below(view: SieveView) -> bool:
    """Tell whether sets lose more than the picture shows."""
    low, _ = _changes(view)
    return any(view.set_change(at).mean < low for at in range(len(view.result.ladder)))


@dataclass(frozen=True)
class _Axes:
    """Where sets stand in the picture; `drawn` are those whose change is a number."""

    frame: Frame
    prices: PriceAxis
    low: float
    high: float
    width: float
    drawn: tuple[int, ...]

    @classmethod
    def of(cls, view: SieveView, width: float, height: float) -> _Axes:
        narrow = width < _NARROW
        frame = Frame(
            left=46.0 if narrow else 56.0,
            right=width - (44.0 if narrow else 92.0),
            top=_TOP,
            bottom=height - _BOTTOM,
        )
        low, high = _changes(view)
        prices = tuple(ladder_set.price for ladder_set in view.result.ladder)
        drawn = tuple(
            position
            for position in range(len(view.result.ladder))
            if math.isfinite(view.set_change(position).mean)
        )
        return cls(frame, PriceAxis(prices, frame), low, high, width, drawn)

    @property
    def is_narrow(self) -> bool:
        return self.width < _NARROW

    def y(self, change: float) -> float:
        return self.frame.y(change, self.low, self.high)

    def x(self, view: SieveView, position: int) -> float:
        return self.prices.x(view.result.ladder[position].price)


def _changes(view: SieveView) -> tuple[float, float]:
    """Return the lowest and the highest change that the picture shows.

    All of the sets from all features down to the choice, of the supported ones and of the
    certificate; of smaller sets as much as leaves the others room.
    """
    last = max(view.result.choice, view.last_supported)
    every = [view.set_change(position) for position in range(len(view.result.ladder))]
    tests = view.result.certificate.tests if view.result.certificate else ()
    deciding = [*every[: last + 1], *(view.test_change(test) for test in tests)]
    low, high = _ends(deciding, [0.0, -view.margin])
    lowest, highest = _ends(every, [low, high])
    room = _BELOW * (high - low)
    low, high = max(lowest, low - room), min(highest, high + room)
    padding = 0.06 * (high - low)
    return low - padding, high + padding


def _ends(intervals: list[Interval], values: list[float]) -> tuple[float, float]:
    ends = [*values, *(end for each in intervals for end in each if math.isfinite(end))]
    return min(ends), max(ends)


def _band(view: SieveView, axes: _Axes) -> Markup:
    frame, zero, edge = axes.frame, axes.y(0.0), axes.y(-view.margin)
    width, height = frame.right - frame.left, round(edge - zero, 2)
    return tag("rect", x=frame.left, y=zero, width=width, height=height, class_="band")


def _limits(view: SieveView, axes: _Axes) -> list[Markup]:
    """Return the lines at no change and at the margin, with their names."""
    frame, zero, edge = axes.frame, axes.y(0.0), axes.y(-view.margin)
    zero_label, edge_label = spread_apart([zero, edge], _LABEL_STEP)
    x = frame.right + 8
    margin = f"-{view.result.margin}"
    words = margin if axes.is_narrow else f"margin {margin}"
    return [
        tag("path", d=f"M{frame.left:g} {edge:g}H{frame.right:g}", class_="edge"),
        tag("path", d=f"M{frame.left:g} {zero:g}H{frame.right:g}", class_="zero"),
        tag("text", "all" if axes.is_narrow else "all features", x=x, y=zero_label + 4),
        tag("text", words, x=x, y=edge_label + 4, class_="strong"),
    ]


def _y_axis(view: SieveView, axes: _Axes) -> list[Markup]:
    frame = axes.frame
    parts = []
    for value in nice_ticks(axes.low, axes.high, 8):
        y = axes.y(value)
        label = f"{value:+g}{view.unit}" if value else f"0{view.unit}"
        parts.append(tag("path", d=f"M{frame.left:g} {y:g}H{frame.right:g}", class_="grid"))
        parts.append(tag("text", label, x=frame.left - 7, y=y + 4, class_="end"))
    return parts


def _x_axis(view: SieveView, axes: _Axes) -> list[Markup]:
    frame, priced = axes.frame, view.result.priced
    longest = len(f"{axes.prices.high:,.10g}")
    ticks = axes.prices.ticks(at_prices=not priced, room=_LETTER * longest + 12)
    words = "cost of the features" if priced else "number of features"
    scale = "" if axes.is_narrow else ", on a scale of equal factors"
    return [
        *(tag("text", label, x=x, y=frame.bottom + 18, class_="middle") for x, label in ticks),
        tag(
            "text",
            f"{words}{scale}",
            x=(frame.left + frame.right) / 2,
            y=frame.bottom + 37,
            class_="middle axis",
        ),
    ]


def _curve(view: SieveView, axes: _Axes) -> Markup:
    """Return the line through the means; an inner picture cuts it off at the edges."""
    frame = axes.frame
    width, height = frame.right - frame.left, frame.bottom - frame.top
    per_unit = height / (axes.high - axes.low)
    points = [
        (
            axes.x(view, position) - frame.left,
            # What lies far outside is cut off anyway, and numbers stay short.
            min(max((axes.high - view.set_change(position).mean) * per_unit, -height), 9 * height),
        )
        for position in axes.drawn
    ]
    path = "L".join(f"{x:.2f} {y:.2f}" for x, y in points)
    return tag(
        "svg",
        tag("path", d=f"M{path}", class_="curve") if path else Markup(),
        x=frame.left,
        y=frame.top,
        width=width,
        height=height,
        viewBox=f"0 0 {width:g} {height:g}",
    )


def _choice_line(view: SieveView, axes: _Axes) -> list[Markup]:
    x = axes.x(view, view.result.choice)
    label = f"choice: {view.size_words(view.result.choice)}"
    half = _BOLD_LETTER * len(label) / 2
    at = min(max(x, half + 2), axes.width - half - 2)
    return [
        tag("path", d=f"M{x:g} {_CHOICE_Y + 5:g}V{axes.frame.bottom:g}", class_="choice-line"),
        tag("text", label, x=round(at, 1), y=_CHOICE_Y, class_="middle choice-label"),
    ]


def _claim_line(view: SieveView, axes: _Axes) -> list[Markup]:
    """Return how far down sets are supported, as a line above the picture."""
    right = axes.x(view, 0)
    last = view.last_supported
    size = counted(view.result.ladder[last].n_features, "feature")
    label = f"supported down to {size}" if last else "no smaller set is supported"
    text = tag("text", label, x=right, y=_CLAIM_Y, class_="end claim-label" if last else "end")
    if not last:
        return [text]
    left = axes.x(view, last)
    return [
        tag("path", d=f"M{right:g} {_CLAIM_Y + 5:g}H{left:g}v6", class_="claim-line"),
        text,
    ]


def _mark(view: SieveView, axes: _Axes, position: int) -> Markup:
    change = view.set_change(position)
    x, y = axes.x(view, position), axes.y(change.mean)
    state, is_choice = view.state(position), position == view.result.choice
    words = f"{view.size_words(position)}: {view.signed(change.mean)} ({view.between(change)})"
    title = tag("title", f"{words}, {_STATE_WORDS[state]}{', the choice' * is_choice}")
    ring = tag("circle", cx=x, cy=y, r=_SIZE + 4.5, class_="ring") if is_choice else Markup()
    return tag(
        "g",
        title,
        _whisker(axes, x, change),
        ring,
        _shape(axes, x, y, change.mean, state),
        class_=f"set {state} chosen" if is_choice else f"set {state}",
        data_position=position,
    )


def _whisker(axes: _Axes, x: float, change: Interval) -> Markup:
    if math.isnan(change.low) or math.isnan(change.high) or change.high < axes.low:
        return Markup()
    return tag("path", d=f"M{x:g} {axes.y(change.low):g}V{axes.y(change.high):g}", class_="whisker")


def _shape(axes: _Axes, x: float, y: float, mean: float, state: str) -> Markup:
    if mean < axes.low:
        # An arrow that points out of the picture.
        return tag(
            "path", d=f"M{x - _SIZE:g} {y - 9:g}h{2 * _SIZE:g}l{-_SIZE:g} 9z", class_="shape"
        )
    if state == "open":
        size = _SIZE + 1
        path = f"M{x:g} {y - size:g}l{size:g} {size:g}l{-size:g} {size:g}l{-size:g} {-size:g}z"
        return tag("path", d=path, class_="shape")
    radius = _SIZE if state == "supported" else _SIZE - 1.5
    return tag("circle", cx=x, cy=y, r=radius, class_="shape")


def _low_labels(view: SieveView, axes: _Axes) -> list[Markup]:
    """Return what sets lose that are below the picture, where there is room."""
    parts: list[Markup] = []
    last = math.inf
    for position in axes.drawn:
        mean, x = view.set_change(position).mean, axes.x(view, position)
        label = view.signed(mean)
        width = _LETTER * len(label) + 8
        at = max(x, axes.frame.left + width / 2)
        if mean < axes.low and last - at >= width:
            y = axes.frame.bottom - 13
            parts.append(tag("text", label, x=round(at, 1), y=y, class_="middle low-label"))
            last = at
    return parts


def _certificate(view: SieveView, axes: _Axes) -> list[Markup]:
    certificate = view.result.certificate
    if certificate is None:
        return []
    last = len(certificate.tests) - 1
    return [
        _test(view, axes, test, reopened=certificate.reopened, labelled=number == last)
        for number, test in enumerate(certificate.tests)
    ]


def _test(
    view: SieveView, axes: _Axes, test: CertifiedSet, *, reopened: bool, labelled: bool
) -> Markup:
    """Return the mark of a certifying test; the last one has its verdict beside it."""
    change = view.test_change(test)
    if not math.isfinite(change.mean):
        return Markup()
    certified = test.proven and not reopened
    x, y = axes.x(view, test.position) + 13, axes.y(change.mean)
    verdict = "opened before" if reopened else "certified" if certified else "not certified"
    size = _SIZE - 0.5
    lowest = change.low if math.isfinite(change.low) else change.mean
    label_y = min(axes.y(lowest) + 16, axes.frame.bottom - 4)
    words = (
        f"{test.n_features:,} features on {test.change.n_queries:,} certifying queries: "
        f"{view.signed(change.mean)} ({view.between(change)}), {verdict}"
    )
    return tag(
        "g",
        tag("title", words),
        _whisker(axes, x, change),
        tag("rect", x=x - size, y=y - size, width=2 * size, height=2 * size, class_="shape"),
        tag("text", verdict, x=x, y=label_y, class_="middle claim-label") if labelled else Markup(),
        class_="test proven" if certified else "test",
        data_position=test.position,
    )


def _description(view: SieveView) -> str:
    result = view.result
    change = view.set_change(result.choice)
    last = result.ladder[view.last_supported]
    return (
        f"{len(result.ladder)} sets from {result.ladder[0].n_features:,} features down to "
        f"{result.ladder[-1].n_features:,}. The choice, {view.size_words(result.choice)}, changes "
        f"{result.measure} by {view.signed(change.mean)} ({view.between(change)}); the margin is "
        f"{result.margin}. Supported down to {last.n_features:,} features. The table of "
        "sets lists all."
    )
