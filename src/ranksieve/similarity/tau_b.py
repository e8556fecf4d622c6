"""Kendall's tau-b of all pairs of features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import RankingData
from ranksieve.similarity._by_query import mean_over_queries
from ranksieve.similarity._kendall_forms import tau_b
from ranksieve.similarity.base import Similarity


@dataclass(frozen=True)
class TauBSimilarity(Similarity):
    """Kendall's tau-b of two features inside a query: ties are left out of account.

        sim(f, g) = mean over queries of (C - D) / sqrt(U_f U_g)

    where C and D are the pairs of documents that f and g order strictly and alike, or
    contrarily, and U_f the pairs that f does not tie. Between -1 and 1: 1 for a feature with
    itself, also where it has ties; -1 for f and -f; about 0 for a random order. A feature that
    is constant in a query has tau-b 0 there, with itself too, and the query votes. A query
    with one document has no pairs and does not vote; without any voter all similarities are 0.

    Notes
    -----
    Cost: that of `KendallSimilarity`, by the same two ways of counting, and at most twice its
    population counts. Kendall, The treatment of ties in ranking problems, Biometrika 1945.

    Examples
    --------
    >>> from ranksieve import load
    >>> X = [[1.0, 1.0, 3.0], [2.0, 3.0, 2.0], [3.0, 2.0, 1.0]]
    >>> TauBSimilarity().matrix(load((X, [0, 1, 2], [1, 1, 1])))
    array([[ 1.        ,  0.33333333, -1.        ],
           [ 0.33333333,  1.        , -0.33333333],
           [-1.        , -0.33333333,  1.        ]])
    """

    range: ClassVar[tuple[float, float]] = (-1.0, 1.0)

    def matrix(self, data: RankingData) -> NDArray[np.float64]:
        """Return the mean tau-b of all pairs of features."""
        return mean_over_queries(tau_b, data)
