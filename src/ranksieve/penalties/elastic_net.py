"""A mixture of the sum of absolute weights and the sum of their squares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ranksieve.penalties._numbers import store_number
from ranksieve.penalties.base import Charge, Penalty


@dataclass(frozen=True)
class ElasticNetPenalty(Penalty):
    """Strength times (ratio * sum |w_j| + (1 - ratio) / 2 * sum w_j^2).

    Of features that say the same, l1 keeps one and the squares share the weight among them.

    Parameters
    ----------
    ratio : number above 0, at most 1
        Share of the absolute values; 1 is l1.

    References
    ----------
    Zou and Hastie, Regularization and variable selection via the elastic net, JRSS B 2005.

    Examples
    --------
    >>> ElasticNetPenalty().value(np.array([1.0, -2.0]), strength=0.5)
    1.375
    >>> ElasticNetPenalty().critical_strength(np.array([0.3, -0.1]))
    0.6
    """

    convex: ClassVar[bool] = True

    ratio: float = 0.5

    def __post_init__(self) -> None:
        remedy = "It is the share of the absolute values: try ratio=0.5, or 1, which is l1."
        store_number(self, "ratio", remedy, above=0.0, most=1.0)

    def value(self, w: NDArray[np.float64], strength: float) -> float:
        """Return strength * (ratio * sum |w_j| + (1 - ratio) / 2 * sum w_j^2)."""
        squares = 0.5 * (1.0 - self.ratio) * float(w @ w)
        return strength * (self.ratio * float(np.abs(w).sum()) + squares)

    def derivative(self, w: NDArray[np.float64], strength: float) -> NDArray[np.float64]:
        """Return strength * (ratio + (1 - ratio) |w_j|)."""
        slopes: NDArray[np.float64] = strength * (self.ratio + (1.0 - self.ratio) * np.abs(w))
        return slopes

    def critical_strength(self, gradient: NDArray[np.float64]) -> float:
        """Return the largest |gradient_j| / ratio: squares hold no weight at 0."""
        return super().critical_strength(gradient) / self.ratio

    def charge(self, w: NDArray[np.float64], strength: float) -> Charge:
        """Return the penalty itself: a linear part, and a diagonal matrix unless ratio is 1."""
        linear = np.full(len(w), strength * self.ratio)
        if self.ratio == 1.0:
            return Charge(linear)
        return Charge(linear, np.eye(len(w)) * (strength * (1.0 - self.ratio)))
