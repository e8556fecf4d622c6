"""A convex function from below: the highest of planes that touch it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.linear.plane_mixture import best_mixture
from ranksieve.solvers._protocols import StronglyConvex

# Rounds after which a plane that no mixture used is dropped, a few at a time.
_MAX_IDLE, _DROPPED_TOGETHER = 50, 20


class PlaneModel:
    """|w|^2 / 2 + the highest of 0 and planes that touch h(w) = f(w) - |w|^2 / 2.

    Attributes
    ----------
    bound : the largest minimum of the model so far, and so a lower bound of f's
    minimiser : where the model has its minimum
    """

    def __init__(self, problem: StronglyConvex) -> None:
        self._problem = problem
        # The first plane, which stays, is h >= 0.
        self._slopes = np.zeros((1, problem.n_weights))
        self._points = np.zeros((1, problem.n_weights))
        self._offsets, self._shares, self._idle = np.zeros(1), np.ones(1), np.zeros(1, np.int64)
        self.bound = 0.0
        self.minimiser = np.zeros(problem.n_weights)

    def touch(self, w: NDArray[np.float64]) -> float:
        """Add the plane that touches at w: one pass. Return f(w)."""
        value, gradient = self._problem.value_and_grad(w)
        slope = gradient - w
        offset = value - 0.5 * float(w @ w) - float(slope @ w)
        self._slopes = np.vstack([self._slopes, slope])
        self._points = np.vstack([self._points, w])
        self._offsets = np.append(self._offsets, offset)
        self._shares = np.append(self._shares, 0.0)
        self._idle = np.append(self._idle, 0)
        return value

    def minimise(self, accuracy: float) -> None:
        """Set bound and minimiser again, and drop planes that are long out of use."""
        best_mixture(self._slopes, self._offsets, self._shares, accuracy)
        self.minimiser = -np.einsum("k,kj->j", self._shares, self._slopes)
        value = self._offsets @ self._shares - 0.5 * (self.minimiser @ self.minimiser)
        self.bound = max(self.bound, float(value))
        self._idle = np.where(self._shares > 0.0, 0, self._idle + 1)
        self._idle[0] = 0
        if np.sum(self._idle > _MAX_IDLE) >= _DROPPED_TOGETHER:
            self._keep(self._idle <= _MAX_IDLE)

    def line(self, w: NDArray[np.float64], direction: NDArray[np.float64]) -> tuple[float, float]:
        """Return height and slope, at w and along a direction, of the highest plane there."""
        # Not by BLAS, whose threads take longer to meet than such a product takes.
        heights = self._offsets + np.einsum("kj,j->k", self._slopes, w)
        highest = int(heights.argmax())
        return float(heights[highest]), float(self._slopes[highest] @ direction)

    def points(self) -> NDArray[np.float64]:
        """Return where the planes touch that carry the minimum, the first plane aside."""
        return self._points[1:][self._shares[1:] > 0.0]

    def _keep(self, is_kept: NDArray[np.bool_]) -> None:
        self._slopes, self._points = self._slopes[is_kept], self._points[is_kept]
        self._offsets, self._shares = self._offsets[is_kept], self._shares[is_kept]
        self._idle = self._idle[is_kept]
