"""Part of the queries of large data, for what needs no more."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ranksieve.data.ranking_data import RankingData


def enough_queries(data: RankingData, n_documents: int, seed: int | Sequence[int]) -> RankingData:
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
    order = np.random.default_rng(seed).permutation(data.n_queries)
    ends = np.cumsum(np.diff(data.query_ptr)[order])
    n_queries = max(1, int(np.searchsorted(ends, n_documents, side="right")))
    return data.queries(np.sort(order[:n_queries])).gathered()
