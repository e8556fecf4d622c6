"""A walk from feature to feature: each step looks at the last one chosen alone."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from ranksieve.data import RankingData
from ranksieve.selectors.base import Selection
from ranksieve.selectors.filters._rated import (
    Indices,
    RatedSelector,
    and_the_others,
    most,
    without,
)


class WalkSelector(RatedSelector):
    """A filter that starts at the most important feature; subclasses write `_next`."""

    @abstractmethod
    def _next(self, last: int, remaining: Indices) -> int:
        """Return the feature after `last`, of those not chosen, which are by rising index."""

    def _select(self, data: RankingData) -> Selection:
        early, late = self._rate(data)
        order: list[int] = []
        for remaining in (early, late):
            while len(remaining):
                first = not order
                step = (
                    most(self.importance_, remaining) if first else self._next(order[-1], remaining)
                )
                order.append(step)
                remaining = without(remaining, step)
        walked = np.array(order, dtype=np.int64)
        return Selection(and_the_others(walked, self.importance_), self.importance_)
