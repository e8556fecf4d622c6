"""Part of the queries of large data, for what needs no more."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ranksieve.data.ranking_data import RankingData


def enough_queries(data: RankingData, n_documents: int, seed: ArrayLike) -> RankingData:
    """Return queries drawn at random that have about `n_documents` together; all of less data.

    Examples
    --------
    >>> from ranksieve import make_ranking
    >>> data, _ = make_ranking(100, 10)
    >>> 180 < enough_queries(data, 200, seed=0).n_documents <= 200
    True
    """
    if data.n_documents <= n_documents:
        return data
    order = np.random.default_rng(np.asarray(seed)).permutation(data.n_queries)
    ends = np.cumsum(np.diff(data.query_ptr)[order])
    n_queries = max(1, int(np.searchsorted(ends, n_documents, side="right")))
    return data.queries(np.sort(order[:n_queries])).gathered()
