"""Subgradient descent: the baseline of FSMRank's Figure 5."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.progress import report
from ranksieve.solvers._incumbent import Incumbent, starting_weights
from ranksieve.solvers._penalised import Penalised
from ranksieve.solvers.base import Solution, Solver


@dataclass(frozen=True)
class Subgradient(Solver):
    """A point near the minimum of risk plus charge, by diminishing steps along a subgradient.

        w_{t+1} = w_t - c / sqrt(t) s_t,  t = 1, 2, ...

    s_t is the shortest subgradient: g + threshold sign(w) where a weight is not 0, and g
    drawn towards 0 by its threshold elsewhere. c is 1 over the sum of the curvatures of the
    risk by each weight and of the charge's by each |w_j|: the sum of the diagonal is at least
    the largest eigenvalue, so that no step overshoots on the smooth part.

    It is slow, O(1 / sqrt(t)), and is here to compare with: for an optimum take another.

    Parameters
    ----------
    tol : relative gap to reach
    max_iter : iterations at most

    Notes
    -----
    Cost: one pass per iteration, which gives the objective, the subgradient and the gap. The
    objective does not fall at each step: the best point is kept and returned, and with it the
    best lower bound. Weights rarely are exactly 0.

    Reference: Lai, Pan, Tang and Yu, FSMRank (2013), section IV.E; the paper does not say
    which steps it took.

    Examples
    --------
    >>> from ranksieve import make_ranking
    >>> from ranksieve.losses import SquaredHingeLoss
    >>> from ranksieve.penalties import Charge
    >>> from ranksieve.problems import PairRisk
    >>> data, truth = make_ranking(50, n_relevant=2, n_redundant=0, n_irrelevant=3, random_state=0)
    >>> risk = PairRisk(data, SquaredHingeLoss())
    >>> found = Subgradient(max_iter=200).solve(Penalised(risk, Charge(np.full(5, 0.1))))
    >>> found.n_iter, found.converged, bool(found.gap < found.trace.gaps[0])
    (200, False, True)
    """

    tol: float = 1e-3
    max_iter: int = 10_000

    def solve(self, problem: Penalised, start: Any = None) -> Solution:
        """Minimise from `start` (weights or a `Solution`), or from zero."""
        w = starting_weights(problem, start)
        value, gradient = problem.risk.value_and_grad(w)
        best = Incumbent(problem)
        best.see(w, value, gradient)
        scale, n_iter = _scale(problem), 0
        while n_iter < self.max_iter and best.gap > self.tol:
            report("solving", n_iter, None)
            n_iter += 1
            w = w - scale / np.sqrt(n_iter) * _shortest(problem, w, gradient)
            value, gradient = problem.risk.value_and_grad(w)
            best.see(w, value, gradient)
        return best.solution(n_iter, self.tol)


def _scale(problem: Penalised) -> float:
    matrix = problem.charge.matrix
    total = problem.risk.curvatures.sum() + (0.0 if matrix is None else np.trace(matrix))
    # Without any curvature the start is the optimum, and no step follows.
    return 1.0 / float(total) if total > 0.0 else 1.0


def _shortest(
    problem: Penalised, w: NDArray[np.float64], gradient: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the shortest subgradient at w; a weight with an infinite threshold stays at 0."""
    thresholds = problem.charge.thresholds(w)
    drawn = np.sign(gradient) * np.maximum(np.abs(gradient) - thresholds, 0.0)
    used = w != 0.0
    drawn[used] = gradient[used] + np.sign(w[used]) * thresholds[used]
    return drawn
