"""Models of several tasks by the strength of their penalty, and the scores that they give."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import RankingData
from ranksieve.data.queries import one_type
from ranksieve.losses import PairLoss
from ranksieve.penalties import Penalty, row_sizes
from ranksieve.problems import TaskRisk
from ranksieve.rankers import linear_scores
from ranksieve.selectors.embedded._models import Family
from ranksieve.solvers import (
    Path,
    Solution,
    TaskRegularised,
    TaskReweighting,
    TaskSolution,
    strengths_between,
)

# The task of data that has none.
ONE_TASK = np.zeros(1, dtype=np.int64)
UNKNOWN = -1


class TaskFamily(Family):
    """Models of the tasks of some data by the strength of a penalty on the rows of weights."""

    def __init__(
        self,
        data: RankingData,
        loss: PairLoss,
        penalty: Penalty,
        own: float,
        solver: TaskReweighting,
        *,
        smallest: float,
    ) -> None:
        self.labels, queries = _queries_of_tasks(data)
        self.risk = TaskRisk(data, queries, loss)
        n_pairs = max(self.risk.n_pairs // len(self.labels), 1)
        self.penalty, self._own = penalty.for_pairs(n_pairs), own
        self._solver, self._smallest = solver, smallest

    def problem(self, number: float) -> TaskRegularised:
        """Return the problem at a strength."""
        return TaskRegularised(self.risk, self.penalty, number, self._own)

    def solve(self, number: float, start: Solution | None) -> TaskSolution:
        """Return the solution at a strength."""
        return replace(self._solver.solve(self.problem(number), start), labels=self.labels)

    def grid(self, n_numbers: int) -> NDArray[np.float64]:
        """Return strengths from the least with all weights 0 down to a share of it."""
        return strengths_between(self.critical_strength(), self._smallest, n_numbers)

    def critical_strength(self) -> float:
        """Return the least strength at which all weights are 0.

        The largest size of a row of gradients at 0, or largest gradient over the price of own
        weights, whichever is more.
        """
        gradient = self.risk.value_and_grad(np.zeros(self.risk.n_weights))[1]
        rows = gradient.reshape(self.risk.n_tasks, -1)
        critical = self.penalty.critical_strength(row_sizes(rows))
        if np.isfinite(self._own):
            critical = max(critical, float(np.abs(rows).max(initial=0.0)) / self._own)
        # A feature that is free at every strength has no such strength: the largest gradient.
        return critical if np.isfinite(critical) else float(row_sizes(rows).max())

    def path(self, numbers: NDArray[np.float64]) -> Path:
        """Return the solutions at falling strengths; weights are the sizes of rows."""
        models = list(self.solutions(numbers))
        return Path(
            numbers,
            np.array([model.weights for model in models]),
            np.array([model.objective for model in models]),
            np.array([model.gap for model in models]),
            np.array([model.converged for model in models]),
            np.array([model.n_iter for model in models], dtype=np.int64),
        )

    def nearness(self, number: float, solution: Any) -> NDArray[np.float64]:
        """Return how near each row of weights of 0 is to leaving it."""
        problem = self.problem(number)
        convex = self.penalty.convex
        charge = (problem.tangent(solution.shared) if convex else problem.first()).charge
        gradient = self.risk.value_and_grad(solution.task_weights.ravel())[1]
        return charge.nearness(gradient)


def _queries_of_tasks(data: RankingData) -> tuple[NDArray[Any], list[NDArray[np.int64]]]:
    if data.tasks is None:
        return ONE_TASK, [np.arange(data.n_queries)]
    labels, tasks = np.unique(data.tasks, return_inverse=True)
    return labels, [np.flatnonzero(tasks == task) for task in range(len(labels))]


def positions(tasks: NDArray[Any], labels: NDArray[Any]) -> NDArray[np.int64]:
    """Return where each task is among sorted labels; UNKNOWN where it is not.

    Examples
    --------
    >>> positions(np.array(["fr", "it"]), np.array(["de", "fr"]))
    array([ 1, -1])
    """
    texts, names = one_type([tasks, labels])
    order = np.argsort(names, kind="stable")
    indices = np.minimum(np.searchsorted(names, texts, sorter=order), len(names) - 1)
    return np.where(names[order[indices]] == texts, order[indices], UNKNOWN)


def scores_by_task(
    data: RankingData,
    tasks: NDArray[np.int64],
    weights: NDArray[np.float64],
    mean: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the score of each document by the weights of its query's task, or by the mean ones."""
    if (tasks == tasks[0]).all():
        return linear_scores(data, mean if tasks[0] == UNKNOWN else weights[tasks[0]])
    scores, by_document = np.empty(data.n_documents), np.repeat(tasks, np.diff(data.query_ptr))
    for task in np.unique(tasks):
        w = mean if task == UNKNOWN else weights[task]
        scores[by_document == task] = linear_scores(data.queries(tasks == task), w)
    return scores


def model_scores(data: RankingData, model: TaskSolution) -> NDArray[np.float64]:
    """Return scores by a model of a fold; of tasks that the fold lacks by the mean weights."""
    tasks = np.zeros(data.n_queries, dtype=np.int64)
    if data.tasks is not None:
        tasks = positions(data.tasks, model.labels)
    return scores_by_task(data, tasks, model.task_weights, model.task_weights.mean(axis=0))
