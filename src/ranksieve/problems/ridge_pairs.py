"""RankSVM's problem: half the squared norm of the weights plus C times a loss over pairs."""

from __future__ import annotations

from copy import copy

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import RankingData
from ranksieve.losses import PairLoss
from ranksieve.problems.pair_risk import PairRisk


class RidgePairs:
    """f(w) = |w|^2 / 2 + C * sum over pairs of loss(X w), one pass over the data a call.

    A loss whose `weighting` is "queries" weights the sum; its weights sum up to the pairs.
    """

    strong_convexity = 1.0

    def __init__(self, data: RankingData, loss: PairLoss, C: float) -> None:
        self._risk = PairRisk(data, loss)
        self.n_weights, self.n_pairs = self._risk.n_weights, self._risk.n_pairs
        self._weigh(C)

    def _weigh(self, C: float) -> None:
        self._factor = C * self.n_pairs
        # The diagonal of the Hessian at zero: what the loss adds to the 1 of |w|^2 / 2.
        self.loss_curvatures = self._factor * self._risk.curvatures
        self.curvatures = 1.0 + self.loss_curvatures

    def at(self, C: float) -> RidgePairs:
        """Return the problem with another C; both read the same data and share its last point."""
        other = copy(self)
        other._weigh(C)
        return other

    def value_and_grad(self, w: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        """Return f(w) and its gradient."""
        value, gradient = self._risk.value_and_grad(w)
        return 0.5 * float(w @ w) + self._factor * value, w + self._factor * gradient

    def accept(self) -> None:
        """Let `product` and `hessian` refer to the last point."""
        self._risk.accept()

    def product(self, v: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the generalised Hessian of f times v."""
        return v + self._factor * self._risk.product(v)

    def hessian(self) -> NDArray[np.float64]:
        """Return the generalised Hessian of f."""
        hessian = self._factor * self._risk.hessian(np.arange(self.n_weights))
        hessian[np.diag_indices_from(hessian)] += 1.0
        return hessian
