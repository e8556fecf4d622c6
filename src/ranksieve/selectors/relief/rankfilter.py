"""RankFilter: Relief for levels of relevance."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ranksieve.selectors.relief._relief import LevelRelief


class RankFilter(LevelRelief):
    """Features in which near documents of far grades differ, and those of one grade do not.

    For each visited document x, with its k nearest hits (documents of its own grade) and its k
    nearest misses of each other grade C,

        w_j  -=  mean over hits of |x_j - hit_j|
        w_j  +=  sum over C of  P(C) / (1 - P(grade of x)) * log2(1 + |grade of x - C|)
                                * mean over misses of C of |x_j - miss_j|

    and weights are means over the visited documents. P is a grade's share of the training set.
    Features are scaled to [0, 1] over the training set; a constant becomes 0. Features that
    act only together are found, which no score of single features can do.

    Parameters
    ----------
    n_features_to_select : int, float, "validation", Validation or None
        A number, a share between 0 and 1, chosen on validation queries, or None for half of
        the features.
    n_neighbors : int
        The k nearest hits, and the k nearest misses of each other grade.
    scope : {"query", "all"}
        Neighbours are other documents of the same query, or of the whole data.
    n_samples : int, float or None
        How many documents are visited: a number, a share between 0 and 1, or None for all.
    metric : {"manhattan", "euclidean"}
        What is near: the sum of differences, or of their squares.
    random_state : int
        Seed of the draw of documents; it has no effect where all are visited.

    Attributes
    ----------
    order_ : all features by falling weight, equal ones by index; constant features last
    scores_ : (n_features,) array of the weights

    Notes
    -----
    Grades are whole numbers. A grade without documents in reach adds nothing, and with fewer
    than k the mean is over those present. With a single grade in the data weights are minus
    the hits' part. Documents at equal distances share their positions, and those that tie
    at the k-th distance share what is left: the order of rows and queries, and blocks, do
    not matter. A document is not its own neighbour, but a copy of it is. With grades 0 and 1
    this is `ReliefF`.

    Cost: O(v m p) for v visited documents with m documents in reach and p features. In a
    query, one pass and O(m p) memory. With scope="all" a few passes, and O(v (p + L k)) memory
    for L grades beyond a piece of the data.
    Yu, Oh and Han, Efficient feature weighting methods for ranking, CIKM 2009; the formula is
    read as its text describes it.

    Examples
    --------
    >>> from ranksieve import RankFilter, make_ranking
    >>> data, truth = make_ranking(
    ...     200, n_relevant=2, n_redundant=0, n_irrelevant=4, truth="nonlinear", random_state=1
    ... )
    >>> relief = RankFilter(n_features_to_select=2).fit(data)
    >>> relief.get_support(indices=True).tolist() == truth.relevant.tolist()
    True
    """

    def _significance(self, differences: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.log2(1.0 + differences)
