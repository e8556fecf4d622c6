"""Spearman's footrule of all pairs of features, as a similarity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import RankingData
from ranksieve.kernels.similarity.footrule import add_footrule
from ranksieve.similarity._by_query import mean_over_queries
from ranksieve.similarity.base import Similarity


@dataclass(frozen=True)
class FootruleSimilarity(Similarity):
    """How little documents move between the rankings by two features.

        sim(f, g) = mean over queries of  1 - sum over d of |rank_f(d) - rank_g(d)| / floor(m^2 / 2)

    where m is the number of the query's documents and floor(m^2 / 2) the largest distance of
    two orders. Documents with equal values share the average of their ranks. Between 0 and 1:
    1 for a feature with itself, 0 for f and -f without ties. The middle of the scale is not
    at 1/2: a random order gets about 1/3, and a feature that is constant in a query about 1/2
    there, with any order without ties; two constant features get 1. A query with one document
    does not vote; without any voter all similarities are 0.

    Notes
    -----
    Cost: O(n p^2) differences after O(p sum m log m) for sorting (n documents, p features,
    queries of m documents), and O(p m) memory per thread. Diaconis and Graham, Spearman's footrule
    as a measure of disarray, 1977.

    Examples
    --------
    >>> from ranksieve import load
    >>> X = [[1.0, 1.0, 3.0], [2.0, 3.0, 2.0], [3.0, 2.0, 1.0]]
    >>> FootruleSimilarity().matrix(load((X, [0, 1, 2], [1, 1, 1])))
    array([[1. , 0.5, 0. ],
           [0.5, 1. , 0. ],
           [0. , 0. , 1. ]])
    """

    range: ClassVar[tuple[float, float]] = (0.0, 1.0)

    def matrix(self, data: RankingData) -> NDArray[np.float64]:
        """Return the mean similarity by the footrule of all pairs of features."""
        return mean_over_queries(add_footrule, data)
