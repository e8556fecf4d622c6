"""Rankers whose weights are the solution of a convex problem, to a proven gap."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ranksieve.errors import warn_caller
from ranksieve.estimator import check_number
from ranksieve.rankers.base import Ranker
from ranksieve.solvers import Solution


class SolvedRanker(Ranker):
    """A ranker with C, the weight of its loss, and a solver that proves how near it came."""

    # Weights near the optimum to begin at; zero where there are none.
    _start: NDArray[np.float64] | None = None

    C: float
    tol: float
    max_iter: int

    objective_: float
    gap_: float
    n_iter_: int
    converged_: bool

    def start_from(self, weights: NDArray[np.float64]) -> None:
        """Begin fits at weights near the optimum, such as those of a model fitted before."""
        self._start = weights

    def check_parameters(self) -> None:
        """Raise where a parameter is not valid."""
        check_number("C", self.C, above=0)
        check_number("tol", self.tol, above=0)
        check_number("max_iter", self.max_iter, least=1, integer=True)

    def _keep_ending(self, solution: Solution) -> None:
        """Set what a solver says about its end, and warn where that is not the optimum."""
        self.objective_, self.gap_ = solution.objective, solution.gap
        self.n_iter_, self.converged_ = solution.n_iter, solution.converged
        if not solution.converged:
            remedy = "Raise max_iter" if solution.n_iter >= self.max_iter else "Raise tol"
            warn_caller(
                f"{type(self).__name__} ended after {solution.n_iter} iterations with a relative "
                f"gap of {solution.gap:.2g}, above tol={self.tol:g}. {remedy}, lower C, or scale "
                "the features."
            )
