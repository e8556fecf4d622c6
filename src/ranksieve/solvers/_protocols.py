"""What functions of the weights must give to a solver."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray


class StronglyConvex(Protocol):
    """A strongly convex, nonnegative function with a gradient, or a subgradient at kinks."""

    n_weights: int
    strong_convexity: float

    def value_and_grad(self, w: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        """Return the value and the gradient at w."""
        ...


class Problem(StronglyConvex, Protocol):
    """A strongly convex, nonnegative function with a gradient and Hessian products.

    `product` and `hessian` refer to the point of the last `value_and_grad` that was `accept`ed.
    `curvatures` is roughly the diagonal of the Hessian: it tells how weights are scaled.
    """

    curvatures: NDArray[np.float64]

    def accept(self) -> None:
        """Make the last point the one that `product` refers to."""
        ...

    def product(self, v: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the Hessian times v."""
        ...

    def hessian(self) -> NDArray[np.float64]:
        """Return the whole Hessian."""
        ...


class Risk(Protocol):
    """A convex, nonnegative loss as a function of the weights, as `problems.PairRisk` is.

    `product` and `hessian` refer to the point of the last `value_and_grad` that was `accept`ed.
    One query in `sampling` is enough for a rough Hessian.
    """

    n_weights: int
    curvatures: NDArray[np.float64]
    sampling: int

    def value_and_grad(self, w: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        """Return the loss and its gradient at w."""
        ...

    def accept(self) -> None:
        """Make the last point the one that `product` and `hessian` refer to."""
        ...

    def product(self, v: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the Hessian times v."""
        ...

    def hessian(self, features: NDArray[np.int64], stride: int = 1) -> NDArray[np.float64]:
        """Return the rows and columns of the Hessian that belong to some features.

        From one query in `stride` only, scaled to all.
        """
        ...

    def dual_value(self, scale: float, value: float, inner: float) -> float:
        """Return the dual value at `scale` times the point dual to w.

        `value` is the loss at w, `inner` the product of its gradient with w; 0 <= scale <= 1.
        """
        ...
