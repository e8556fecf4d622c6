"""Spearman's rank correlation of all pairs of features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import RankingData
from ranksieve.kernels.linear.gram import add_gram
from ranksieve.kernels.similarity.ranks import write_unit_ranks
from ranksieve.similarity._by_query import mean_over_queries
from ranksieve.similarity.base import Similarity


@dataclass(frozen=True)
class SpearmanSimilarity(Similarity):
    """Pearson correlation of the ranks that two features give a query's documents.

        sim(f, g) = mean over queries of corr(ranks by f, ranks by g)

    Documents with equal values share the average of their ranks. Between -1 and 1: 1 for a
    feature with itself, also where it has ties (unless it is constant in some query), -1 for f
    and -f, about 0 for a random order. A feature that is constant in a query has correlation 0
    there, with itself too, and the query votes. A query with one document does not vote;
    without any voter all similarities are 0.

    Notes
    -----
    Cost: O(n p^2) products after O(p sum m log m) for sorting (n documents, p features, queries
    of m documents): the centred ranks of a query, scaled to unit length, are rows of a matrix
    whose product with itself sums over queries. Memory: O(p) numbers per document of the piece
    that a thread works on. Spearman, The proof and measurement of association between two
    things, 1904.

    Examples
    --------
    >>> from ranksieve import load
    >>> X = [[1.0, 1.0, 3.0], [2.0, 3.0, 2.0], [3.0, 2.0, 1.0]]
    >>> SpearmanSimilarity().matrix(load((X, [0, 1, 2], [1, 1, 1]))).round(9)
    array([[ 1. ,  0.5, -1. ],
           [ 0.5,  1. , -0.5],
           [-1. , -0.5,  1. ]])
    """

    range: ClassVar[tuple[float, float]] = (-1.0, 1.0)

    def matrix(self, data: RankingData) -> NDArray[np.float64]:
        """Return the mean rank correlation of all pairs of features."""
        # Lengths are rounded, so that a product of unit vectors may exceed 1 by a bit.
        return np.clip(mean_over_queries(_correlations, data), *self.range)


def _correlations(X: NDArray[Any], query_ptr: NDArray[np.int64], total: NDArray[np.float64]) -> int:
    """Add the rank correlations of all queries to `total` and count the queries."""
    unit = np.empty((query_ptr[-1] - query_ptr[0], X.shape[1]), order="F")
    n_voters = write_unit_ranks(X, query_ptr, unit)
    add_gram(unit, total)
    return int(n_voters)
