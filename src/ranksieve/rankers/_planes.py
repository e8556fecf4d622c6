"""What rankers that are trained by cutting planes share."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import Block, RankingData
from ranksieve.errors import warn_caller
from ranksieve.estimator import check_number
from ranksieve.problems import RidgeScores
from ranksieve.rankers._linear import LinearRanker
from ranksieve.rankers._row_order import in_own_order
from ranksieve.solvers import CuttingPlane


class PlaneRanker(LinearRanker):
    """A linear ranker whose objective is half the squared norm plus a loss with kinks.

    Subclasses write `_problem(data)`, and have the parameters C, tol and max_iter.
    """

    C: float
    tol: float
    max_iter: int

    objective_: float
    gap_: float
    n_iter_: int
    converged_: bool

    # Weights near the optimum, set before a fit by whoever fits often; zero where there are none.
    _start: NDArray[np.float64] | None = None

    def _problem(self, data: RankingData) -> RidgeScores:
        """Return the problem of data whose rows are in an order of their own, in one block."""
        raise NotImplementedError

    def _fit(self, data: RankingData) -> None:
        self._check_parameters()
        # At a kink rounding decides which plane touches, and the planes where within the
        # tolerance the fit ends: sums are made in one order, whatever the rows and blocks.
        problem = self._problem(_in_one_block(in_own_order(data)))
        solution = CuttingPlane(self.tol, self.max_iter).solve(problem, self._start)
        self.coef_ = solution.weights
        self.objective_, self.gap_ = solution.objective, solution.gap
        self.n_iter_, self.converged_ = solution.n_iter, solution.converged
        if not solution.converged:
            warn_caller(
                f"{type(self).__name__} ended after {solution.n_iter} rounds with a relative gap "
                f"of {solution.gap:.2g}, above tol={self.tol:g}. Raise max_iter or tol, lower C, "
                "or scale the features."
            )

    def _check_parameters(self) -> None:
        check_number("C", self.C, above=0)
        check_number("tol", self.tol, above=0)
        check_number("max_iter", self.max_iter, least=1, whole=True)


def _in_one_block(data: RankingData) -> RankingData:
    if data.n_blocks == 1:
        return data
    block = Block(X=data.X, y=data.y, query_ptr=data.query_ptr, query_ids=data.query_ids)
    return RankingData([block], data.feature_names, data.scaling)
