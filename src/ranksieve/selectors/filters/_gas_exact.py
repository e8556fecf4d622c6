"""GAS's 0-1 problem to the proven optimum."""

from __future__ import annotations

import time

import numpy as np

from ranksieve.selectors.filters._gas_bound import lagrangian_bound
from ranksieve.selectors.filters._gas_model import PairModel
from ranksieve.selectors.filters._gas_problem import Problem, Solution

# Gap up to which a set counts as optimal, relative to the largest number of the problem.
TOLERANCE = 1e-6


def solve_exactly(
    problem: Problem, n_chosen: int, *, start: Solution, time_limit: float
) -> Solution:
    """Return the better of HiGHS's set and `start`, with a proven bound of all objectives.

    HiGHS takes no start through scipy, and a constraint that the objective be at least that
    of `start` made it slower on every problem measured: the two are compared at the end.
    """
    easy = _easy(problem, n_chosen)
    if easy is not None:
        return easy
    ends = time.monotonic() + time_limit
    bound = lagrangian_bound(problem, n_chosen, reached=start.objective, time_limit=time_limit)
    first = Solution(start.chosen, start.objective, bound)
    if is_optimal(problem, first):
        return first
    found = PairModel(problem, n_chosen).maximise(
        1.0, -problem.balance, time_limit=ends - time.monotonic()
    )
    chosen = start.chosen
    if found.chosen is not None and problem.value(found.chosen) > start.objective:
        chosen = found.chosen
    objective = problem.value(chosen)
    return Solution(chosen, objective, max(min(bound, found.bound), objective))


def is_optimal(problem: Problem, solution: Solution) -> bool:
    """Return whether the gap is within the tolerance; not where no bound is known."""
    return solution.bound - solution.objective <= tolerance(problem, solution.objective)


def tolerance(problem: Problem, value: float) -> float:
    """Return the gap up to which a value counts as reached."""
    largest = np.abs(problem.importance).max(initial=0.0)
    charged = 2.0 * problem.balance * np.abs(problem.similarity).max(initial=0.0)
    return TOLERANCE * float(max(1.0, abs(value), largest, charged))


def _easy(problem: Problem, n_chosen: int) -> Solution | None:
    """Return the optimum where no search is needed: all features, one, or nothing charged."""
    if n_chosen == problem.n_features:
        chosen = np.arange(n_chosen, dtype=np.int64)
    elif n_chosen <= 1 or problem.balance == 0.0:
        best_first = np.argsort(-problem.importance, kind="stable")
        chosen = np.sort(best_first[:n_chosen]).astype(np.int64)
    else:
        return None
    value = problem.value(chosen)
    return Solution(chosen, value, value)
