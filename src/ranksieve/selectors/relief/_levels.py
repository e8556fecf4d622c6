"""Relief over levels: hits from a document's own level, misses from each other one."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import RankingData
from ranksieve.data.check import check_levels
from ranksieve.errors import DataError
from ranksieve.selectors.base import NumberOfFeatures
from ranksieve.selectors.relief._rules import LevelRule
from ranksieve.selectors.relief.base import Metric, Relief, Scope

# Neighbours are kept for each level, and weights for each two of them.
_MOST_LEVELS = 256


class LevelRelief(Relief):
    """A Relief selector for grades that are levels; subclasses weigh the misses."""

    def __init__(
        self,
        n_features_to_select: NumberOfFeatures = None,
        *,
        n_neighbors: int = 5,
        scope: Scope = "query",
        n_samples: int | float | None = None,
        metric: Metric = "manhattan",
        random_state: int = 0,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_neighbors = n_neighbors
        self.scope = scope
        self.n_samples = n_samples
        self.metric = metric
        self.random_state = random_state

    @abstractmethod
    def _significance(self, differences: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return how much a miss counts, from the sizes of grade differences."""

    def _rule(self, data: RankingData, k: int) -> LevelRule:
        check_levels(data.y, type(self).__name__)
        grades, levels, counts = np.unique(data.y, return_inverse=True, return_counts=True)
        if len(grades) > _MOST_LEVELS:
            raise DataError(
                f"{type(self).__name__} compares every two levels, and {len(grades):,} "
                f"different grades are too many (at most {_MOST_LEVELS:,}). Bin the grades, or use "
                "RReliefF(ranker=None) or RankWrapper(ranker=None), which take them as numbers."
            )
        # P(C) / (1 - P(own)) as documents of C by documents of other grades than one's own.
        shares = counts / np.maximum(counts.sum() - counts, 1)[:, None]
        significance = self._significance(np.abs(grades[:, None] - grades))
        gains = -np.eye(len(grades))
        other = ~np.eye(len(grades), dtype=bool)
        gains[other] = (shares * significance)[other]
        return LevelRule(levels.astype(np.int64), len(grades), np.ones(k), gains)
