"""What rankers that are trained by cutting planes share."""

from __future__ import annotations

from abc import abstractmethod

from ranksieve.data import RankingData
from ranksieve.problems import RidgeScores
from ranksieve.rankers._linear import LinearRanker
from ranksieve.rankers._row_order import in_one_own_order
from ranksieve.rankers._solved import SolvedRanker
from ranksieve.solvers import CuttingPlane


class PlaneRanker(SolvedRanker, LinearRanker):
    """A linear ranker whose objective is half the squared norm plus a loss with kinks.

    Subclasses write `_problem(data)`, and have the parameters C, tol and max_iter.
    """

    @abstractmethod
    def _problem(self, data: RankingData) -> RidgeScores:
        """Return the problem of data whose rows are in an order of their own, in one block."""

    def _fit(self, data: RankingData) -> None:
        self.check_parameters()
        # At a kink rounding decides which plane touches, and the planes where within the
        # tolerance the fit ends: sums are made in one order, whatever the rows and blocks.
        problem = self._problem(in_one_own_order(data))
        solution = CuttingPlane(self.tol, self.max_iter).solve(problem, self._start)
        self.coef_ = solution.weights
        self._keep_ending(solution)
