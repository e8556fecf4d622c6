"""The weights that boosting gives to pairs, as one number per document."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import RankingData
from ranksieve.kernels.pairs.sums import grade_levels, order_by_level
from ranksieve.kernels.rankers.potentials import pair_potentials

Counted = Literal["pairs", "queries"]


class PairDistribution:
    """D(i over j) ~ D_1 exp(H(j) - H(i)) over pairs of different grades inside queries.

    D_1 is uniform over all pairs, or over the queries and then over each query's pairs. Every
    query has a pair.

    Attributes
    ----------
    potentials : (documents,) array
        D of the pairs in which a document is the better one, less D of those in which it is
        the worse one.
    loss : float
        The mean over D_1 of exp(H(j) - H(i)), which bounds the share of misordered pairs.
    """

    def __init__(self, data: RankingData, counted: Counted) -> None:
        n = data.n_documents
        self._query_ptr = data.query_ptr
        self._levels, self._order = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int32)
        grade_levels(data.y, self._query_ptr, self._levels)
        order_by_level(self._levels, self._query_ptr, self._order)
        n_pairs = _pairs_by_query(self._levels, self._query_ptr)
        by_pair = np.full(len(n_pairs), 1.0 / n_pairs.sum())
        self._weights = by_pair if counted == "pairs" else 1.0 / (n_pairs * len(n_pairs))
        self.potentials = np.empty(n)
        self.update(np.zeros(n))

    def update(self, scores: NDArray[np.float64]) -> None:
        """Let H be `scores`."""
        total, shift = pair_potentials(
            scores, self._levels, self._order, self._query_ptr, self._weights, self.potentials
        )
        self.potentials /= total
        self.loss = float(np.exp(shift + np.log(total)))


def _pairs_by_query(levels: NDArray[np.int32], query_ptr: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return each query's number of pairs with different levels: (m^2 - sum of m_level^2) / 2."""
    sizes = np.diff(query_ptr)
    query = np.repeat(np.arange(len(sizes)), sizes)
    groups, counts = np.unique(query * np.int64(levels.max() + 1) + levels, return_counts=True)
    within = np.bincount(groups // (levels.max() + 1), counts.astype(np.float64) ** 2)
    return (sizes.astype(np.float64) ** 2 - within) / 2.0
