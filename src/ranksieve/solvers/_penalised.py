"""A loss with a charge on the weights, and how far a point is from its optimum."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.penalties import Charge, Penalty
from ranksieve.solvers._protocols import Risk
from ranksieve.solvers._quadratic_model import Model, QuadraticModel

# The gap of a problem with weights that are hardly charged is over sizes up to this many times
# the largest weight, or the square of it times a typical one.
BOX = 10.0
# Features join a working set from this share of their threshold on, and this many anyway.
NEAR, SMALL_SET = 0.5, 64


@dataclass(frozen=True, eq=False)
class Penalised:
    """The problem of embedded selection: risk(w) + charge(w), both convex.

    A signed part of the charge, w' signed w / 2, is smooth: it joins the risk, so that solvers
    see charges on |w| alone.

    Attributes
    ----------
    risk, charge : the two parts, with the signed part of the charge in the risk
    largest_weight : float or None
        Where some weights are hardly charged or not at all, as far from 0 under MCP, no dual
        point near theirs is feasible, and the lower bound holds for weights up to this size.
        None for a bound that holds for all.
    signed : the matrix of the signed part, or None
    """

    risk: Risk
    charge: Charge
    largest_weight: float | None = None
    signed: NDArray[np.float64] | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        if self.charge.signed is None:
            if isinstance(self.risk, SignedRisk):
                object.__setattr__(self, "signed", self.risk.matrix)
            return
        object.__setattr__(self, "signed", self.charge.signed)
        object.__setattr__(self, "risk", SignedRisk(self.risk, self.charge.signed))
        object.__setattr__(self, "charge", replace(self.charge, signed=None))

    def lower_bound(
        self, w: NDArray[np.float64], value: float, gradient: NDArray[np.float64]
    ) -> float:
        """Return a proven lower bound of the optimum, from risk and gradient at w.

        With thresholds c = charge.thresholds(w) and any scale s with s |g_j| <= c_j for all j,

            optimum >= dual(s) - |w|' matrix |w| / 2,

        as the charge is at least c . |v| - |w|' matrix |w| / 2 for every v. The best s is
        looked for where dual(s) is a parabola or a line. Over |v_j| <= `largest_weight` a
        gradient may be beyond its threshold, for that size times what is beyond. Of a signed
        part q(w) = w' signed w / 2, which value and gradient contain, the dual value at s is
        -s^2 q(w), as q(v) >= s (signed w) . v - s^2 q(w).
        """
        thresholds = self.charge.thresholds(w)
        sizes = np.abs(gradient)
        binding = sizes > thresholds
        largest = float((thresholds[binding] / sizes[binding]).min(initial=1.0))
        inner = float(gradient @ w)
        best = max(
            self._dual_value(scale, w, value, inner)
            for scale in (largest, min(largest, vertex(value, inner)))
        )
        if self.largest_weight is not None:
            excess = float((sizes - thresholds)[binding].sum())
            unscaled = self._dual_value(1.0, w, value, inner) - self.largest_weight * excess
            best = max(best, unscaled)
        if self.charge.matrix is not None:
            best -= 0.5 * float(np.abs(w) @ self.charge.matrix @ np.abs(w))
        # A loss and a charge are never negative.
        return max(best, 0.0)

    def _dual_value(
        self, scale: float, w: NDArray[np.float64], value: float, inner: float
    ) -> float:
        if self.signed is None:
            return self.risk.dual_value(scale, value, inner)
        quadratic = 0.5 * float(w @ self.signed @ w)
        unsigned = self.risk.dual_value(scale, value - quadratic, inner - 2.0 * quadratic)
        return unsigned - scale**2 * quadratic

    def gap(
        self, w: NDArray[np.float64], value: float, gradient: NDArray[np.float64]
    ) -> tuple[float, float]:
        """Return the objective at w, and the gap to the optimum relative to it, at most 1."""
        objective = value + self.charge.value(w)
        if objective <= 0.0:
            return objective, 0.0
        distance = objective - self.lower_bound(w, value, gradient)
        return objective, min(max(distance / objective, 0.0), 1.0)

    def needed(
        self, w: NDArray[np.float64], gradient: NDArray[np.float64], *, share: float
    ) -> NDArray[np.bool_]:
        """Return the features with a weight, or a gradient beyond a share of its threshold."""
        thresholds = self.charge.thresholds(w)
        needed: NDArray[np.bool_] = np.abs(gradient) > share * thresholds
        needed |= w != 0.0
        return needed

    def model(
        self,
        w: NDArray[np.float64],
        gradient: NDArray[np.float64],
        stride: int,
        last: Any = None,
    ) -> Model:
        """Return a second-order model of the risk on the features that may get a weight.

        `last` is the model so far, of which what has proven good may be kept: here nothing.
        """
        needed = self.needed(w, gradient, share=NEAR)
        if needed.sum() < SMALL_SET:
            thresholds = self.charge.thresholds(w)
            with np.errstate(divide="ignore", invalid="ignore"):
                closeness = np.where(needed, np.inf, np.abs(gradient) / thresholds)
            eligible = np.isfinite(thresholds) & (self.risk.curvatures > 0.0)
            closeness[~eligible & ~needed] = -1.0
            nearest = np.argsort(-closeness, kind="stable")[:SMALL_SET]
            needed[nearest[closeness[nearest] >= 0.0]] = True
        features = np.flatnonzero(needed)
        return QuadraticModel(features, self.risk.hessian(features, stride))


class SignedRisk:
    """risk(w) + w' matrix w / 2, of which the matrix is positive semidefinite."""

    def __init__(self, risk: Risk, matrix: NDArray[np.float64]) -> None:
        self._risk, self.matrix = risk, matrix
        self.n_weights, self.sampling = risk.n_weights, risk.sampling
        self.curvatures = risk.curvatures + np.diag(matrix)

    def value_and_grad(self, w: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        """Return the sum and its gradient at w."""
        value, gradient = self._risk.value_and_grad(w)
        slopes = self.matrix @ w
        return value + 0.5 * float(w @ slopes), gradient + slopes

    def accept(self) -> None:
        """Make the last point the one that `product` and `hessian` refer to."""
        self._risk.accept()

    def product(self, v: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the Hessian times v."""
        product: NDArray[np.float64] = self._risk.product(v) + self.matrix @ v
        return product

    def hessian(self, features: NDArray[np.int64], stride: int = 1) -> NDArray[np.float64]:
        """Return the rows and columns of the Hessian that belong to some features."""
        hessian: NDArray[np.float64] = self._risk.hessian(features, stride)
        return hessian + self.matrix[np.ix_(features, features)]

    def dual_value(self, scale: float, value: float, inner: float) -> float:
        """Return the dual value of the risk without the quadratic part."""
        return self._risk.dual_value(scale, value, inner)


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
        return Penalised(self.risk, charge, BOX * float(np.abs(w).max(initial=0.0)))

    def first(self) -> Penalised:
        """Return the convex problem from which reweighting starts."""
        charge = self.penalty.first_charge(self.risk.n_weights, self.strength)
        return Penalised(self.risk, charge, room(self.risk, charge))


def room(risk: Risk, charge: Charge) -> float | None:
    """Return a size that weights without a charge will hardly reach, or None without such weights.

    A weight of 1 / sqrt(curvature) alone parts a typical pair by about its margin.
    """
    free = charge.linear == 0.0
    if charge.matrix is not None:
        free &= np.diag(charge.matrix) == 0.0
    if not free.any():
        return None
    curvatures = risk.curvatures[free & (risk.curvatures > 0.0)]
    return BOX * BOX / float(np.sqrt(curvatures.min())) if len(curvatures) else BOX


def vertex(value: float, inner: float) -> float:
    """Return where the squared hinge's dual value, 2 s (value - inner / 2) - s^2 value, is best."""
    return min(max((value - 0.5 * inner) / value, 0.0), 1.0) if value > 0.0 else 1.0
