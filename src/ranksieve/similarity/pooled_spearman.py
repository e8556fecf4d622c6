"""Size of Spearman's rank correlation of all pairs of features, over all documents at once."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import RankingData
from ranksieve.data.memory import memory_limit
from ranksieve.kernels.linear.gram import add_gram
from ranksieve.kernels.similarity.ranks import write_centred_ranks
from ranksieve.passes import by_column
from ranksieve.similarity._size import check_matrix_size
from ranksieve.similarity.base import Similarity
from ranksieve.threads import side_by_side

# Rows of ranks that are multiplied at a time; one product each, added from first to last.
_ROWS = 16_384
_BYTES_OF_A_RANK = 4


@dataclass(frozen=True)
class PooledSpearmanSimilarity(Similarity):
    """Size of the rank correlation of two features, with all documents in one list.

        sim(f, g) = |corr(rank of f's value, rank of g's value)|     over all documents

    Documents of all queries are ranked together, and equal values share the average of their
    ranks. Between 0 and 1: 1 for a feature with itself, with its negative, and with any rising or
    falling function of it; about 0 for two random orders. A feature that is constant over all
    documents has 0 with all, itself included. One that is constant inside each query only may be
    similar to others, and one-document queries count like all others.

    This is the similarity of Gigli, Lucchese, Nardini and Perego. `SpearmanSimilarity` ranks the
    documents of each query among themselves instead, which is what a ranking sees: features whose
    levels differ between queries (by the query's length, say) are alike here, and need not be
    there.

    Notes
    -----
    Cost: O(p n log n) for sorting whole columns and O(n p^2) products (n documents, p features).
    Memory: 4 bytes for each value where the allowed memory has room for that. Where it has not,
    features are taken in g groups, two groups at a time, and each is read and sorted g - 1 times:
    the result is the same, and two columns are the least that it needs. Features on disk or on
    workers of a cluster come here column by column.
    Gigli, Lucchese, Nardini and Perego, Fast feature selection for learning to rank, ICTIR 2016.

    Examples
    --------
    >>> from ranksieve import load
    >>> X = [[1.0, -1.0, 1.0], [2.0, -8.0, 0.0], [3.0, -9.0, 1.0]]
    >>> PooledSpearmanSimilarity().matrix(load((X, [0, 1, 2], [1, 1, 2])))
    array([[1., 1., 0.],
           [1., 1., 0.],
           [0., 0., 1.]])
    """

    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    ignores_sign: ClassVar[bool] = True

    def matrix(self, data: RankingData) -> NDArray[np.float64]:
        """Return the size of the rank correlation of all pairs of features."""
        check_matrix_size(data.n_features)
        products = np.zeros((data.n_features, data.n_features))
        for features in _taken_together(data):
            products[np.ix_(features, features)] = _products(_ranks(data.features(features)))
        squares = np.diag(products)
        lengths = np.sqrt(np.outer(squares, squares))
        correlations = np.zeros_like(products)
        np.divide(np.abs(products), lengths, out=correlations, where=lengths > 0.0)
        return np.minimum(correlations, 1.0)


def _taken_together(data: RankingData) -> list[NDArray[np.int64]]:
    """Return sets of features whose ranks fit into memory, such that every pair is in one."""
    limit = memory_limit(None if data.columns is None else data.columns.limit)
    at_once = max(2, limit // (_BYTES_OF_A_RANK * max(data.n_documents, 1)))
    features = np.arange(data.n_features, dtype=np.int64)
    if at_once >= data.n_features:
        return [features]
    groups = np.array_split(features, -(-data.n_features // (at_once // 2)))
    return [np.concatenate(pair) for pair in combinations(groups, 2)]


def _ranks(data: RankingData) -> NDArray[np.int32]:
    """Return twice the average rank of each value less the mean: documents by features."""
    ranks = np.empty((data.n_documents, data.n_features), dtype=np.int32, order="F")

    def work(column: NDArray[Any], feature: int) -> None:
        write_centred_ranks(column, ranks[:, feature])

    by_column(work, data, label="similarity")
    return ranks


def _products(ranks: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return the products of all pairs of columns, the same on any number of threads."""
    n_features = ranks.shape[1]

    def part(start: int) -> NDArray[np.float64]:
        total = np.zeros((n_features, n_features))
        add_gram(ranks[start : start + _ROWS].astype(np.float64, order="F"), total)
        return total

    upper = sum(side_by_side(part, range(0, len(ranks), _ROWS)), np.zeros(1))
    full: NDArray[np.float64] = np.triu(upper) + np.triu(upper, 1).T
    return full
