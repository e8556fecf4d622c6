"""The minimum of a risk along a direction, in few passes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranksieve.solvers._protocols import Risk

_SLOPE_LEFT = 1e-3
_MAX_EVALUATIONS = 12
# How many times as far to look for the other side of the minimum, at least and at most.
_BEYOND = np.array([1.5, 100.0])
_ROUNDING = 8 * np.finfo(np.float64).eps


class Point(NamedTuple):
    """Weights, with risk and gradient there."""

    w: NDArray[np.float64]
    value: float
    gradient: NDArray[np.float64]

    @classmethod
    def of(cls, risk: Risk, w: NDArray[np.float64]) -> Point:
        """Evaluate the risk at w: one pass."""
        return cls(w, *risk.value_and_grad(w))


def minimum_along(
    risk: Risk,
    at: Point,
    direction: NDArray[np.float64],
    *,
    curvature: float,
    longest: float,
) -> Point:
    """Return the lowest point at + t direction, 0 <= t <= longest, of a convex risk.

    The first t is Newton's, with `curvature` the second derivative at 0; then secants, between
    the last points on either side of the minimum, with the older side halved where it stays
    (the Illinois rule), until the slope is a thousandth of that at 0. What is returned was
    evaluated last, so that `risk.accept` refers to it, or is `at` itself if nothing is lower,
    evaluated again.
    """
    first = float(at.gradient @ direction)
    if first >= 0.0 or longest <= 0.0:
        return at
    low, low_slope, high, high_slope = 0.0, first, longest, np.nan
    length = min(-first / curvature, longest) if curvature > 0.0 else longest
    last_side = 0
    for _ in range(_MAX_EVALUATIONS):
        trial = Point.of(risk, _moved(at.w, length * direction))
        slope = float(trial.gradient @ direction)
        # At the end of the way a falling slope is the minimum.
        if slope <= 0.0 and length == longest:
            return trial
        if abs(slope) <= -_SLOPE_LEFT * first and trial.value <= at.value:
            return trial
        if slope < 0.0:
            high_slope = 0.5 * high_slope if last_side < 0 else high_slope
            low, low_slope, last_side = length, slope, -1
        else:
            low_slope = 0.5 * low_slope if last_side > 0 else low_slope
            high, high_slope, last_side = length, slope, 1
        if np.isnan(high_slope):
            length = _beyond(low, low_slope, first, longest)
        else:
            length = low - low_slope * (high - low) / (high_slope - low_slope)
    return trial if trial.value <= at.value else Point.of(risk, at.w)


def _moved(w: NDArray[np.float64], step: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return w + step, with 0 where only rounding is left: such a weight is not in use."""
    moved: NDArray[np.float64] = w + step
    moved[np.abs(moved) <= _ROUNDING * np.maximum(np.abs(w), np.abs(step))] = 0.0
    return moved


def _beyond(low: float, low_slope: float, first: float, longest: float) -> float:
    """Return where the line through the slopes at 0 and at `low` is 0, some way beyond `low`."""
    bent = low_slope - first
    crossing = -first * low / bent if bent > 0.0 else np.inf
    return float(min(np.clip(crossing, *(low * _BEYOND)), longest))
