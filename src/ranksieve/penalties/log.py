"""The logarithm of the sizes of weights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ranksieve.penalties._numbers import store_number
from ranksieve.penalties.base import Penalty


@dataclass(frozen=True)
class LogPenalty(Penalty):
    """Strength times the sum of log(1 + |w_j| / epsilon).

    The slope is strength / (epsilon + |w_j|): 1 / epsilon strengths at 0, where reweighting
    nonetheless begins with l1, and never 0.

    Parameters
    ----------
    epsilon : number above 0
        The size of a weight that counts as small. The smaller, the nearer to counting weights.

    References
    ----------
    Candès, Wakin and Boyd, Enhancing sparsity by reweighted l1 minimization, 2008. Laporte et
    al., Nonconvex regularizations for feature selection in ranking with sparse SVM, IEEE TNNLS
    2014 (epsilon = 0.1).

    Examples
    --------
    >>> LogPenalty().derivative(np.array([0.0, 0.1, 0.9]), strength=0.5)
    array([5. , 2.5, 0.5])
    """

    epsilon: float = 0.1

    def __post_init__(self) -> None:
        remedy = "It is the size of a small weight: try epsilon=0.1."
        store_number(self, "epsilon", remedy, above=0.0)

    def value(self, w: NDArray[np.float64], strength: float) -> float:
        """Return strength * sum log(1 + |w_j| / epsilon)."""
        return strength * float(np.log1p(np.abs(w) / self.epsilon).sum())

    def derivative(self, w: NDArray[np.float64], strength: float) -> NDArray[np.float64]:
        """Return strength / (epsilon + |w_j|)."""
        slopes: NDArray[np.float64] = strength / (self.epsilon + np.abs(w))
        return slopes

    def critical_strength(self, gradient: NDArray[np.float64]) -> float:
        """Return the strength that holds all weights at 0 both before and after reweighting.

        With an epsilon above 1 the slope at 0 is less than the strength, at which l1 begins.
        """
        return super().critical_strength(gradient) * max(1.0, self.epsilon)
