"""Losses over the pairs of several tasks, each with weights of its own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import RankingData
from ranksieve.losses import PairLoss
from ranksieve.problems.pair_risk import PairRisk


class TaskRisk:
    """F(W) = sum over tasks t of the mean over the pairs of t's queries of loss(X w_t).

    The weights come as one vector, task after task: W.ravel() for the (tasks, features) matrix W.

    Parameters
    ----------
    data : RankingData
    queries_of_task : positions of the queries of each task
    loss : PairLoss

    Notes
    -----
    A value or gradient takes one pass over the data, as with one task: each task reads its own
    queries. These are put together once, which copies the data. A task without a pair of different
    grades adds 0, whatever its weights.
    """

    def __init__(
        self, data: RankingData, queries_of_task: Sequence[NDArray[np.int64]], loss: PairLoss
    ) -> None:
        parts = (
            data if len(queries) == data.n_queries else data.queries(queries)
            for queries in queries_of_task
        )
        self.tasks = [PairRisk(part.gathered(), loss) for part in parts]
        self.n_tasks, self.n_features = len(self.tasks), data.n_features
        self.n_weights = self.n_tasks * self.n_features
        self.n_pairs = sum(risk.n_pairs for risk in self.tasks)
        self.curvatures = np.concatenate([risk.curvatures for risk in self.tasks])
        self.sampling = max(risk.sampling for risk in self.tasks)
        self._loss = loss

    def value_and_grad(self, w: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        """Return F and its gradient at w."""
        rows = w.reshape(self.n_tasks, -1)
        points = [risk.value_and_grad(row) for risk, row in zip(self.tasks, rows, strict=True)]
        return sum(value for value, _ in points), np.concatenate([slope for _, slope in points])

    def accept(self) -> None:
        """Let `product` and `hessian` refer to the last point."""
        for risk in self.tasks:
            risk.accept()

    def product(self, v: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the generalised Hessian of F times v."""
        rows = v.reshape(self.n_tasks, -1)
        return np.concatenate(
            [risk.product(row) for risk, row in zip(self.tasks, rows, strict=True)]
        )

    def hessian(
        self,
        features: NDArray[np.int64],
        stride: int = 1,
        tasks: NDArray[np.int64] | None = None,
    ) -> NDArray[np.float64]:
        """Return the rows and columns of the Hessian of each task that belong to `features`.

        A (tasks, features, features) array, of all tasks or of some: weights of two tasks have no
        curvature in common. With a stride of s, one query in s stands for all, where a task has
        enough queries.
        """
        risks = self.tasks if tasks is None else [self.tasks[task] for task in tasks]
        return np.array([risk.hessian(features, min(stride, risk.sampling)) for risk in risks])

    def dual_value(self, scale: float, value: float, inner: float) -> float:
        """Return a lower bound of the dual value at `scale` times the point dual to all scores.

        A sum over tasks: `PairLoss.dual_value` is linear in the value and the inner product.
        """
        return self._loss.dual_value(scale, value, inner)
