"""What a loss over pairs sees, and what it must give."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.pairs import grade_levels, order_by_level


@dataclass(frozen=True, eq=False)
class Targets:
    """Grades of documents as levels within their queries: all that a pairwise loss needs.

    Attributes
    ----------
    levels : (n,) array of int32; 0 is the lowest grade of the query
    query_ptr : (queries + 1,) array of int64, offsets that start at 0
    n_pairs : number of pairs with different grades inside queries
    """

    levels: NDArray[np.int32]
    query_ptr: NDArray[np.int64]
    n_pairs: int

    @classmethod
    def from_grades(cls, y: NDArray[np.float64], query_ptr: NDArray[np.int64]) -> Targets:
        """Return the targets of grades whose queries are query_ptr[q]:query_ptr[q + 1]."""
        levels = np.empty(len(y), dtype=np.int32)
        n_pairs = grade_levels(y, query_ptr, levels)
        return cls(levels, query_ptr, int(n_pairs))

    @cached_property
    def by_level(self) -> NDArray[np.int32]:
        """Return each query's documents, counted from its first, by rising level."""
        order = np.empty(len(self.levels), dtype=np.int32)
        order_by_level(self.levels, self.query_ptr, order)
        return order


class PairLoss(ABC):
    """A loss summed over all pairs with different grades inside queries, in score space.

    Losses never see features, and never build the pairs. One with kinks is not `smooth`: its
    gradient is a subgradient, and its product is 0.
    """

    smooth: ClassVar[bool] = True

    @abstractmethod
    def evaluate(self, scores: NDArray[np.float64], targets: Targets) -> Any:
        """Return the loss at `scores`: an object with value, gradient and product(v)."""

    def value_and_grad(
        self, scores: NDArray[np.float64], targets: Targets
    ) -> tuple[float, NDArray[np.float64]]:
        """Return the sum over pairs, and its gradient by score."""
        at = self.evaluate(scores, targets)
        return at.value, at.gradient

    def dual_value(self, scale: float, value: float, inner: float) -> float:
        """Return a lower bound of the dual value at `scale` times the point dual to some scores.

        `value` is the loss at the scores and `inner` the product of its gradient with them. For
        each pair the conjugate is convex and 0 at 0, so at a scale between 0 and 1 it is at most
        that share of its value, which is inner - value by Fenchel's equality. Losses with more
        to say override this.
        """
        return scale * (value - inner)
