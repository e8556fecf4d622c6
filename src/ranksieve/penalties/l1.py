"""The sum of absolute weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ranksieve.penalties.base import Penalty


@dataclass(frozen=True)
class L1Penalty(Penalty):
    """Strength times the sum of |w_j|.

    Examples
    --------
    >>> L1Penalty().value(np.array([1.0, -2.0]), 0.5)
    1.5
    """

    convex: ClassVar[bool] = True

    def value(self, w: NDArray[np.float64], strength: float) -> float:
        """Return strength * sum |w_j|."""
        return strength * float(np.abs(w).sum())

    def derivative(self, w: NDArray[np.float64], strength: float) -> NDArray[np.float64]:
        """Return the strength for each weight."""
        return np.full(len(w), float(strength))
