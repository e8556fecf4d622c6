"""ReliefF: Relief for classes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ranksieve.selectors.relief._relief import LevelRelief


class ReliefF(LevelRelief):
    """Features in which near documents of different grades differ, and those of one do not.

    For each visited document x, with its k nearest hits (documents of its own grade) and its k
    nearest misses of each other grade C,

        w_j  -=  mean over hits of |x_j - hit_j|
        w_j  +=  sum over C of  P(C) / (1 - P(grade of x)) * mean over misses of C of
                                |x_j - miss_j|

    and weights are means over the visited documents: `RankFilter` for grades without an order.
    Scaling, ties, edge cases and cost are as described there.

    Parameters
    ----------
    n_features_to_select : int, float, "validation", Validation or None
        A number, a share between 0 and 1, chosen on validation queries, or None for half of
        the features.
    n_neighbors : int
        The k nearest hits, and the k nearest misses of each other grade.
    scope : {"query", "all"}
        Neighbours are other documents of the same query, or of the whole data. The original
        knows no queries: that is "all".
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
    Kononenko, Estimating attributes: analysis and extensions of RELIEF, ECML 1994.

    Examples
    --------
    >>> from ranksieve import ReliefF, make_ranking
    >>> data, truth = make_ranking(n_relevant=2, n_redundant=0, n_irrelevant=4, random_state=1)
    >>> relief = ReliefF(n_features_to_select=2).fit(data)
    >>> relief.get_support(indices=True).tolist() == truth.relevant.tolist()
    True
    """

    def _significance(self, differences: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.ones_like(differences)
