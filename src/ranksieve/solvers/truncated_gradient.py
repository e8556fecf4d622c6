"""Truncated gradient: a step down, then every weight is drawn towards 0 and cut off there."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranksieve.progress import report
from ranksieve.solvers._incumbent import Incumbent, starting_weights
from ranksieve.solvers._penalised import Penalised
from ranksieve.solvers.base import Solution, Solver
from ranksieve.solvers.fista import check_no_ties

# A step is taken unless the objective is above the highest of this many before it.
_MEMORY = 10
# How far below that it must be, as a share of |change|^2 / (2 step).
_SHARE = 1e-4
# Steps are at most this many times longer or shorter than the first.
_RANGE = 1e12
# Steps in which the least objective stays the same, after which it will not fall any more.
_IDLE = 50
_ROUNDING = 64 * np.finfo(np.float64).eps


@dataclass(frozen=True)
class TruncatedGradient(Solver):
    """Minimum of risk plus a charge on each weight alone, by truncated gradient descent.

        w_{t+1} = T(w_t - step_t risk'(w_t), step_t),
        T(v, step)_j = sign(v_j) max(0, |v_j| - step * linear_j) / (1 + step * matrix_jj)

    T is the truncation of Langford, Li and Zhang with the charge as gravity, after every step
    (their K = 1) and for weights of any size (their theta = infinity), for which it is l1
    regularisation. The gradient is of all queries, so there is no noise that fewer or weaker
    truncations would have to average out, no order of queries, and no seed.

    Parameters
    ----------
    tol : relative gap to reach
    max_iter : iterations at most

    Notes
    -----
    The length of a step is learnt from the one before, |dw|^2 / (dw . dg) for changes dw of the
    weights and dg of the gradient (Barzilai and Borwein), and halved until the objective is below
    the highest of the last ten. A fixed step, 1 over a bound of the curvature, needs many times
    the passes.

    Cost: one pass per iteration, and one more for each time that the step is halved. The
    objective may rise at times: the best point is kept and returned, and with it the best lower
    bound. It also ends where the best objective is the same for 50 steps, as double precision has
    no more to give.

    References: Langford, Li and Zhang, Sparse online learning via truncated gradient, JMLR 2009;
    Wright, Nowak and Figueiredo, Sparse reconstruction by separable approximation, IEEE
    Transactions on Signal Processing 2009, for the length of the steps.

    Examples
    --------
    >>> from ranksieve import make_ranking
    >>> from ranksieve.losses import SquaredHingeLoss
    >>> from ranksieve.penalties import Charge
    >>> from ranksieve.problems import PairRisk
    >>> data, truth = make_ranking(50, n_relevant=2, n_redundant=0, n_irrelevant=3, random_state=0)
    >>> risk = PairRisk(data, SquaredHingeLoss())
    >>> solution = TruncatedGradient().solve(Penalised(risk, Charge(np.full(5, 0.1))))
    >>> solution.converged, np.flatnonzero(solution.weights).tolist() == truth.relevant.tolist()
    (True, True)
    """

    tol: float = 1e-6
    max_iter: int = 10_000

    def solve(self, problem: Penalised, start: Any = None) -> Solution:
        """Minimise from `start` (weights or a `Solution`), or from zero."""
        check_no_ties(problem.charge, type(self).__name__)
        current = _point(problem, starting_weights(problem, start))
        best = Incumbent(problem)
        best.see(current.w, current.value, current.gradient)
        objectives = deque([current.objective], maxlen=_MEMORY)
        first = length = _first_step(problem)
        n_iter, lowest, idle = 0, current.objective, 0
        while n_iter < self.max_iter and best.gap > self.tol and idle < _IDLE:
            report("solving", n_iter, None)
            stepped, length = _step(problem, current, length, max(objectives))
            best.see(stepped.w, stepped.value, stepped.gradient)
            length = _next_step(current, stepped, length, first)
            objectives.append(stepped.objective)
            idle = 0 if stepped.objective < lowest else idle + 1
            lowest = min(lowest, stepped.objective)
            current, n_iter = stepped, n_iter + 1
        return best.solution(n_iter, self.tol)


class _Point(NamedTuple):
    w: NDArray[np.float64]
    value: float
    gradient: NDArray[np.float64]
    objective: float


def _point(problem: Penalised, w: NDArray[np.float64]) -> _Point:
    value, gradient = problem.risk.value_and_grad(w)
    return _Point(w, value, gradient, value + problem.charge.value(w))


def _first_step(problem: Penalised) -> float:
    steepest = float(problem.risk.curvatures.max(initial=0.0))
    # Without any curvature the start is the optimum, and no step follows.
    return 1.0 / steepest if steepest > 0.0 else 1.0


def _step(
    problem: Penalised, current: _Point, length: float, highest: float
) -> tuple[_Point, float]:
    """Return where a step leads, and its length, halved until the objective is low enough."""
    while True:
        w = problem.charge.prox(current.w - length * current.gradient, length)
        stepped, moved = _point(problem, w), w - current.w
        square = float(moved @ moved)
        limit = highest - _SHARE * square / (2.0 * length) + _ROUNDING * abs(highest)
        if stepped.objective <= limit or square == 0.0:
            return stepped, length
        length *= 0.5


def _next_step(last: _Point, current: _Point, length: float, first: float) -> float:
    """Return the length that fits the curvature between two points; as before where it is flat."""
    moved, turned = current.w - last.w, current.gradient - last.gradient
    square, bent = float(moved @ moved), float(moved @ turned)
    if square == 0.0 or bent <= 0.0:
        return length
    return min(max(square / bent, first / _RANGE), first * _RANGE)
