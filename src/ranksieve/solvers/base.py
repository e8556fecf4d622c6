"""What a solver takes, and what it gives."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Solution:
    """Where a solver ended.

    Attributes
    ----------
    weights : the best point found
    objective : its value
    gap : an upper bound of (objective - optimum) / objective, at most 1
    n_iter : iterations made
    converged : whether the gap is within the tolerance
    """

    weights: NDArray[np.float64]
    objective: float
    gap: float
    n_iter: int
    converged: bool


class Problem(Protocol):
    """A strongly convex, nonnegative function with a gradient and Hessian products.

    `product` refers to the point of the last `value_and_grad` that was `accept`ed.
    `curvatures` is roughly the diagonal of the Hessian: it tells how weights are scaled.
    """

    n_weights: int
    strong_convexity: float
    curvatures: NDArray[np.float64]

    def value_and_grad(self, w: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        """Return the value and the gradient at w."""
        ...

    def accept(self) -> None:
        """Make the last point the one that `product` refers to."""
        ...

    def product(self, v: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the Hessian times v."""
        ...


class Solver(ABC):
    """Finds the minimum of a problem."""

    @abstractmethod
    def solve(self, problem: Problem, start: NDArray[np.float64] | None = None) -> Solution:
        """Minimise from `start`, or from zero."""
