"""SVM-map: a structured SVM for average precision."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ranksieve.data import RankingData
from ranksieve.errors import DataError
from ranksieve.estimator import DefaultGrid, check_number, decades
from ranksieve.problems import AveragePrecisionHinge, RidgeScores
from ranksieve.rankers._planes import PlaneRanker


class SVMMAP(PlaneRanker):
    """Linear ranking by a convex upper bound of 1 - average precision, to the optimum.

        minimise  |w|^2 / 2 + C * mean over queries of the largest, over orderings o, of
                  1 - AP(o) + w . (Psi(o) - Psi(best))

        Psi(o) = mean over relevant i and other documents j of +-(x_i - x_j)

    with + where o has i before j, and - elsewhere; the best orderings have all relevant documents
    first. Documents with a grade of at least `threshold` are relevant, and all of them alike.
    Queries without relevant or without other documents count nothing, and not in the mean
    either.

    Parameters
    ----------
    C : float
        Weight of the mean over queries: that of SVM-map, and of SVM-struct in general. A mean
        does not grow with the data, and 1 - AP is at most 1, so larger values than for
        `RankSVMStruct` are usual.
    threshold : number, default=1
        Least grade that is relevant, as in `MAP`.
    tol : float
        Relative gap at which to stop, see `gap_`.
    max_iter : int
        Rounds of cutting planes at most.

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
    The most violated ordering of a query is found exactly: relevant documents, and the others,
    stand by falling score in it, and each of the others has a best place among the relevant
    ones that depends on its own rank alone. Cost: O(m log m + R N) a round for a query of m
    documents, R of them relevant and N not. Of documents with equal scores, the worst order is
    looked for. See `solvers.CuttingPlane` for rounds and memory: a copy of the data, in an order
    that does not depend on rows and blocks.

    Deviation: one slack for the mean of all queries, where the paper has one for each, with the
    same optimum; and the optimum is reached to `tol`, where the paper ends when no constraint is
    violated by more than a constant.

    Reference: Yue, Finley, Radlinski and Joachims, A support vector method for optimizing
    average precision, SIGIR 2007.

    Examples
    --------
    One relevant document of two, x_i - x_j = 1: the wrong order has AP = 1/2 and a margin that is
    smaller by 2 w, so w^2 / 2 + 0.1 max(0, 1/2 - 2 w) is least at w = 0.2.

    >>> from ranksieve import SVMMAP
    >>> svm = SVMMAP(C=0.1).fit([[0.0], [1.0]], [0, 1], qid=[1, 1])
    >>> svm.coef_.round(6), svm.converged_
    (array([0.2]), True)
    """

    default_grid: ClassVar[DefaultGrid] = {"C": decades(-2, 3)}

    def __init__(
        self,
        C: float = 1.0,
        *,
        threshold: float = 1,
        tol: float = 1e-6,
        max_iter: int = 1000,
    ) -> None:
        self.C = C
        self.threshold = threshold
        self.tol = tol
        self.max_iter = max_iter

    def _problem(self, data: RankingData) -> RidgeScores:
        n_queries = _count_both(data, self.threshold)
        if n_queries == 0:
            raise DataError(
                f"no query has documents both of grade at least {self.threshold:g} (relevant) and "
                f"below it, so there is no order to learn; grades are from {data.y.min():g} to "
                f"{data.y.max():g}. Set threshold to a grade between these."
            )
        hinge = AveragePrecisionHinge(self.threshold)
        return RidgeScores(data, hinge, self.C / n_queries, hinge.targets)

    def check_parameters(self) -> None:
        """Raise where a parameter is not valid."""
        super().check_parameters()
        check_number("threshold", self.threshold, above=0)


def _count_both(data: RankingData, threshold: float) -> int:
    """Return how many queries have relevant and other documents."""
    relevant = np.add.reduceat((data.y >= threshold).astype(np.int64), data.query_ptr[:-1])
    return int(np.sum((relevant > 0) & (relevant < np.diff(data.query_ptr))))
