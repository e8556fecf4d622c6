"""A second-order model of a loss on some of the features, and its minimum with a charge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.linear.bfgs import update_by_bfgs
from ranksieve.kernels.linear.charged_quadratic import minimise_charged
from ranksieve.penalties import Charge

_NO_MATRIX = np.empty((0, 0))
# The model is minimised to this share of the gap: that is a few steps of a small matrix.
_SHARE, _LARGEST_GAP = 1e-3, 0.01


class Model(Protocol):
    """A second-order model of a loss, on some of the features.

    `whole` tells whether all of it was measured where it is of, and nothing kept from before.
    """

    @property
    def whole(self) -> bool: ...

    def covers(self, needed: NDArray[np.bool_]) -> bool:
        """Tell whether the model has all features that are marked."""
        ...

    def learnt_from(self, move: NDArray[np.float64], change: NDArray[np.float64]) -> Any:
        """Return the model after a move of all weights and its change of the gradient."""
        ...

    def minimise(
        self, w: NDArray[np.float64], gradient: NDArray[np.float64], charge: Any, gap: float
    ) -> NDArray[np.float64]:
        """Return all weights after those of the model went to the minimum of model + charge.

        `gap` is that of w: the minimum need not be found much better than it.
        """
        ...


@dataclass(frozen=True, eq=False)
class QuadraticModel:
    """value + gradient . (z - w) + (z - w)' hessian (z - w) / 2, for the weights of `features`."""

    features: NDArray[np.int64]
    hessian: NDArray[np.float64]
    whole: ClassVar[bool] = True

    def covers(self, needed: NDArray[np.bool_]) -> bool:
        """Tell whether the model has all features that are marked."""
        covered = np.zeros(len(needed), dtype=bool)
        covered[self.features] = True
        return not (needed & ~covered).any()

    def learnt_from(self, move: NDArray[np.float64], change: NDArray[np.float64]) -> QuadraticModel:
        """Return the model after a move of all weights and its change of the gradient (BFGS)."""
        hessian = self.hessian.copy()
        update_by_bfgs(hessian, move[self.features], change[self.features])
        return QuadraticModel(self.features, hessian)

    def minimise(
        self,
        w: NDArray[np.float64],
        gradient: NDArray[np.float64],
        charge: Charge,
        gap: float,
    ) -> NDArray[np.float64]:
        """Return all weights after those of `features` went to the minimum of model + charge.

        The conditions of optimality then hold to a thousandth of the gap, times the largest
        threshold.
        """
        accuracy = _SHARE * min(gap, _LARGEST_GAP)
        at, hessian = self.features, self.hessian
        free = np.isfinite(charge.linear[at])
        if not free.all():
            at, hessian = at[free], np.ascontiguousarray(hessian[np.ix_(free, free)])
        shared = _NO_MATRIX
        if charge.matrix is not None:
            shared = np.ascontiguousarray(charge.matrix[np.ix_(at, at)])
        # Weights outside the model are 0: the working set holds all others.
        z = w[at]
        minimise_charged(
            hessian, gradient[at] - hessian @ z, charge.linear[at], shared, z, accuracy
        )
        minimiser = np.zeros_like(w)
        minimiser[at] = z
        return minimiser
