"""RankSVM in the primal."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import RankingData
from ranksieve.estimator import DefaultGrid, decades
from ranksieve.losses import SquaredHingeLoss
from ranksieve.problems import RidgePairs
from ranksieve.rankers._linear import LinearRanker
from ranksieve.rankers._solved import SolvedRanker
from ranksieve.solvers import NewtonCG


class RankSVM(SolvedRanker, LinearRanker):
    """Linear ranking by the squared hinge over pairs, to the optimum.

        minimise  |w|^2 / 2 + C * sum over queries and pairs i above j of
                  max(0, 1 - (w . x_i - w . x_j))^2

    Parameters
    ----------
    C : float
        Weight of the sum over pairs, as in the papers and in scikit-learn's linear SVMs. It
        multiplies a sum: data with more pairs wants a smaller C.
    tol : float
        Relative gap at which to stop, see `gap_`.
    max_iter : int
        Newton iterations at most.
    weighting : {"pairs", "queries"}
        Whether every pair counts the same, so that queries with many pairs count most, or every
        query, see `PairLoss`; the weights of all pairs sum up to their number either way.

    Attributes
    ----------
    coef_ : (n_features,) array, the weights
    objective_ : float, the objective at `coef_`
    gap_ : float
        A proven bound of (objective - optimum) / objective. The objective is strongly convex
        with constant 1, so objective - optimum <= |gradient|^2 / 2.
    n_iter_ : int
    converged_ : bool
    n_features_in_ : int

    Notes
    -----
    No pair is ever built: a query of m documents costs O(m log m), whatever the grades.
    Cost: one pass over the data for each Newton step and each product inside it, tens to
    hundreds in all; float32 features are read as they are, without a copy in float64. A
    feature that does not vary within queries gets weight 0, up to rounding. Features are
    used as given. The optimum is found for raw features of any range, but the penalty is on
    the weights: a feature in small units needs a large one. Scale them per query
    (`ranksieve.data.scale`) where their ranges differ widely.

    The squared hinge is that of "RankSVM-Primal" in Lai et al., FSMRank (2013), after
    Chapelle and Keerthi, Efficient algorithms for ranking with SVMs (2010).

    Examples
    --------
    >>> from ranksieve import RankSVM
    >>> X, y, qid = [[0.0], [1.0], [0.0], [1.0]], [0, 1, 0, 1], [1, 1, 2, 2]
    >>> svm = RankSVM(C=1.0).fit(X, y, qid=qid)
    >>> svm.coef_, svm.converged_
    (array([0.8]), True)
    >>> svm.predict(X)
    array([0. , 0.8, 0. , 0.8])
    """

    # Weights near the optimum, set before a fit by whoever fits often; zero where there are none.
    _start: NDArray[np.float64] | None = None

    default_grid: ClassVar[DefaultGrid] = {"C": decades(-6, 2)}

    def __init__(
        self,
        C: float = 1.0,
        *,
        tol: float = 1e-6,
        max_iter: int = 100,
        weighting: str = "pairs",
    ) -> None:
        self.C = C
        self.tol = tol
        self.max_iter = max_iter
        self.weighting = weighting

    def _fit(self, data: RankingData) -> None:
        self._check_parameters()
        problem = RidgePairs(data.gathered(), SquaredHingeLoss(self.weighting), self.C)
        solution = NewtonCG(self.tol, self.max_iter).solve(problem, self._start)
        self.coef_ = solution.weights
        self._keep_ending(solution)
