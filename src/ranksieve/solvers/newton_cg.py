"""Truncated Newton: second-order steps from Hessian products alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ranksieve.progress import report
from ranksieve.solvers.base import Problem, Solution, Solver

_SUFFICIENT_DECREASE = 1e-4
_MAX_HALVINGS = 40


@dataclass(frozen=True)
class NewtonCG(Solver):
    """Minimum of a strongly convex function, with a certified gap.

    Each iteration solves H d = -g roughly by conjugate gradients and halves the step until
    the value falls enough. For a function with strong convexity mu,

        f(w) - f* <= |g(w)|^2 / (2 mu),

    which is the gap that is reported, relative to f(w), and that ends the iteration.

    Parameters
    ----------
    tol : relative gap to reach
    max_iter : Newton iterations at most

    Notes
    -----
    Cost: one gradient and at most min(max_products, number of weights) Hessian products an
    iteration; usually five to fifteen iterations.
    """

    tol: float = 1e-8
    max_iter: int = 100
    max_products: int = 250

    def solve(self, problem: Problem, start: NDArray[np.float64] | None = None) -> Solution:
        """Minimise from `start`, or from zero."""
        w = np.zeros(problem.n_weights) if start is None else start.astype(np.float64)
        value, gradient = problem.value_and_grad(w)
        problem.accept()
        first_norm = float(np.linalg.norm(gradient))
        for iteration in range(self.max_iter + 1):
            gap = _relative_gap(gradient, value, problem.strong_convexity)
            if gap <= self.tol:
                return Solution(w, value, gap, iteration, converged=True)
            if iteration == self.max_iter:
                break
            report("fitting", iteration, self.max_iter)
            step = self._direction(problem, gradient, first_norm)
            found = _decrease(problem, w, step, value, gradient)
            if found is None:  # the value no longer falls in double precision
                break
            w, value, gradient = found
            problem.accept()
        return Solution(w, value, gap, iteration, converged=False)

    def _direction(
        self, problem: Problem, gradient: NDArray[np.float64], first_norm: float
    ) -> NDArray[np.float64]:
        """Solve H d = -gradient to an accuracy that grows with the progress made."""
        d = np.zeros_like(gradient)
        residual = -gradient
        search = residual.copy()
        squared = float(residual @ residual)
        norm = float(np.linalg.norm(gradient))
        accuracy = min(0.1, norm / first_norm) * norm
        for _ in range(min(self.max_products, 2 * problem.n_weights)):
            image = problem.product(search)
            length = squared / float(search @ image)
            d += length * search
            residual -= length * image
            previous, squared = squared, float(residual @ residual)
            if np.sqrt(squared) <= accuracy:
                break
            search = residual + squared / previous * search
        return d


def _relative_gap(gradient: NDArray[np.float64], value: float, strong_convexity: float) -> float:
    bound = float(gradient @ gradient) / (2.0 * strong_convexity)
    return bound / value if value > 0.0 else bound


def _decrease(
    problem: Problem,
    w: NDArray[np.float64],
    step: NDArray[np.float64],
    value: float,
    gradient: NDArray[np.float64],
) -> tuple[NDArray[np.float64], float, NDArray[np.float64]] | None:
    slope = float(gradient @ step)
    length = 1.0
    for _ in range(_MAX_HALVINGS):
        trial = w + length * step
        trial_value, trial_gradient = problem.value_and_grad(trial)
        if trial_value <= value + _SUFFICIENT_DECREASE * length * slope:
            return trial, trial_value, trial_gradient
        length *= 0.5
    return None
