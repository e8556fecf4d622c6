"""A second-order model of a loss on some of the features, and its minimum with a charge."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from ranksieve.kernels.coordinate_descent import descend
from ranksieve.penalties import Charge

_SWEEPS, _MAX_ROUNDS = 100, 100
# Added to the diagonal, relative to it: features that are copies make the matrix singular.
_JITTER = 1e-12
# Thresholds below this share of the slopes at 0 do not set the accuracy.
_LEAST_SLOPE = 1e-6
# A move and its change of the gradient that hang together less than this are rounding.
_LEAST_ANGLE = 1e-10


@dataclass(frozen=True, eq=False)
class QuadraticModel:
    """value + gradient . (z - w) + (z - w)' hessian (z - w) / 2, for the weights of `features`."""

    features: NDArray[np.int64]
    hessian: NDArray[np.float64]

    def covers(self, needed: NDArray[np.bool_]) -> bool:
        """Tell whether the model has all features that are marked."""
        known = np.zeros(len(needed), dtype=bool)
        known[self.features] = True
        return not (needed & ~known).any()

    def learnt_from(self, move: NDArray[np.float64], change: NDArray[np.float64]) -> QuadraticModel:
        """Return the model after a move of all weights and its change of the gradient (BFGS)."""
        s, y = move[self.features], change[self.features]
        image = self.hessian @ s
        along, expected = float(s @ y), float(s @ image)
        if along <= _LEAST_ANGLE * np.sqrt(float(s @ s) * float(y @ y)) or expected <= 0.0:
            return self
        hessian = self.hessian + np.outer(y, y) / along - np.outer(image, image) / expected
        return QuadraticModel(self.features, 0.5 * (hessian + hessian.T))

    def minimise(
        self,
        w: NDArray[np.float64],
        gradient: NDArray[np.float64],
        charge: Charge,
        accuracy: float,
    ) -> NDArray[np.float64]:
        """Return all weights after those of `features` went to the minimum of model + charge.

        Sweeps of coordinate descent find which weights are 0, and a Newton step on the others
        finds their values; in turn, until the conditions of optimality hold to `accuracy` times
        the largest threshold.
        """
        free = np.isfinite(charge.linear[self.features])
        at = self.features[free]
        hessian = np.ascontiguousarray(self.hessian[np.ix_(free, free)])
        shared = np.zeros_like(hessian)
        if charge.matrix is not None:
            shared = np.ascontiguousarray(charge.matrix[np.ix_(at, at)])
        # Weights outside the model are 0: the working set holds all others.
        minimum = _Minimum(hessian, gradient[at] - hessian @ w[at], charge.linear[at], shared)
        found = np.zeros_like(w)
        found[at] = minimum.from_weights(w[at], accuracy)
        return found


class _Minimum:
    """The z with the least b'z + z'Hz / 2 + linear . |z| + |z|' shared |z| / 2."""

    def __init__(
        self,
        hessian: NDArray[np.float64],
        b: NDArray[np.float64],
        linear: NDArray[np.float64],
        shared: NDArray[np.float64],
    ) -> None:
        self._H, self._b, self._linear, self._shared = hessian, b, linear, shared

    def from_weights(self, w: NDArray[np.float64], accuracy: float) -> NDArray[np.float64]:
        z = w.copy()
        for _ in range(_MAX_ROUNDS):
            slopes, charged = self._b + self._H @ z, self._shared @ np.abs(z)
            limit = accuracy * self._scale(charged)
            descend(self._H, self._linear, self._shared, z, slopes, charged, 0.0, _SWEEPS)
            z = self._newton(z)
            if self._violation(z) <= limit:
                break
        return z

    def _scale(self, charged: NDArray[np.float64]) -> float:
        """Return the size of a slope that matters, where thresholds may all be 0."""
        thresholds = float((self._linear + charged).max(initial=0.0))
        return max(thresholds, _LEAST_SLOPE * float(np.abs(self._b).max(initial=0.0)))

    def _violation(self, z: NDArray[np.float64]) -> float:
        slopes = self._b + self._H @ z
        thresholds = self._linear + self._shared @ np.abs(z)
        away = np.abs(slopes + np.sign(z) * thresholds)
        at_zero = np.maximum(np.abs(slopes) - thresholds, 0.0)
        return float(np.where(z != 0.0, away, at_zero).max(initial=0.0))

    def _value(self, z: NDArray[np.float64]) -> float:
        sizes = np.abs(z)
        quadratic = z @ (self._b + 0.5 * (self._H @ z))
        return float(quadratic + sizes @ (self._linear + 0.5 * (self._shared @ sizes)))

    def _newton(self, z: NDArray[np.float64]) -> NDArray[np.float64]:
        """Go to the minimum over the weights that are not 0, dropping those that get there."""
        for _ in range(len(z)):
            support = np.flatnonzero(z)
            step = self._step(z, support)
            if step is None:
                return z
            target, signs = z[support] + step, np.sign(z[support])
            kept = target * signs > 0.0
            trial = z.copy()
            trial[support] = np.where(kept, target, 0.0)
            if kept.all() or self._value(trial) < self._value(z):
                return trial
            # Up to the first weight that changes its sign, the value falls: it is convex there.
            lengths = np.full(len(support), np.inf)
            lengths[~kept] = -z[support][~kept] / step[~kept]
            first = int(lengths.argmin())
            z = z.copy()
            z[support] += lengths[first] * step
            z[support[first]] = 0.0
        return z

    def _step(
        self, z: NDArray[np.float64], support: NDArray[np.int64]
    ) -> NDArray[np.float64] | None:
        if len(support) == 0:
            return None
        signs, block = np.sign(z[support]), np.ix_(support, support)
        curvature = self._H[block] + np.outer(signs, signs) * self._shared[block]
        curvature[np.diag_indices_from(curvature)] *= 1.0 + _JITTER
        slopes = (self._b + self._H @ z)[support]
        thresholds = (self._linear + self._shared @ np.abs(z))[support]
        try:
            factor = cho_factor(curvature, check_finite=False)
        except np.linalg.LinAlgError:
            return None
        step: NDArray[np.float64] = -cho_solve(factor, slopes + signs * thresholds)
        return step if np.isfinite(step).all() else None
