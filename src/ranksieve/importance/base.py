"""The one interface of importances."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import RankingData


class Importance(ABC):
    """How much each feature, taken alone, says about the grades.

    `looks_at_grades` is False for what is the same whatever the grades are.
    """

    looks_at_grades: ClassVar[bool] = True

    @abstractmethod
    def scores(self, data: RankingData) -> NDArray[np.float64]:
        """Return one number a feature; larger is better."""

    def directions(self, data: RankingData) -> NDArray[np.float64]:
        """Return 1 for each feature that ranks better by falling value, -1 by rising value.

        By the share of rightly ordered pairs, where the importance itself knows no direction.
        """
        from ranksieve.importance.pair_error import PairErrorImportance

        return PairErrorImportance().directions(data)
