"""How many documents queries have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from ranksieve.data import RankingData

QUARTILES = (0.0, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True)
class QueryFacts:
    """Documents a query: least, quartiles, most and mean, and queries with one document alone."""

    least: int
    lower_quartile: float
    median: float
    upper_quartile: float
    most: int
    mean: float
    n_single: int

    @classmethod
    def of(cls, data: RankingData) -> Self:
        """Return the facts of data.

        Examples
        --------
        >>> from ranksieve import load
        >>> QueryFacts.of(load(([[0.0]] * 4, [0, 1, 0, 1], [1, 1, 1, 2]))).median
        2.0
        """
        sizes = np.diff(data.query_ptr)
        least, lower, median, upper, most = np.quantile(sizes, QUARTILES).tolist()
        return cls(
            int(least),
            lower,
            median,
            upper,
            int(most),
            float(sizes.mean()),
            int((sizes == 1).sum()),
        )
