"""RankWrapper: Relief for ranking scores."""

from __future__ import annotations

import numpy as np

from ranksieve.data import RankingData
from ranksieve.selectors.relief._relief import ScoreRelief
from ranksieve.selectors.relief._weights import SignificanceRule


class RankWrapper(ScoreRelief):
    """Features in which near documents of far scores differ more than those of close scores.

    For each visited document x and each of its k nearest neighbours np,

        w_j  +=  (d(x, np) - median of d over the k) * u(np) * |x_j - np_j|

    with the score distance d(x, np) = |score of x - score of np|, and weights u that fall with
    the position i of np by distance, proportional to exp(-(i / sigma)^2) with sum 1. Weights are
    means over the visited documents. Features are scaled to [0, 1] over the training set; a
    constant becomes 0.

    Parameters
    ----------
    n_features_to_select : int, float, "validation", Validation or None
        A number, a share between 0 and 1, chosen on validation queries, or None for half of
        the features.
    n_neighbors : int
        The k nearest documents; an odd number has a middle one.
    scope : {"query", "all"}
        Neighbours are other documents of the same query, or of the whole data.
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
        learn from: then all score distances are 0, and so are the weights

    Notes
    -----
    With fewer than k documents in reach, those. Documents at equal distances share their
    positions, and those that tie at the k-th distance share what is left; the median is
    weighted by such shares of equal positions (exactly half of the weight: the middle of
    two values). So the order of rows and queries, and blocks, do not matter.

    A linear ranker sees no features that act only together, and scores of it hide them: use
    ranker=None or one that is not linear there.

    Cost: the ranker's, and O(v m p) for v visited documents with m documents in reach and p
    features; memory as for `RankFilter`. With scope="all" many documents that tie at a k-th
    distance may need more passes, each with a bounded number of them.
    Yu, Oh and Han, Efficient feature weighting methods for ranking, CIKM 2009.

    Examples
    --------
    >>> from ranksieve import RankWrapper, make_ranking
    >>> data, truth = make_ranking(n_relevant=2, n_redundant=0, n_irrelevant=4, random_state=1)
    >>> relief = RankWrapper(n_features_to_select=2).fit(data)
    >>> relief.get_support(indices=True).tolist() == truth.relevant.tolist()
    True
    >>> relief.ranker_
    RankSVM()
    """

    def _rule(self, data: RankingData, k: int) -> SignificanceRule:
        one_level = np.zeros(data.n_documents, dtype=np.int64)
        return SignificanceRule(one_level, 1, self._profile(k), self._scores(data))
