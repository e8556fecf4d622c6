"""RReliefF: Relief for real-valued targets."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import RankingData
from ranksieve.selectors.relief._relief import ScoreRelief
from ranksieve.selectors.relief._sums import Sums
from ranksieve.selectors.relief._weights import RegressionRule


class RReliefF(ScoreRelief):
    """Features that differ where scores of near documents differ: Relief for regression.

    With sums over the visited documents x and their k nearest neighbours np,

        W_j = D_j / D  -  (A_j - D_j) / (m - D)
        m = sum of u,  A_j = sum of u |x_j - np_j|,  D = sum of u d,  D_j = sum of u d |x_j - np_j|

    where d(x, np) = |score of x - score of np| / (range of the scores over the training set),
    and the weights u of a document's neighbours fall with the position i by distance, in
    proportion to exp(-(i / sigma)^2), with sum 1. A term whose denominator is 0 is 0. Scaling,
    ties, edge cases and cost are as for `RankWrapper`, without its median.

    Parameters
    ----------
    n_features_to_select : int, float, "validation", Validation or None
        A number, a share between 0 and 1, chosen on validation queries, or None for half of
        the features.
    n_neighbors : int
        The k nearest documents.
    scope : {"query", "all"}
        Neighbours are other documents of the same query, or of the whole data. The original
        knows no queries: that is "all".
    n_samples : int, float or None
        How many documents are visited: a number, a share between 0 and 1, or None for all.
    metric : {"manhattan", "euclidean"}
        What is near: the sum of differences, or of their squares.
    ranker : str, Ranker or None
        Whose scores: text such as "RankSVM(C=0.1)" or a ranker, fitted here on a copy; or None
        for the grades themselves, which may be real numbers.
    sigma : float
        How slowly the weight of a neighbour falls with its position.
    random_state : int
        Seed of the draw of documents; it has no effect where all are visited.

    Attributes
    ----------
    order_ : all features by falling weight, equal ones by index; constant features last
    scores_ : (n_features,) array of the weights
    ranker_ : the fitted ranker; None with ranker=None, or where no query has two grades to
        learn from: then all scores are equal, and weights are minus the mean differences

    Notes
    -----
    Robnik-Sikonja and Kononenko, Theoretical and empirical analysis of ReliefF and RReliefF,
    Machine Learning 53, 2003.

    Examples
    --------
    >>> from ranksieve import RReliefF, make_ranking
    >>> data, truth = make_ranking(n_relevant=2, n_redundant=0, n_irrelevant=4, random_state=1)
    >>> relief = RReliefF(n_features_to_select=2).fit(data)
    >>> relief.get_support(indices=True).tolist() == truth.relevant.tolist()
    True
    """

    def _rule(self, data: RankingData, k: int) -> RegressionRule:
        one_level = np.zeros(data.n_documents, dtype=np.int64)
        scores = self._scores(data)
        return RegressionRule(one_level, 1, self._profile(k), scores, float(np.ptp(scores)))

    def _weights(self, sums: Sums, n_visited: int) -> NDArray[np.float64]:
        total, far = sums.factors
        of_all, of_far = sums.features
        close = total - far
        weights: NDArray[np.float64] = of_far / far if far > 0 else np.zeros_like(of_far)
        if close > 0:
            weights -= (of_all - of_far) / close
        return weights
