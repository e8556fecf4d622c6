"""Nonconvex penalties by a sequence of weighted l1 problems."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranksieve.progress import step
from ranksieve.solvers._copies import without_copies
from ranksieve.solvers._dependence import Dependence
from ranksieve.solvers._penalised import Penalised, Regularised
from ranksieve.solvers._trace import Recorder
from ranksieve.solvers.base import Solution, Solver
from ranksieve.solvers.proximal_newton import ProximalNewton

# To what share of the gap a round is solved.
_SHARE = 0.1
# Rounds in a row that move nothing, after which to end.
_MAX_IDLE = 2


class _State(NamedTuple):
    """What the next strength of a path starts from: the first round, and which features depend."""

    first: Solution
    dependence: Dependence | None = None


@dataclass(frozen=True)
class Reweighting(Solver):
    """A stationary point of loss plus penalty, by convex problems that touch it from above.

    The first round solves the l1 problem. Each further one replaces the penalty by its tangent in
    |w| at the last solution, a weighted l1 norm, and solves that from there, until the solution
    solves the problem that is tangent at itself. A penalty that is convex needs one round.

    The tangent lies above a concave penalty, so the objective never increases from the second
    round on (the l1 norm of the first need not lie above the penalty). A weight with an infinite
    slope at 0 (lp) stays 0 once it is.

    Features may be linear in each other on all pairs: copies, f and 1 - f, or f, g and f + g.
    Weights can then move without a change of any margin, and as MCP and SCAD charge nothing
    beyond their width, they could move to any size. After each round the weights of such
    features are moved to where one of them is 0, and so on, until the features with a weight do
    not depend on each other: the penalty never rises on that way, as it is concave. Of the moves
    that cost no more, the one with the least sum of |w| is taken; where several are equal the
    first features keep their weights. So of copies and mirror images the first has the weight.

    Parameters
    ----------
    solver : Solver of convex problems
    tol : relative gap to reach, see Notes
    max_iter : rounds at most
    merge_copies : whether a feature takes the weights of its copies and mirror images
        Of convex penalties only, and only where the objective stays the same.

    Notes
    -----
    `gap` is that of the solution in the convex problem tangent at itself, over weights up to ten
    times the largest, as a share of the objective. It is 0 exactly where the solution is
    stationary: for a nonconvex penalty it says nothing about other minima.
    `n_iter` counts the steps of all rounds; the trace has one entry a round.
    Laporte et al., Nonconvex regularizations for feature selection in ranking with sparse SVM,
    IEEE TNNLS 2014, Algorithm 2.
    """

    solves: ClassVar[type] = Regularised

    solver: Solver = field(default_factory=ProximalNewton)
    tol: float = 1e-6
    max_iter: int = 300
    merge_copies: bool = False

    def solve(self, problem: Regularised, start: Any = None) -> Solution:
        """Solve from `start`: weights, or the solution of another strength of the same loss."""
        dependence = None
        if isinstance(start, Solution) and isinstance(start.state, _State):
            start, dependence = start.state
        convex = problem.first()
        solution = first = self._first(convex, start)
        if problem.penalty.convex:
            if self.merge_copies:
                solution = without_copies(convex, solution, self.tol)
            return replace(solution, state=_State(first))
        if dependence is None or dependence.risk is not problem.risk:
            dependence = Dependence(problem.risk)
        solution = _fewest(problem, first, dependence)
        recorder, n_iter, rounds, idle = Recorder(), solution.n_iter, 1, 0
        while True:
            tangent = problem.tangent(solution.weights)
            objective, gap = _at(problem, tangent, solution)
            recorder.add(objective, gap)
            if gap <= self.tol or rounds == self.max_iter or idle == _MAX_IDLE:
                break
            before = solution.weights
            with step("reweighting", rounds, None):
                solution = _loosened(self.solver, gap).solve(tangent, solution)
                solution = _fewest(problem, solution, dependence)
            n_iter, rounds = n_iter + solution.n_iter, rounds + 1
            # Rounds that end where they started are at the end of double precision.
            idle = idle + 1 if np.array_equal(before, solution.weights) else 0
        converged = bool(gap <= self.tol)
        state = _State(first, dependence)
        return Solution(
            solution.weights, objective, gap, n_iter, converged, recorder.trace(), state
        )

    def _first(self, convex: Penalised, start: Any) -> Solution:
        """Solve the first round; over larger weights again where some outgrow what was assumed."""
        solution = self.solver.solve(convex, start)
        while convex.largest_weight is not None:
            reached = float(np.abs(solution.weights).max(initial=0.0))
            if reached <= 0.5 * convex.largest_weight:
                break
            convex = replace(convex, largest_weight=10.0 * reached)
            solution = self.solver.solve(convex, solution)
        return solution


def _fewest(problem: Regularised, solution: Solution, dependence: Dependence) -> Solution:
    """Return a solution with the same margins on features that do not depend on each other."""

    def cost(w: NDArray[np.float64]) -> float:
        return problem.penalty.value(w, problem.strength)

    weights = dependence.fewest(solution.weights, cost)
    if weights is solution.weights or np.array_equal(weights, solution.weights):
        return solution
    # The solver's own state is of the point before.
    return replace(solution, weights=weights, state=None)


def _loosened(solver: Any, gap: float) -> Solver:
    """Return the solver for a round: a tenth of what is left to gain is enough of it."""
    loosened: Solver = replace(solver, tol=max(solver.tol, _SHARE * gap))
    return loosened


def _at(problem: Regularised, tangent: Penalised, solution: Solution) -> tuple[float, float]:
    """Return the objective at a solution, and its gap in the problem that is tangent there."""
    w = solution.weights
    value, gradient = problem.risk.value_and_grad(w)
    objective = problem.objective(w, value)
    # Relative to the whole objective: of weights beyond the reach of MCP the tangent charges
    # nothing, and where the loss is 0 as well every gap would be all of what is left.
    without_constant, gap = tangent.gap(w, value, gradient)
    return objective, gap * without_constant / objective if objective > 0.0 else 0.0


def with_tolerance(
    solver: Solver, tol: float, max_iter: int, *, nonconvex: bool = False
) -> Reweighting:
    """Return reweighting with a solver of convex problems that goes to `tol` too."""
    # A round that is solved no better than asked of the whole would hide its progress.
    rounds_tol = 0.1 * tol if nonconvex else tol
    dataclass_solver: Any = solver
    inner = replace(dataclass_solver, tol=rounds_tol, max_iter=max_iter)
    return Reweighting(inner, tol)
