"""The logistic loss over pairs: RankNet's cross entropy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.pairs.logistic import add_logistic, add_logistic_product
from ranksieve.losses.base import PairLoss, Targets


@dataclass(frozen=True)
class LogisticLoss(PairLoss):
    """Sum over pairs i above j of log(1 + exp(-(s_i - s_j))).

    Pairs are documents of one query with different grades. The loss is convex and smooth to
    any order, and never 0: pairs that are far apart add exp(-(s_i - s_j)), and are added as
    such, however large the scores.

    Parameters
    ----------
    weighting : {"pairs", "queries"}
        Whether every pair counts the same, or every query, see `PairLoss`.

    Notes
    -----
    Cost: O(m^2) time for a query of m documents, O(m) memory. The loss of a pair does not
    split into a part of i and a part of j, as the hinge does where it is not 0, so no exact
    sum over all pairs in O(m log m) is known. No logarithm and no exponential is taken for a
    pair unless scores of a query differ by more than 600: see `kernels/pair_logistic.py`.

    References
    ----------
    Burges et al., Learning to rank using gradient descent, ICML 2005.

    Examples
    --------
    >>> targets = Targets.from_grades(np.array([1.0, 0.0]), np.array([0, 2]))
    >>> value, gradient = LogisticLoss().value_and_grad(np.array([3.0, 3.0]), targets)
    >>> value == np.log(2), gradient
    (np.True_, array([-0.5,  0.5]))
    """

    def evaluate(self, scores: NDArray[np.float64], targets: Targets) -> LogisticAtScores:
        """Return value, gradient and Hessian products at `scores`."""
        return LogisticAtScores(scores, targets, self.query_weights(targets))


class LogisticAtScores:
    """The logistic loss at given scores: products go over the pairs again, and keep none."""

    def __init__(
        self, scores: NDArray[np.float64], targets: Targets, weights: NDArray[np.float64]
    ) -> None:
        self._scores, self._targets, self._weights = scores, targets, weights
        self.gradient = np.zeros(len(scores))
        self.value = float(
            add_logistic(scores, targets.levels, targets.query_ptr, weights, self.gradient)
        )

    def product(self, direction: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the Hessian times `direction`: sum of p (1 - p) (v_i - v_j) over pairs."""
        levels, query_ptr = self._targets.levels, self._targets.query_ptr
        product = np.zeros(len(direction))
        add_logistic_product(self._scores, levels, query_ptr, self._weights, direction, product)
        return product
