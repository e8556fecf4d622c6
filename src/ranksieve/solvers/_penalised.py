"""A loss with a charge on the weights, and how far a point is from its optimum."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ranksieve.penalties import Charge, Penalty
from ranksieve.solvers._protocols import Risk

# The gap of a problem with weights that are hardly charged is over sizes up to so many times
# the largest weight, or the square of it times a typical one.
_BOX = 10.0


@dataclass(frozen=True, eq=False)
class Penalised:
    """The problem of embedded selection: risk(w) + charge(w), both convex.

    Attributes
    ----------
    risk, charge : the two parts
    largest_weight : float or None
        Where some weights are hardly charged or not at all, as far from 0 under MCP, no dual
        point near theirs is feasible, and the lower bound holds for weights up to this size.
        None for a bound that holds for all.
    """

    risk: Risk
    charge: Charge
    largest_weight: float | None = None

    def lower_bound(
        self, w: NDArray[np.float64], value: float, gradient: NDArray[np.float64]
    ) -> float:
        """Return a proven lower bound of the optimum, from risk and gradient at w.

        With thresholds c = charge.thresholds(w) and any scale s with s |g_j| <= c_j for all j,

            optimum >= dual(s) - |w|' matrix |w| / 2,

        as the charge is at least c . |v| - |w|' matrix |w| / 2 for every v. The best s is
        looked for where dual(s) is a parabola or a line. Over |v_j| <= `largest_weight` a
        gradient may be beyond its threshold, for that size times what is beyond.
        """
        thresholds = self.charge.thresholds(w)
        sizes = np.abs(gradient)
        binding = sizes > thresholds
        largest = float((thresholds[binding] / sizes[binding]).min(initial=1.0))
        inner = float(gradient @ w)
        best = max(
            self.risk.dual_value(scale, value, inner)
            for scale in (largest, min(largest, _vertex(value, inner)))
        )
        if self.largest_weight is not None:
            excess = float((sizes - thresholds)[binding].sum())
            unscaled = self.risk.dual_value(1.0, value, inner) - self.largest_weight * excess
            best = max(best, unscaled)
        if self.charge.matrix is not None:
            best -= 0.5 * float(np.abs(w) @ self.charge.matrix @ np.abs(w))
        # A loss and a charge are never negative.
        return max(best, 0.0)

    def gap(
        self, w: NDArray[np.float64], value: float, gradient: NDArray[np.float64]
    ) -> tuple[float, float]:
        """Return the objective at w, and the gap to the optimum relative to it, at most 1."""
        objective = value + self.charge.value(w)
        if objective <= 0.0:
            return objective, 0.0
        distance = objective - self.lower_bound(w, value, gradient)
        return objective, min(max(distance / objective, 0.0), 1.0)


@dataclass(frozen=True, eq=False)
class Regularised:
    """risk(w) + penalty(w, strength), where the penalty need not be convex."""

    risk: Risk
    penalty: Penalty
    strength: float

    def objective(self, w: NDArray[np.float64], value: float) -> float:
        """Return the objective at w, from the risk there."""
        return value + self.penalty.value(w, self.strength)

    def tangent(self, w: NDArray[np.float64]) -> Penalised:
        """Return the convex problem that touches this one at w and is nowhere below it."""
        charge = self.penalty.charge(w, self.strength)
        if self.penalty.convex:
            return Penalised(self.risk, charge)
        return Penalised(self.risk, charge, _BOX * float(np.abs(w).max(initial=0.0)))

    def first(self) -> Penalised:
        """Return the convex problem from which reweighting starts."""
        charge = self.penalty.first_charge(self.risk.n_weights, self.strength)
        return Penalised(self.risk, charge, _room(self.risk, charge))


def _room(risk: Risk, charge: Charge) -> float | None:
    """Return a size that weights without a charge will hardly reach, or None without such weights.

    A weight of 1 / sqrt(curvature) alone parts a typical pair by about its margin.
    """
    free = charge.linear == 0.0
    if charge.matrix is not None:
        free &= np.diag(charge.matrix) == 0.0
    if not free.any():
        return None
    curvatures = risk.curvatures[free & (risk.curvatures > 0.0)]
    return _BOX * _BOX / float(np.sqrt(curvatures.min())) if len(curvatures) else _BOX


def _vertex(value: float, inner: float) -> float:
    """Return where the squared hinge's dual value, 2 s (value - inner / 2) - s^2 value, is best."""
    return min(max((value - 0.5 * inner) / value, 0.0), 1.0) if value > 0.0 else 1.0
