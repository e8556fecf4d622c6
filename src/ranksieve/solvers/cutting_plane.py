"""Cutting planes: the minimum of half the squared norm plus a convex function with kinks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ranksieve.errors import ParameterError
from ranksieve.progress import report
from ranksieve.solvers._cutting_plane_model import PlaneModel
from ranksieve.solvers._cutting_plane_search import LinePoint, fall_along
from ranksieve.solvers._protocols import StronglyConvex
from ranksieve.solvers._trace import Recorder
from ranksieve.solvers.base import Solution, Solver

# How far from the best point to the model's minimum the next plane touches.
_TOWARDS_MODEL = 0.02
# Accuracy of the model's minimum, and the least gain that a line search is for, as shares of
# the distance to the bound.
_MODEL_ACCURACY, _WORTH = 1e-3, 1e-2
# Rounds in a row without progress beyond rounding after which to end.
_MAX_STALLED = 5
_ROUNDING = 4 * np.finfo(np.float64).eps


@dataclass(frozen=True)
class CuttingPlane(Solver):
    """Minimum of |w|^2 / 2 + h(w), h >= 0 convex, with a certified gap.

    h needs no curvature and may have kinks, as losses of structured support vector machines
    have. A plane that touches h is below it everywhere, so with planes h(w_k) + g_k . (w - w_k)
    at points w_k,

        model(w) = |w|^2 / 2 + max(0, the highest plane at w)

    is below f, and its minimum a lower bound of f's. A round takes the model's minimiser v, a
    line search from the best point w through v, and a plane at a point a little from the new w
    towards v. What the best value is above the bound, relative to the value, is the gap.

    Parameters
    ----------
    tol : relative gap to reach
    max_iter : rounds at most

    Notes
    -----
    The model is that of the one-slack formulation (Joachims 2006; Teo et al. 2010), the line
    search and the choice of the point those of OCAS (Franc and Sonnenburg 2009), which take a
    fraction of the rounds of a plane at each v. Here the point is nearer to w, 0.02 of the way
    instead of 0.1, which takes fewer rounds still on LETOR's data.

    A problem may have `along(w, direction)`, which returns t -> (value, slope) at w + t direction;
    without it each point of a line search is one more call of `value_and_grad`, all that is
    needed of a problem. Its `strong_convexity` must be at least 1: the ridge is part of it.

    The iteration ends when the gap is within `tol` and what is left is at most the square root of
    `tol` of the way down from w = 0: without the second, weights of 0 would pass where gradients
    are small by the units of the features.

    Cost: a round takes a gradient, a line search of two or three points, and a quadratic
    programme over the planes in use, of which there are rarely more than weights: O(n_weights^3)
    for each plane that comes or goes. Tens of rounds are usual, hundreds where the ridge hardly
    counts. Planes that no model used for 50 rounds are dropped. Memory: O(n_weights) a plane.
    Slopes that are longer than the minimiser by many orders, as those of features in very
    different units are where the ridge hardly counts, leave few digits to the bound.

    A `Solution` as the start brings the points whose planes bounded it, which are evaluated again:
    its problem may be another one.

    References
    ----------
    Joachims, Training linear SVMs in linear time, KDD 2006.
    Teo, Vishwanathan, Smola and Le, Bundle methods for regularized risk minimization, 2010.
    Franc and Sonnenburg, Optimized cutting plane algorithm for large-scale risk minimization,
    2009.

    Examples
    --------
    >>> from ranksieve import make_ranking
    >>> from ranksieve.losses import HingeLoss
    >>> from ranksieve.problems import RidgeScores
    >>> data, _ = make_ranking(50, random_state=0)
    >>> found = CuttingPlane(tol=1e-6).solve(RidgeScores(data, HingeLoss(), 0.01))
    >>> found.converged, found.gap <= 1e-6
    (True, True)
    """

    solves: ClassVar[type] = StronglyConvex

    tol: float = 1e-8
    max_iter: int = 10_000

    def solve(self, problem: StronglyConvex, start: Any = None) -> Solution:
        """Minimise from `start` (weights or a `Solution`), or from zero."""
        if problem.strong_convexity < 1.0:
            raise ParameterError(
                "the problem must have a strong convexity of at least 1, but has "
                f"{problem.strong_convexity!r}"
            )
        model, w = PlaneModel(problem), np.zeros(problem.n_weights)
        value = at_zero = model.touch(w)
        if start is not None:
            w, value = _started(model, start)
        recorder, length, n_iter, stalled, distance = Recorder(), 1.0, 0, 0, np.inf
        while True:
            model.minimise(_MODEL_ACCURACY * (distance if n_iter else self.tol * value))
            before, distance = distance, value - model.bound
            stalled = stalled + 1 if distance >= before - _ROUNDING * value else 0
            gap = float(np.clip(distance / value, 0.0, 1.0)) if value > 0.0 else 0.0
            recorder.add(value, gap)
            is_near = distance <= np.sqrt(self.tol) * (at_zero - model.bound)
            is_near &= bool(w.any() or not model.minimiser.any())
            if (gap <= self.tol and is_near) or n_iter == self.max_iter or stalled == _MAX_STALLED:
                trace, state = recorder.trace(), model.points()
                return Solution(w, value, gap, n_iter, gap <= self.tol, trace, state)
            report("fitting", n_iter, None)
            direction = model.minimiser - w
            reached = _searched(problem, model, w, value, direction, length)
            w, value = w + reached.length * direction, reached.value
            length = reached.length if reached.length > 0.0 else 0.5 * length
            model.touch(w + _TOWARDS_MODEL * (model.minimiser - w))
            n_iter += 1


def _started(model: PlaneModel, start: Any) -> tuple[NDArray[np.float64], float]:
    """Touch where the start says; return its weights and their value."""
    weights = start.weights if isinstance(start, Solution) else start
    if isinstance(start, Solution) and start.state is not None:
        for point in start.state:
            model.touch(point)
    w = np.array(weights, dtype=np.float64)
    return w, model.touch(w)


def _searched(
    problem: StronglyConvex,
    model: PlaneModel,
    w: NDArray[np.float64],
    value: float,
    direction: NDArray[np.float64],
    first: float,
) -> LinePoint:
    """Return a place near the minimum on the way from w to the model's minimiser and beyond."""
    curvature = float(direction @ direction)
    if curvature == 0.0:
        return LinePoint(0.0, value, 0.0)
    height, slope = model.line(w, direction)
    below = LinePoint(0.0, height + 0.5 * float(w @ w), slope + float(w @ direction))
    return fall_along(
        _line(problem, w, direction),
        below,
        value,
        curvature=curvature,
        first=first,
        worth=_WORTH * (value - model.bound),
    )


def _line(
    problem: StronglyConvex, w: NDArray[np.float64], direction: NDArray[np.float64]
) -> Callable[[float], tuple[float, float]]:
    """Return t -> value and slope at w + t direction, by the problem's own way if it has one."""
    along = getattr(problem, "along", None)
    if along is not None:
        at: Callable[[float], tuple[float, float]] = along(w, direction)
        return at

    def by_gradient(t: float) -> tuple[float, float]:
        value, gradient = problem.value_and_grad(w + t * direction)
        return value, float(gradient @ direction)

    return by_gradient
