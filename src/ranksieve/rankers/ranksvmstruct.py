"""The Ranking SVM of SVM-rank, by cutting planes."""

from __future__ import annotations

from typing import ClassVar

from ranksieve.data import RankingData
from ranksieve.estimator import DefaultGrid, decades
from ranksieve.losses import HingeLoss
from ranksieve.problems import RidgeScores
from ranksieve.rankers._planes import PlaneRanker


class RankSVMStruct(PlaneRanker):
    """Linear ranking by the hinge over pairs, to the optimum: the Ranking SVM of SVM-rank.

        minimise  |w|^2 / 2 + C * sum over queries and pairs i above j of
                  max(0, 1 - (w . x_i - w . x_j))

    Pairs are documents of one query with different grades; those of equal grade, and queries
    with one grade, count nothing.

    Parameters
    ----------
    C : float
        Weight of the sum over pairs, as in `RankSVM`. SVM-rank, like all of SVM-struct, divides
        its own by the number of queries q: C = C_rank / q. With a mean over all P pairs, as in
        Joachims 2006, it is C = C_mean / P.
    tol : float
        Relative gap at which to stop, see `gap_`.
    max_iter : int
        Rounds of cutting planes at most.
    weighting : {"pairs", "queries"}
        Whether every pair counts the same, so that queries with many pairs count most, or every
        query, see `PairLoss`; the weights of all pairs sum up to their number either way.

    Attributes
    ----------
    coef_ : (n_features,) array, the weights
    objective_ : float, the objective at `coef_`
    gap_ : float
        A proven bound of (objective - optimum) / objective.
    n_iter_ : int
    converged_ : bool
    n_features_in_ : int

    Notes
    -----
    The sum of hinges is one convex function of w, the largest over all subsets of pairs of
    (number of pairs - w . sum of their differences): one slack for as many constraints as there
    are subsets. The subset that is violated most at a given w is that of all pairs whose margin
    is below one; it is found, and summed up, in O(m log m) a query of m documents without
    building a pair, so a plane costs one pass over the data. See `solvers.CuttingPlane`.

    Cost: tens of rounds for small C, hundreds where C is so large that the norm hardly counts,
    each of one pass and a few evaluations of the loss at given scores; a copy of the data, in an
    order that does not depend on rows and blocks, so neither does the model. Features are used
    as given, see `RankSVM`, which has the squared hinge; results rarely differ by much.

    References
    ----------
    Joachims, Training linear SVMs in linear time, KDD 2006.
    Joachims, Optimizing search engines using clickthrough data, KDD 2002.

    Examples
    --------
    Two pairs with a difference of 1: w^2 / 2 + 0.25 * 2 (1 - w) is least at w = 0.5.

    >>> from ranksieve import RankSVMStruct
    >>> X, y, qid = [[0.0], [1.0], [0.0], [1.0]], [0, 1, 0, 1], [1, 1, 2, 2]
    >>> svm = RankSVMStruct(C=0.25).fit(X, y, qid=qid)
    >>> svm.coef_.round(6), svm.converged_
    (array([0.5]), True)
    """

    default_grid: ClassVar[DefaultGrid] = {"C": decades(-6, 0)}

    def __init__(
        self,
        C: float = 1.0,
        *,
        tol: float = 1e-6,
        max_iter: int = 1000,
        weighting: str = "pairs",
    ) -> None:
        self.C = C
        self.tol = tol
        self.max_iter = max_iter
        self.weighting = weighting

    def _problem(self, data: RankingData) -> RidgeScores:
        return RidgeScores(data, HingeLoss(self.weighting), self.C)
