"""The minimum of a convex function with kinks on a half-line, from values and slopes."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

# How near to the minimum, as a share of the fall that was found.
_ACCURACY = 0.1
_MAX_EVALUATIONS = 60
# Each step cuts at least such a share off the interval.
_LEAST_CUT = 0.05
_ROUNDING = 4 * np.finfo(np.float64).eps


class LinePoint(NamedTuple):
    """A length along the line, with value and slope there."""

    length: float
    value: float
    slope: float


def fall_along(
    at: Callable[[float], tuple[float, float]],
    below: LinePoint,
    value: float,
    *,
    curvature: float,
    first: float,
    worth: float,
) -> LinePoint:
    """Return a place near the minimum over lengths >= 0 of a parabola plus a convex function.

    `at` gives value and slope at a length, `value` is that at 0, and `curvature` is the
    parabola's. `below` has height and slope, at 0, of the parabola on some line that lies below
    the rest. Lines that touch on either side of the minimum, with the parabola on them, bound it
    from below, and where that bound is least is tried next, after the length `first`. The search
    ends when the bound leaves less to gain than a tenth of the fall, or than `worth`. Where
    rounding hides a fall, the flatter place is taken for the lower one.
    """
    best, low, high, length = LinePoint(0.0, value, below.slope), below, None, first
    rounding = _ROUNDING * abs(value)
    for _ in range(_MAX_EVALUATIONS):
        trial = LinePoint(length, *at(length))
        if _is_better(trial, best, rounding):
            best = trial
        if trial.slope <= 0.0:
            low = trial
        else:
            high = trial
        if high is None:
            length *= 2.0
            continue
        length, least = _least_of_two(low, high, curvature)
        if best.value - least <= max(_ACCURACY * (value - best.value), worth) + rounding:
            break
        margin = _LEAST_CUT * (high.length - low.length)
        length = float(np.clip(length, low.length + margin, high.length - margin))
    return best


def _is_better(trial: LinePoint, best: LinePoint, rounding: float) -> bool:
    if trial.value < best.value - rounding:
        return True
    return trial.value <= best.value + rounding and abs(trial.slope) < abs(best.slope)


def _least_of_two(low: LinePoint, high: LinePoint, curvature: float) -> tuple[float, float]:
    """Return where the higher of two lines, each plus the parabola, is least, and its height.

    About its own place, each is value + slope x + curvature x^2 / 2.
    """
    between = high.length - low.length
    # The difference of the two is a line: it is 0 where they cross.
    apart = low.value - high.value + high.slope * between - 0.5 * curvature * between**2
    steeper = high.slope - curvature * between - low.slope
    crossing = apart / steeper if steeper > 0.0 else 0.5 * between
    # The lower line is the higher of the two up to the crossing, the other from there on.
    step = max(min(crossing, -low.slope / curvature), between - high.slope / curvature)
    back = step - between
    return low.length + step, max(
        low.value + step * (low.slope + 0.5 * curvature * step),
        high.value + back * (high.slope + 0.5 * curvature * back),
    )
