"""The one interface of similarities."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import RankingData


class Similarity(ABC):
    """How alike the rankings by two features are.

    `range` is the least and the largest value that can occur.
    """

    range: ClassVar[tuple[float, float]]

    @abstractmethod
    def matrix(self, data: RankingData) -> NDArray[np.float64]:
        """Return a symmetric matrix, features by features."""
