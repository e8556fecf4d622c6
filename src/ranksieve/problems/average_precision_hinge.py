"""The structured hinge of average precision, as a loss of scores."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.rankers.average_precision_hinge import average_precision_hinge


@dataclass(frozen=True)
class AveragePrecisionHinge:
    """Sum over queries of the most that an ordering loses against its own margin.

        max over orderings o of  1 - AP(o) - (margin(best) - margin(o))
        margin(o) = mean over relevant i and other documents j of +-(s_i - s_j)

    with + where o has i before j, and - elsewhere; best orderings have all relevant documents
    first. It is convex in the scores, at least 1 - AP of the ordering by them, and 0 for queries
    without relevant or without other documents. Grades of at least `threshold` are relevant.

    Notes
    -----
    Cost: O(m log m + R N) time for a query of m documents, R of them relevant and N not; O(m)
    memory.

    Reference: Yue, Finley, Radlinski and Joachims, A support vector method for optimizing
    average precision, SIGIR 2007.

    Examples
    --------
    All scores equal, one relevant document of two: the worst ordering has AP = 1/2.

    >>> hinge = AveragePrecisionHinge()
    >>> targets = hinge.targets(np.array([1.0, 0.0]), np.array([0, 2]))
    >>> hinge.value_and_grad(np.zeros(2), targets)
    (0.5, array([-2.,  2.]))
    """

    threshold: float = 1

    def targets(
        self, y: NDArray[np.float64], query_ptr: NDArray[np.int64]
    ) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
        """Return which documents are relevant, and the offsets."""
        return y >= self.threshold, query_ptr

    def value_and_grad(
        self, scores: NDArray[np.float64], targets: tuple[NDArray[np.bool_], NDArray[np.int64]]
    ) -> tuple[float, NDArray[np.float64]]:
        """Return the sum over queries, and a subgradient by score."""
        relevant, query_ptr = targets
        gradient = np.empty(len(scores))
        value = average_precision_hinge(scores, relevant, query_ptr, gradient)
        return float(value), gradient
