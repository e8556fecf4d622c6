"""The one interface of importances."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import RankingData


class Importance(ABC):
    """How much each feature, taken alone, says about the grades."""

    @abstractmethod
    def scores(self, data: RankingData) -> NDArray[np.float64]:
        """Return one number a feature; larger is better."""
