"""Truncated Newton: second-order steps from Hessian products alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from ranksieve.progress import report
from ranksieve.solvers._protocols import Problem
from ranksieve.solvers.base import Solution, Solver

_SUFFICIENT_DECREASE = 1e-4
_MAX_HALVINGS = 40
_LEAST_PRODUCTS = 32
_ROUNDING = 4 * np.finfo(np.float64).eps


@dataclass(frozen=True)
class NewtonCG(Solver):
    """Minimum of a strongly convex function, with a certified gap.

    Each iteration solves H d = -g roughly by conjugate gradients, preconditioned by the
    problem's curvatures so that the scale of a weight does not matter, and halves the step
    until the value falls enough. For a function with strong convexity mu,

        f(w) - f* <= |g(w)|^2 / (2 mu),

    which is the gap that is reported, relative to f(w). The iteration ends when the gap is
    within `tol` and the scaled gradient has fallen by the square root of `tol`: without the
    second, weights of 0 would pass where gradients are small by the units of the features.

    Parameters
    ----------
    tol : relative gap to reach
    max_iter : Newton iterations at most
    max_products : Hessian products per iteration at most

    Notes
    -----
    Cost: one gradient and at most `max_products` Hessian products per iteration; usually five to
    fifteen iterations. Up to `max_products` weights, a step that takes more products than the
    whole Hessian would cost is solved with that, in O(n_weights^3).
    """

    solves: ClassVar[type] = Problem

    tol: float = 1e-8
    max_iter: int = 100
    max_products: int = 250

    def solve(self, problem: Problem, start: Any = None) -> Solution:
        """Minimise from `start` (weights or a `Solution`), or from zero."""
        w = np.zeros(problem.n_weights)
        value, gradient = problem.value_and_grad(w)
        first_norm = _scaled_norm(gradient, problem)
        if start is not None:
            weights = start.weights if isinstance(start, Solution) else start
            w = np.array(weights, dtype=np.float64)
            value, gradient = problem.value_and_grad(w)
        problem.accept()
        n_iter, stalled = 0, False
        while True:
            gap = _relative_gap(gradient, value, problem.strong_convexity)
            norm = _scaled_norm(gradient, problem)
            small = norm <= np.sqrt(self.tol) * first_norm
            if stalled or n_iter == self.max_iter or (gap <= self.tol and small):
                return Solution(w, value, gap, n_iter, converged=bool(gap <= self.tol))
            report("fitting", n_iter, None)
            step = self._direction(problem, gradient, min(0.1, norm / first_norm) * norm)
            decreased = _decrease(problem, w, step, value, gradient)
            # In double precision the value may stop falling before the tolerance is met.
            stalled = decreased is None or bool(decreased[1] >= value * (1.0 - _ROUNDING))
            if decreased is not None:
                w, value, gradient = decreased
                problem.accept()
            n_iter += 1

    def _direction(
        self, problem: Problem, gradient: NDArray[np.float64], accuracy: float
    ) -> NDArray[np.float64]:
        """Solve H d = -gradient until the scaled residual is within `accuracy`."""
        d = np.zeros_like(gradient)
        residual = -gradient
        scaled = residual / problem.curvatures
        search = scaled.copy()
        squared = float(residual @ scaled)
        dense = problem.n_weights <= self.max_products
        for _ in range(_least_products(problem.n_weights) if dense else self.max_products):
            image = problem.product(search)
            bend = float(search @ image)
            if not bend > 0.0:
                # It vanished or overflowed in rounding, with features far from 1.
                break
            length = squared / bend
            d += length * search
            residual -= length * image
            scaled = residual / problem.curvatures
            previous, squared = squared, float(residual @ scaled)
            if np.sqrt(squared) <= accuracy:
                return d
            search = scaled + squared / previous * search
        return _newton_step(problem, gradient) if dense else d


def _least_products(n_weights: int) -> int:
    """Return how many products cost about as much as the whole Hessian, small ones aside."""
    return max(_LEAST_PRODUCTS, n_weights // 3)


def _newton_step(problem: Problem, gradient: NDArray[np.float64]) -> NDArray[np.float64]:
    """Solve H d = -gradient with the whole Hessian, for weights that hang together closely."""
    roots = np.sqrt(problem.curvatures)
    scaled = problem.hessian() / np.outer(roots, roots)
    try:
        step: NDArray[np.float64] = -cho_solve(cho_factor(scaled), gradient / roots) / roots
    except np.linalg.LinAlgError:
        values, vectors = np.linalg.eigh(scaled)
        # All are at least the strong convexity over the largest curvature, but for rounding.
        values = np.maximum(values, np.finfo(np.float64).eps * values[-1])
        step = -(vectors @ (vectors.T @ (gradient / roots) / values)) / roots
    return step


def _scaled_norm(gradient: NDArray[np.float64], problem: Problem) -> float:
    return float(np.sqrt(gradient @ (gradient / problem.curvatures)))


def _relative_gap(gradient: NDArray[np.float64], value: float, strong_convexity: float) -> float:
    # The function is not negative, so its value bounds the distance too.
    bound = float(gradient @ gradient) / (2.0 * strong_convexity)
    return min(bound / value, 1.0) if value > 0.0 else 0.0


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
