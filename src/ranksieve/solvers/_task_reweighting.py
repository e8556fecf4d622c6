"""Penalties on the sizes of rows by a sequence of weighted l2,1 problems."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.penalties import row_sizes
from ranksieve.progress import step
from ranksieve.solvers._task_problem import Matrix, TaskPenalised, TaskRegularised
from ranksieve.solvers._trace import Recorder
from ranksieve.solvers.base import Solution, Solver

# To what share of the gap a round is solved, and rounds in a row that move nothing, to end after.
_SHARE, _MAX_IDLE = 0.1, 2


@dataclass(frozen=True, eq=False)
class TaskSolution(Solution):
    """Where a solver of several tasks ended; `weights` is the size of each feature's row.

    Attributes
    ----------
    task_weights : (tasks, features) array
    shared : (tasks, features) array, the part of the weights that is charged by row
    labels : what the tasks are called, where somebody said so
    """

    task_weights: Matrix = field(default_factory=lambda: np.empty((0, 0)))
    shared: Matrix = field(default_factory=lambda: np.empty((0, 0)))
    labels: Any = None


@dataclass(frozen=True)
class TaskReweighting:
    """A stationary point of several tasks' losses plus a penalty on the sizes of rows.

    The first round solves the l2,1 problem: each row costs its size. Each further one charges a row
    with the penalty's slope at its last size, from the last solution on, until the solution solves
    the problem that is tangent at itself. A convex penalty needs one round. The tangent lies above
    a concave penalty, so the objective never increases from the second round on.

    Parameters
    ----------
    solver : Solver of convex problems: ProximalNewton or FISTA
    tol : relative gap to reach: that of the problem tangent at the solution, see `Reweighting`
    max_iter : rounds at most
    """

    solver: Solver
    tol: float = 1e-6
    max_iter: int = 300

    def solve(self, problem: TaskRegularised, start: Any = None) -> TaskSolution:
        """Solve from `start`: the solution of another strength of the same tasks, or from zero."""
        convex = problem.first()
        first = self._first(convex, start.state if isinstance(start, TaskSolution) else None)
        solution, shared = first, _shared(convex, first.weights)
        if problem.penalty.convex:
            return _finished(solution, shared, first)
        recorder, n_iter, rounds, idle = Recorder(), solution.n_iter, 1, 0
        while True:
            tangent = problem.tangent(shared)
            objective, gap = _at(problem, tangent, solution.weights, shared)
            recorder.add(objective, gap)
            if gap <= self.tol or rounds == self.max_iter or idle == _MAX_IDLE:
                break
            before = solution.weights
            with step("reweighting", rounds, None):
                solution = _loosened(self.solver, gap).solve(tangent, solution)
            shared = _shared(tangent, solution.weights)
            n_iter, rounds = n_iter + solution.n_iter, rounds + 1
            idle = idle + 1 if np.array_equal(before, solution.weights) else 0
        ended = Solution(
            solution.weights, objective, gap, n_iter, bool(gap <= self.tol), recorder.trace()
        )
        return _finished(ended, shared, first)

    def _first(self, convex: TaskPenalised, start: Solution | None) -> Solution:
        """Solve the first round; over larger weights again where some outgrow what was assumed."""
        solution = self.solver.solve(convex, start)
        while convex.largest_weight is not None:
            reached = float(row_sizes(_matrix(convex, solution.weights)).max(initial=0.0))
            if reached <= 0.5 * convex.largest_weight:
                break
            convex = replace(convex, largest_weight=10.0 * reached)
            solution = self.solver.solve(convex, solution)
        return solution


def _matrix(problem: TaskPenalised, w: NDArray[np.float64]) -> Matrix:
    return w.reshape(problem.risk.n_tasks, -1)


def _shared(problem: TaskPenalised, w: NDArray[np.float64]) -> Matrix:
    return problem.charge.shared(_matrix(problem, w))


def _finished(solution: Solution, shared: Matrix, first: Solution) -> TaskSolution:
    matrix = solution.weights.reshape(shared.shape)
    return TaskSolution(
        row_sizes(matrix),
        solution.objective,
        solution.gap,
        solution.n_iter,
        solution.converged,
        solution.trace,
        first,
        matrix,
        shared,
    )


def _loosened(solver: Any, gap: float) -> Solver:
    """Return the solver for a round: a tenth of what is left to gain is enough of it."""
    loosened: Solver = replace(solver, tol=max(solver.tol, _SHARE * gap))
    return loosened


def _at(
    problem: TaskRegularised, tangent: TaskPenalised, w: NDArray[np.float64], shared: Matrix
) -> tuple[float, float]:
    """Return the objective at w, and its gap in the problem that is tangent there."""
    value, gradient = problem.risk.value_and_grad(w)
    objective = problem.objective(w, shared, value)
    without_constant, gap = tangent.gap(w, value, gradient)
    return objective, gap * without_constant / objective if objective > 0.0 else 0.0
