"""What a penalty on the weights must give, and the form in which solvers take it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Charge:
    """A convex charge on weights: linear . |w| + |w|' matrix |w| / 2 + w' signed w / 2.

    Every convex penalty here is one, and every other one lies below one that touches it, so
    that solvers know this form alone. The last term has no kinks: solvers take it with the loss.

    Attributes
    ----------
    linear : (n,) array, not negative; inf keeps a weight at 0
    matrix : (n, n) array or None
        Symmetric, positive semidefinite, and without negative entries, which together make
        the charge convex in w.
    signed : (n, n) array or None
        Symmetric and positive semidefinite: what two weights of equal signs cost more than
        two of opposite signs.

    Examples
    --------
    >>> charge = Charge(np.array([1.0, 2.0]), np.array([[1.0, 0.5], [0.5, 1.0]]))
    >>> charge.value(np.array([1.0, -1.0]))
    4.5
    >>> charge.thresholds(np.array([1.0, -1.0]))
    array([2.5, 3.5])
    >>> Charge(np.array([1.0, 2.0])).prox(np.array([3.0, -1.0]), step=0.5)
    array([ 2.5, -0. ])
    """

    linear: NDArray[np.float64]
    matrix: NDArray[np.float64] | None = None
    signed: NDArray[np.float64] | None = None

    def value(self, w: NDArray[np.float64]) -> float:
        """Return the charge on w; inf where a weight that must be 0 is not."""
        sizes = np.abs(w)
        if self._bounded:
            total = float(self.linear @ sizes)
        else:
            used = sizes > 0.0
            total = float(self.linear[used] @ sizes[used])
        if self.signed is not None:
            total += 0.5 * float(w @ self.signed @ w)
        return total if self.matrix is None else total + 0.5 * float(sizes @ self.matrix @ sizes)

    @cached_property
    def _bounded(self) -> bool:
        return bool(np.isfinite(self.linear).all())

    def prox(self, v: NDArray[np.float64], step: float) -> NDArray[np.float64]:
        """Return the z with the least |z - v|^2 / 2 + step * value(z), where no weights are tied.

        That is sign(v_j) max(0, |v_j| - step * linear_j) / (1 + step * matrix_jj), for a step above
        0 and a charge on each weight alone: a diagonal matrix or none, and no signed part.
        """
        sizes = np.maximum(np.abs(v) - step * self.linear, 0.0)
        if self.matrix is not None:
            sizes /= 1.0 + step * np.diag(self.matrix)
        signed: NDArray[np.float64] = np.sign(v) * sizes
        return signed

    def thresholds(self, w: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the slopes of the charge by |w_j|: gradients up to them leave a weight at 0.

        Without those of the signed part, signed @ w, which belong to the gradients.
        """
        if self.matrix is None:
            return self.linear
        slopes: NDArray[np.float64] = self.linear + self.matrix @ np.abs(w)
        return slopes


class Penalty(ABC):
    """A penalty on the weights of a model: a value with named parameters (frozen dataclass).

    `strength` multiplies the penalty; for some (MCP, SCAD) it sets its width too, so it is
    an argument of each method.
    """

    convex: ClassVar[bool] = False

    @abstractmethod
    def value(self, w: NDArray[np.float64], strength: float) -> float:
        """Return the penalty on w, strength included."""

    @abstractmethod
    def derivative(self, w: NDArray[np.float64], strength: float) -> NDArray[np.float64]:
        """Return the slope by |w_j|, strength included; at 0 from the right, and maybe inf."""

    def critical_strength(self, gradient: NDArray[np.float64]) -> float:
        """Return the strength from which on all weights are 0, from the loss's gradient there."""
        return float(np.abs(gradient).max(initial=0.0))

    def charge(self, w: NDArray[np.float64], strength: float) -> Charge:
        """Return the convex charge that touches the penalty at w and is nowhere below it.

        Up to a constant; the penalty itself where that is convex.
        """
        return Charge(self.derivative(w, strength))

    def first_charge(self, n_features: int, strength: float) -> Charge:
        """Return where reweighting starts: the l1 norm, or the penalty itself where convex."""
        if self.convex:
            return self.charge(np.zeros(n_features), strength)
        return Charge(np.full(n_features, float(strength)))

    def for_pairs(self, n_pairs: int) -> Self:
        """Return the penalty for data with a number of pairs, where its units depend on them."""
        return self
