"""Sorted importance of features as SVG."""

from __future__ import annotations

from ranksieve.report.inspection.collect import Inspection
from ranksieve.report.shared.markup import Markup, tag
from ranksieve.report.shared.ticks import nice_ticks
from ranksieve.report.shared.words import shortened

_HEIGHT = 320.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 52.0, 18.0, 34.0, 44.0
_NARROW = 500.0
# How many of the best features are named, in texts of about this size.
_LABELLED, _LABEL_WIDTH, _LABEL_HEIGHT = 8, 150.0, 13.5


def importance_svg(inspection: Inspection, *, width: float = 720.0) -> Markup:
    """Return a picture: features from best to worst, each a triangle at its score.

    A triangle points up where documents with high values come first, down where those with
    low values do; features that order nothing are rings on the line of a random order.
    """
    axes = _Axes(inspection, width)
    return tag(
        "svg",
        *_y_axis(inspection, axes),
        *_x_axis(inspection, axes),
        *_lines(inspection, axes),
        tag("g", *(_marker(inspection, axes, rank) for rank in range(inspection.n_features))),
        *_best_labels(inspection, axes),
        viewBox=f"0 0 {width:g} {_HEIGHT:g}",
        role="img",
        aria_label=_description(inspection),
        class_="importance narrow" if width < _NARROW else "importance broad",
    )


class _Axes:
    """From rank and score to places in the picture."""

    def __init__(self, inspection: Inspection, width: float) -> None:
        facts = inspection.importance
        values = [facts.random, *facts.scores.tolist()]
        low, high = float(min(values)), float(max(values))
        margin = 0.06 * (high - low) or 0.05
        self.low: float = low - margin
        self.high: float = high + margin
        self.n = inspection.n_features
        self.right = width - _RIGHT
        self.ticks = 6 if width >= _NARROW else 4
        # Small enough for many features to be told apart, large enough to be seen.
        self.size = min(5.0, max(2.5, 0.8 * (self.right - _LEFT) / self.n))

    def x(self, rank: float) -> float:
        room = self.right - _LEFT
        return _LEFT + room * (rank + 0.5) / self.n

    def y(self, score: float) -> float:
        room = _HEIGHT - _TOP - _BOTTOM
        return _TOP + room * (self.high - score) / (self.high - self.low)


def _y_axis(inspection: Inspection, axes: _Axes) -> list[Markup]:
    parts = []
    for value in nice_ticks(axes.low, axes.high):
        y = axes.y(value)
        parts.append(tag("line", x1=_LEFT, x2=axes.right, y1=y, y2=y, class_="grid"))
        parts.append(tag("text", f"{value:g}", x=_LEFT - 8, y=y + 4, class_="tick end"))
    name = shortened(inspection.importance.name, 40)
    parts.append(tag("text", name, x=2.0, y=12.0, class_="axis"))
    return parts


def _x_axis(inspection: Inspection, axes: _Axes) -> list[Markup]:
    ranks = {
        1,
        axes.n,
        *(int(rank) for rank in nice_ticks(1, max(axes.n, 2), axes.ticks) if rank >= 1),
    }
    # A round number beside the last one would run into it.
    labelled = [
        rank for rank in sorted(ranks) if rank in (1, axes.n) or axes.n - rank > axes.n / 12
    ]
    y = _HEIGHT - _BOTTOM + 18
    ticks = [tag("text", f"{rank}", x=axes.x(rank - 1), y=y, class_="tick") for rank in labelled]
    label = tag(
        "text",
        "features, from the best to the worst",
        x=(_LEFT + axes.right) / 2,
        y=_HEIGHT - 6,
        class_="axis middle",
    )
    return [*ticks, label]


def _lines(inspection: Inspection, axes: _Axes) -> list[Markup]:
    facts, n = inspection.importance, len(inspection.similarity.order)
    y = axes.y(facts.random)
    below = y + 16 < _HEIGHT - _BOTTOM + 4
    parts = [
        tag("line", x1=_LEFT, x2=axes.right, y1=y, y2=y, class_="random"),
        tag(
            "text",
            f"random order {facts.random:.4f}",
            x=_LEFT + 6,
            y=y + 15 if below else y - 6,
            class_="note",
        ),
    ]
    if n > 2:
        x = axes.x((n - 1) / 2)
        start = axes.y(facts.median)
        parts.append(tag("line", x1=x, x2=x, y1=start, y2=_HEIGHT - _BOTTOM, class_="median"))
        above = min(_HEIGHT - _BOTTOM, axes.y(facts.random)) - 7
        parts.append(tag("text", f"median {facts.median:.4f}", x=x + 6, y=above, class_="note"))
    return parts


def _marker(inspection: Inspection, axes: _Axes, rank: int) -> Markup:
    facts = inspection.importance
    feature = int(facts.order[rank])
    score, direction = float(facts.scores[feature]), int(facts.directions[feature])
    x, y = axes.x(rank), axes.y(score)
    size = axes.size
    words = {1: "high values first", -1: "low values first", 0: "orders nothing"}[direction]
    name = shortened(inspection.feature_names[feature], 80)
    title = tag("title", f"{name}: {score:.4f}, {words}")
    if direction == 0:
        return tag("circle", title, cx=round(x, 1), cy=round(y, 1), r=size * 0.6, class_="idle")
    height = -1.6 * size * direction
    start = f"M{x - size:.1f} {y + 0.6 * size * direction:.1f}"
    shape = f"{start}h{2 * size:g}l{-size:g} {height:g}z"
    return tag("path", title, d=shape, class_="high" if direction > 0 else "low")


def _best_labels(inspection: Inspection, axes: _Axes) -> list[Markup]:
    """Return the names of the best features at the right of their marks, with lines to them.

    Worse features lie below, so names that need room are moved up.
    """
    facts = inspection.importance
    best = [int(feature) for feature in facts.order[:_LABELLED] if facts.directions[feature]]
    heights = [axes.y(float(facts.scores[feature])) for feature in best]
    x = min(axes.x(len(best)) + 8, axes.right - _LABEL_WIDTH)
    parts = []
    for rank, (feature, y, at) in enumerate(zip(best, heights, moved_up(heights), strict=True)):
        start = axes.x(rank) + axes.size + 1
        if start < x:
            parts.append(tag("line", x1=start, y1=y, x2=x - 3, y2=at, class_="leader"))
        name = shortened(inspection.feature_names[feature], 22)
        parts.append(tag("text", name, x=x, y=at + 4, class_="note best"))
    return parts


def moved_up(heights: list[float], step: float = _LABEL_HEIGHT) -> list[float]:
    """Return falling places of labels at least a step apart: each at its height, or above it.

    Those that would leave the picture at its upper edge are moved down from there instead.

    Examples
    --------
    >>> moved_up([50.0, 60.0, 100.0], step=13.0)
    [47.0, 60.0, 100.0]
    >>> moved_up([10.0, 11.0], step=13.0)
    [6.5, 19.5]
    """
    positions = list(heights)
    for index in range(len(positions) - 2, -1, -1):
        positions[index] = min(positions[index], positions[index + 1] - step)
    return [max(position, step / 2 + index * step) for index, position in enumerate(positions)]


def _description(inspection: Inspection) -> str:
    facts = inspection.importance
    return (
        f"Importance of {inspection.n_features} features from the best to the worst: best "
        f"{facts.best:.4f}, median {facts.median:.4f}, worst {facts.worst:.4f}; a random order "
        f"scores {facts.random:.4f}. The table of features lists all."
    )
