"""Which queries a measure can tell models apart by."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import RankingData
from ranksieve.measures.base import Measure


def counting_queries(data: RankingData, measure: Measure) -> NDArray[np.bool_]:
    """Return the queries whose measure depends on the order of their documents.

    The others are alike for every model: counted as 0 they would dilute a loss.

    Examples
    --------
    >>> from ranksieve import NDCG, load
    >>> data = load(([[1.0], [2.0], [3.0], [4.0]], [0, 1, 2, 2], [1, 1, 2, 2]))
    >>> counting_queries(data, NDCG(10))
    array([ True, False])
    """
    best = measure.values(data.y, data.y, data.query_ptr)
    worst = measure.values(data.y, -data.y, data.query_ptr)
    counting: NDArray[np.bool_] = best > worst
    return counting
