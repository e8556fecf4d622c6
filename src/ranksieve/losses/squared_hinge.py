"""The squared hinge over pairs: RankSVM's loss."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.pairs.squared_hinge import squared_hinge
from ranksieve.kernels.pairs.sums import order_queries, sums_over_violations
from ranksieve.losses.base import PairLoss, Targets


@dataclass(frozen=True)
class SquaredHingeLoss(PairLoss):
    """Sum over pairs i above j of max(0, 1 - (s_i - s_j))^2.

    Pairs are documents of one query with different grades. The loss is convex with a
    continuous gradient; its generalised Hessian counts the pairs with a margin below one.

    Parameters
    ----------
    weighting : {"pairs", "queries"}
        Whether every pair counts the same, or every query, see `PairLoss`.

    Notes
    -----
    Cost: O(m log m) time for a query of m documents with any number of grades, O(m) memory.

    Examples
    --------
    >>> targets = Targets.from_grades(np.array([1.0, 0.0, 0.0]), np.array([0, 3]))
    >>> SquaredHingeLoss().value_and_grad(np.array([0.5, 0.0, -2.0]), targets)
    (0.25, array([-1.,  1.,  0.]))

    Of two queries with one and two pairs, each counts as much as one and a half pairs.

    >>> targets = Targets.from_grades(np.array([1.0, 0.0, 1.0, 0.0, 0.0]), np.array([0, 2, 5]))
    >>> SquaredHingeLoss("queries").value_and_grad(np.zeros(5), targets)[1]
    array([-3. ,  3. , -3. ,  1.5,  1.5])
    """

    def evaluate(self, scores: NDArray[np.float64], targets: Targets) -> SquaredHingeAtScores:
        """Return value, gradient and Hessian products at `scores`."""
        return SquaredHingeAtScores(scores, targets, self.query_weights(targets))

    def dual_value(self, scale: float, value: float, inner: float) -> float:
        """Return the dual value, with a = 2 scale max(0, 1 - margin) for each pair.

        It is the sum of a - a^2 / 4, and the sum of max(0, 1 - margin) is value - inner / 2,
        weights of queries included in both.
        """
        return 2.0 * scale * (value - 0.5 * inner) - scale**2 * value


class SquaredHingeAtScores:
    """The squared hinge at given scores."""

    def __init__(
        self, scores: NDArray[np.float64], targets: Targets, weights: NDArray[np.float64]
    ) -> None:
        self.scores, self._targets, self.weights = scores, targets, weights
        self.gradient = np.empty(len(scores))
        self.value = float(
            squared_hinge(
                scores, targets.levels, targets.query_ptr, targets.by_level, weights, self.gradient
            )
        )

    @cached_property
    def order(self) -> NDArray[np.int32]:
        """Each query's documents by falling score: made once, for all that is second-order."""
        order = np.empty(len(self.scores), dtype=np.int32)
        order_queries(self.scores, self._targets.query_ptr, order)
        return order

    def product(self, direction: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the generalised Hessian times `direction`: 2 sum (v_i - v_j) over violations."""
        targets = self._targets
        worse, better = np.empty((2, 2, len(direction)))
        sums_over_violations(
            self.scores,
            targets.levels,
            targets.query_ptr,
            self.order,
            self.weights,
            direction,
            worse,
            better,
        )
        product: NDArray[np.float64] = -2.0 * (worse[1] + better[1])
        return product
