"""The hinge over pairs: the loss of the first Ranking SVM."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.pairs.sums import order_queries, sums_over_violations
from ranksieve.losses.base import PairLoss, Targets


@dataclass(frozen=True)
class HingeLoss(PairLoss):
    """Sum over pairs i above j of max(0, 1 - (s_i - s_j)).

    Pairs are documents of one query with different grades. The loss is convex, with kinks
    where a margin is exactly one: such a pair counts as not violated, so `gradient` is a
    subgradient there. It has no curvature, so solvers that need one do not take it
    (`smooth` is False).

    Parameters
    ----------
    weighting : {"pairs", "queries"}
        Whether every pair counts the same, or every query, see `PairLoss`.

    Notes
    -----
    Cost: O(m log m) time for a query of m documents with any number of grades, O(m) memory.

    References
    ----------
    Herbrich, Graepel and Obermayer, Large margin rank boundaries for ordinal regression, 2000.
    Joachims, Optimizing search engines using clickthrough data, KDD 2002.

    Examples
    --------
    >>> targets = Targets.from_grades(np.array([1.0, 0.0, 0.0]), np.array([0, 3]))
    >>> HingeLoss().value_and_grad(np.array([0.5, 0.0, -2.0]), targets)
    (0.5, array([-1.,  1.,  0.]))
    """

    smooth: ClassVar[bool] = False

    def evaluate(self, scores: NDArray[np.float64], targets: Targets) -> HingeAtScores:
        """Return value, a subgradient, and products with the Hessian, which is 0."""
        return HingeAtScores(scores, targets, self.query_weights(targets))


class HingeAtScores:
    """The hinge at given scores."""

    def __init__(
        self, scores: NDArray[np.float64], targets: Targets, weights: NDArray[np.float64]
    ) -> None:
        order = np.empty(len(scores), dtype=np.int32)
        order_queries(scores, targets.query_ptr, order)
        worse, better = np.empty((2, 2, len(scores)))
        sums_over_violations(
            scores, targets.levels, targets.query_ptr, order, weights, scores, worse, better
        )
        self.gradient = better[0] - worse[0]
        # The sum of 1 - (s_i - s_j) over a document's violated pairs: their number, and
        # the sum of s_j - s_i.
        self.value = float((worse[0] + worse[1]).sum())

    def product(self, direction: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return zeros: between its kinks the hinge is linear."""
        return np.zeros(len(direction))
