"""Frank-Wolfe: the least risk within a ball of the l1 norm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranksieve.catalog import check_choice
from ranksieve.progress import report
from ranksieve.solvers._fully_corrective import minimise_in_ball
from ranksieve.solvers._line_search import Point, minimum_along
from ranksieve.solvers._protocols import Risk
from ranksieve.solvers._trace import Recorder
from ranksieve.solvers.base import Solution, Solver, check_positive

_STEPS = ("pairwise", "away", "plain")
# A correction looks at the weights in use and as many others again, at least at this number.
_LEAST_WORKING = 50
# Iterations in a row without progress beyond rounding after which to end.
_MAX_STALLED = 3
# What is left of the radius up to here is rounding, not room to move.
_LEAST_SHARE = 1e-13
_ROUNDING = 4 * np.finfo(np.float64).eps


@dataclass(frozen=True)
class FrankWolfe(Solver):
    """Least risk over |w|_1 <= radius, with a certified gap.

    The ball's vertices are +-radius e_j, and w is a convex combination of them: |w_j| / radius
    of the vertex on w_j's side, and where |w|_1 < radius the rest in equal parts of the two
    opposite vertices at the coordinate of the largest gradient. With v the vertex that
    minimises g . v and a the active one that maximises g . a, a step goes

        plain:     from w towards v
        away:      towards v, or away from a where that falls faster
        pairwise:  moves weight from a to v

    with an exact line search, as far as the weights of vertices allow. The gap is
    g . (w - v), an upper bound of risk(w) - optimum.

    Parameters
    ----------
    radius : float
        What |w|_1 may be at most.
    tol : relative gap to reach
    max_iter : iterations at most
    steps : {"pairwise", "away", "plain"}
        Plain steps never return a weight to 0, and converge as 1 / t.
    corrective : bool
        Whether each step is followed by a correction (never after plain steps): the minimum
        of the risk's quadratic model over the ball, by fully corrective Frank-Wolfe over the
        weights in use and those with the largest gradients, and a line search towards it.
        Without it, features that are nearly copies of each other take thousands of steps.

    Notes
    -----
    Cost: a pass for the curvature along a step and one to three for its line search; for a
    correction, the Hessian of the weights it looks at. On LETOR's 45
    correlated features of OHSUMED one to three iterations reach a gap of 1e-8.

    A start outside the ball is scaled down to it. The largest gradient goes to the lower
    index among equals. The gap is relative to the risk, and 0 where that is 0.

    References: Lai, Pan, Liu, Lin and Wu, Sparse learning-to-rank via an efficient primal-dual
    algorithm (FenchelRank, 2013), whose steps are the plain ones; Lacoste-Julien and Jaggi, On
    the global linear convergence of Frank-Wolfe optimization variants (2015).

    Examples
    --------
    >>> from ranksieve import make_ranking
    >>> from ranksieve.losses import SquaredHingeLoss
    >>> from ranksieve.problems import PairRisk
    >>> data, truth = make_ranking(50, n_relevant=2, n_redundant=0, n_irrelevant=3, random_state=0)
    >>> found = FrankWolfe(radius=0.5).solve(PairRisk(data, SquaredHingeLoss()))
    >>> found.converged, np.flatnonzero(found.weights).tolist() == truth.relevant.tolist()
    (True, True)
    """

    solves: ClassVar[type] = Risk

    radius: float = 1.0
    tol: float = 1e-8
    max_iter: int = 1000
    steps: str = "pairwise"
    corrective: bool = True

    def solve(self, problem: Risk, start: Any = None) -> Solution:
        """Minimise from `start` (weights or a `Solution`), or from zero."""
        check_positive("radius", self.radius)
        check_choice("steps", self.steps, _STEPS)
        at = Point.of(problem, _within(start, problem.n_weights, self.radius))
        recorder, n_iter, stalled, bound = Recorder(), 0, 0, 0.0
        while True:
            bound = max(bound, at.value - _distance(at, self.radius))
            gap = _relative(at.value, bound)
            recorder.add(at.value, gap)
            if gap <= self.tol or n_iter == self.max_iter or stalled == _MAX_STALLED:
                trace = recorder.trace()
                return Solution(at.w, at.value, gap, n_iter, gap <= self.tol, trace)
            report("solving", n_iter, None)
            before, at = at.value, self._iterate(problem, at)
            # In double precision the value may stop falling before the tolerance is met.
            stalled = stalled + 1 if at.value >= before * (1.0 - _ROUNDING) else 0
            n_iter += 1

    def _iterate(self, risk: Risk, at: Point) -> Point:
        """Return the point after a step and, where asked for, a correction."""
        direction, longest = _DIRECTIONS[self.steps](at, self.radius)
        risk.accept()
        curvature = float(direction @ risk.product(direction))
        at = minimum_along(risk, at, direction, curvature=curvature, longest=longest)
        if self.corrective and self.steps != "plain" and _distance(at, self.radius) > 0.0:
            at = _corrected(risk, at, self.radius)
        return at


class _Direction(NamedTuple):
    way: NDArray[np.float64]
    longest: float


def _within(start: Any, n_weights: int, radius: float) -> NDArray[np.float64]:
    if start is None:
        return np.zeros(n_weights)
    weights = start.weights if isinstance(start, Solution) else start
    w = np.array(weights, dtype=np.float64)
    total = float(np.abs(w).sum())
    # A solution on the sphere stays as it is: rounding must not make it a worse one.
    return w * (radius / total) if total > radius * (1.0 + _LEAST_SHARE) else w


def _distance(at: Point, radius: float) -> float:
    """Return g . (w - v), how far the risk at w is above the optimum at most."""
    return float(at.gradient @ at.w + radius * np.abs(at.gradient).max(initial=0.0))


def _relative(value: float, bound: float) -> float:
    return float(np.clip((value - bound) / value, 0.0, 1.0)) if value > 0.0 else 0.0


def _towards(at: Point, radius: float) -> NDArray[np.float64]:
    """Return the vertex v that minimises g . v."""
    vertex = np.zeros_like(at.w)
    steepest = int(np.abs(at.gradient).argmax())
    vertex[steepest] = -radius * np.sign(at.gradient[steepest])
    return vertex


def _active(at: Point, radius: float) -> tuple[NDArray[np.float64], float]:
    """Return the active vertex a that maximises g . a, and its weight in w."""
    steepest = int(np.abs(at.gradient).argmax())
    left = 1.0 - float(np.abs(at.w).sum()) / radius
    left = left if left > _LEAST_SHARE else 0.0
    slopes = np.where(at.w != 0.0, at.gradient * np.sign(at.w), -np.inf)
    worst = steepest if left > 0.0 else int(slopes.argmax())
    sign = np.sign(at.gradient[steepest]) if left > 0.0 else np.sign(at.w[worst])
    vertex = np.zeros_like(at.w)
    vertex[worst] = radius * sign
    share = max(float(at.w[worst] * sign), 0.0) / radius
    return vertex, share + 0.5 * left


def _plain(at: Point, radius: float) -> _Direction:
    return _Direction(_towards(at, radius) - at.w, 1.0)


def _away(at: Point, radius: float) -> _Direction:
    towards = _towards(at, radius) - at.w
    vertex, weight = _active(at, radius)
    if at.gradient @ towards <= at.gradient @ (at.w - vertex) or weight >= 1.0:
        return _Direction(towards, 1.0)
    return _Direction(at.w - vertex, weight / (1.0 - weight))


def _pairwise(at: Point, radius: float) -> _Direction:
    vertex, weight = _active(at, radius)
    return _Direction(_towards(at, radius) - vertex, weight)


_DIRECTIONS = {"plain": _plain, "away": _away, "pairwise": _pairwise}


def _corrected(risk: Risk, at: Point, radius: float) -> Point:
    """Return the minimum on the way to that of the risk's quadratic model at w."""
    features = _working(at)
    risk.accept()
    hessian = risk.hessian(features)
    w = at.w[features]
    linear = at.gradient[features] - hessian @ w
    way = np.zeros_like(at.w)
    way[features] = minimise_in_ball(hessian, linear, w, radius) - w
    curvature = float(way[features] @ hessian @ way[features])
    return minimum_along(risk, at, way, curvature=curvature, longest=1.0)


def _working(at: Point) -> NDArray[np.int64]:
    """Return the features of weights in use, and others with the largest gradients, sorted."""
    used = at.w != 0.0
    number = max(2 * int(used.sum()), _LEAST_WORKING)
    promising = np.argsort(-np.where(used, np.inf, np.abs(at.gradient)), kind="stable")
    return np.sort(promising[:number])
