"""A power below one of the sizes of weights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ranksieve.penalties._numbers import store_number
from ranksieve.penalties.base import Penalty


@dataclass(frozen=True)
class LpPenalty(Penalty):
    """Strength times the sum of |w_j|^p, 0 < p < 1.

    The slope is strength * p * |w_j|^(p - 1), infinite at 0: in reweighting a weight that
    reached 0 stays there, so each strength of a path begins with l1.

    Parameters
    ----------
    p : number between 0 and 1
        The smaller, the nearer to counting weights; at 1 the penalty would be l1.

    References
    ----------
    Laporte et al., Nonconvex regularizations for feature selection in ranking with sparse SVM,
    IEEE TNNLS 2014 (p = 0.5).

    Examples
    --------
    >>> LpPenalty().value(np.array([4.0, -9.0]), strength=0.5)
    2.5
    >>> LpPenalty().derivative(np.array([0.0, 4.0]), strength=2.0)
    array([inf, 0.5])
    """

    p: float = 0.5

    def __post_init__(self) -> None:
        remedy = "It is the power of |w|: try p=0.5, or l1 for p = 1."
        store_number(self, "p", remedy, above=0.0, below=1.0)

    def value(self, w: NDArray[np.float64], strength: float) -> float:
        """Return strength * sum |w_j|^p."""
        return strength * float((np.abs(w) ** self.p).sum())

    def derivative(self, w: NDArray[np.float64], strength: float) -> NDArray[np.float64]:
        """Return strength * p * |w_j|^(p - 1), inf at 0."""
        if strength == 0.0:
            return np.zeros(len(w))
        with np.errstate(divide="ignore"):
            slopes: NDArray[np.float64] = strength * self.p * np.abs(w) ** (self.p - 1.0)
        return slopes
