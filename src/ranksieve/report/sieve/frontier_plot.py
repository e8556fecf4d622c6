"""The frontier: the best measure that each cost buys."""

from __future__ import annotations

import math

from ranksieve.report.shared.markup import Markup, tag
from ranksieve.report.shared.ticks import nice_ticks
from ranksieve.report.sieve.axes import Frame, PriceAxis
from ranksieve.report.sieve.view import SieveView, cost_text

_NARROW = 500.0
_LETTER, _LINE = 6.6, 15.0


def frontier_svg(view: SieveView, *, width: float = 760.0, height: float = 300.0) -> Markup:
    """Return a picture: the measure of each set against its cost, and the frontier as stairs.

    Sets of the frontier are discs with their number of features; a set that a cheaper one beats
    is a small ring. The choice has a ring around it.
    """
    result = view.result
    narrow = width < _NARROW
    frame = Frame(46.0 if narrow else 56.0, width - 18.0, 26.0, height - 44.0)
    prices = PriceAxis(tuple(each.price for each in result.ladder), frame)
    low, high = _measures(view)
    return tag(
        "svg",
        tag("title", f"{result.measure} against the cost of the features"),
        tag("desc", _description(view)),
        *_grid(frame, low, high),
        *_ticks(prices, frame, "cost of the features"),
        tag("text", result.measure, x=2.0, y=12.0, class_="axis"),
        _stairs(view, frame, prices, low, high),
        *(_mark(view, frame, prices, low, high, at) for at in range(len(result.ladder))),
        *_counts(view, frame, prices, low, high),
        viewBox=f"0 0 {width:g} {height:g}",
        role="img",
        class_="frontier narrow" if narrow else "frontier broad",
    )


def _measures(view: SieveView) -> tuple[float, float]:
    means = [each.mean for each in view.result.ladder if math.isfinite(each.mean)] or [0.0]
    padding = 0.08 * (max(means) - min(means)) or 0.05
    return min(means) - padding, max(means) + padding


def _grid(frame: Frame, low: float, high: float) -> list[Markup]:
    parts = []
    for value in nice_ticks(low, high, 5):
        y = frame.y(value, low, high)
        parts.append(tag("path", d=f"M{frame.left:g} {y:g}H{frame.right:g}", class_="grid"))
        parts.append(tag("text", f"{value:g}", x=frame.left - 7, y=y + 4, class_="end"))
    return parts


def _ticks(prices: PriceAxis, frame: Frame, words: str) -> list[Markup]:
    room = _LETTER * len(f"{prices.high:,.10g}") + 12
    ticks = prices.ticks(at_prices=False, room=room)
    middle = (frame.left + frame.right) / 2
    return [
        *(tag("text", label, x=x, y=frame.bottom + 18, class_="middle") for x, label in ticks),
        tag("text", words, x=middle, y=frame.bottom + 37, class_="middle axis"),
    ]


def _stairs(view: SieveView, frame: Frame, prices: PriceAxis, low: float, high: float) -> Markup:
    """Return the line along the frontier: a cost buys the best set that is not dearer."""
    points = [
        (prices.x(each.price), frame.y(each.mean, low, high))
        for each in (view.result.ladder[position] for position in reversed(view.result.frontier))
    ]
    if not points:
        return Markup()
    (first_x, first_y), *steps = points
    path = f"M{first_x:g} {first_y:g}" + "".join(f"H{x:g}V{y:g}" for x, y in steps)
    return tag("path", d=f"{path}H{frame.right:g}", class_="curve")


def _mark(
    view: SieveView, frame: Frame, prices: PriceAxis, low: float, high: float, position: int
) -> Markup:
    ladder_set = view.result.ladder[position]
    if not math.isfinite(ladder_set.mean):
        return Markup()
    x, y = prices.x(ladder_set.price), frame.y(ladder_set.mean, low, high)
    on_frontier, is_choice = position in view.result.frontier, position == view.result.choice
    words = f"{view.size_words(position)}: {ladder_set.mean:.4f}"
    standing = "on the frontier" if on_frontier else "a set that is not dearer is better"
    ring = tag("circle", cx=x, cy=y, r=9.5, class_="ring") if is_choice else Markup()
    return tag(
        "g",
        tag("title", f"{words}, {standing}{', the choice' * is_choice}"),
        ring,
        tag("circle", cx=x, cy=y, r=4.5 if on_frontier else 3.5, class_="shape"),
        class_="set best" if on_frontier else "set beaten",
        data_position=position,
    )


def _counts(
    view: SieveView, frame: Frame, prices: PriceAxis, low: float, high: float
) -> list[Markup]:
    """Return the numbers of features of the sets on the frontier; the choice in words."""
    choice = view.result.choice
    order = sorted(view.result.frontier, key=lambda position: position != choice)
    taken: list[tuple[float, float, float]] = []
    parts = []
    for position in order:
        ladder_set = view.result.ladder[position]
        x, y = prices.x(ladder_set.price), frame.y(ladder_set.mean, low, high)
        label = f"{ladder_set.n_features:,}"
        if position == choice or len(order) == 1:
            label = f"{label} features, cost {cost_text(ladder_set.price)}"
        half = _LETTER * len(label) / 2
        at = min(max(x, frame.left + half), frame.right - half)
        if all(
            abs(at - other) > half + width + 4 or abs(y - height) > _LINE
            for other, height, width in taken
        ):
            kind = "middle choice-label" if position == choice else "middle"
            parts.append(tag("text", label, x=round(at, 1), y=y - 13, class_=kind))
            taken.append((at, y, half))
    return parts


def _description(view: SieveView) -> str:
    sets = [view.result.ladder[position] for position in view.result.frontier]
    steps = "; ".join(f"{each.mean:.4f} for {cost_text(each.price)}" for each in sets)
    return f"The best that a cost buys: {steps}. The table of sets lists all."
