"""One weight for a feature and its copies, where any division of it would be optimal."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ranksieve.solvers._penalised import Penalised
from ranksieve.solvers.base import Solution

# Curvatures and thresholds of copies, and objectives, may differ by so much of themselves.
_ROUNDING = 1e-11


def without_copies(problem: Penalised, solution: Solution, tol: float) -> Solution:
    """Return a solution as good in which no weight is divided between a feature and a copy.

    A copy or mirror image that is charged like its feature leaves every division of the weight
    between the two optimal, so that rounding would decide how many features are kept. The
    first of them takes all of it. That features are copies is told by the objective: it is
    the same after such a move. Features that differ in curvature or threshold are not tried.

    Notes
    -----
    Cost: one pass over the data for each pair that is tried, none where no two features look
    alike.
    """
    for feature, copy in _candidates(problem, solution.weights):
        w = solution.weights
        if w[feature] == 0.0 or w[copy] == 0.0:
            continue
        trial = w.copy()
        trial[feature] += np.copysign(w[copy], w[feature])
        trial[copy] = 0.0
        objective, gap = problem.gap(trial, *problem.risk.value_and_grad(trial))
        # The bound that the solver proved, maybe at another point, holds for this one too.
        bound = (1.0 - solution.gap) * solution.objective
        gap = min(gap, max(1.0 - bound / objective, 0.0)) if objective > 0.0 else gap
        rounding = _ROUNDING * abs(solution.objective)
        if objective <= solution.objective + rounding and gap <= max(solution.gap, tol):
            solution = replace(solution, weights=trial, objective=objective, gap=gap)
    return solution


def _candidates(problem: Penalised, w: NDArray[np.float64]) -> list[tuple[int, int]]:
    """Return pairs of features with weights, the first one earlier, that look alike."""
    used = w.nonzero()[0]
    curvatures = problem.risk.curvatures[used]
    rising = np.sort(curvatures)
    # As a rule no two curvatures are equal, and there is nothing to do.
    if not (rising[1:] - rising[:-1] <= _ROUNDING * rising[1:]).any():
        return []
    alike = np.triu(np.ones((len(used), len(used)), dtype=bool), 1)
    for numbers in (curvatures, problem.charge.thresholds(w)[used]):
        alike &= np.isclose(numbers[:, None], numbers, rtol=_ROUNDING, atol=0.0)
    return [(int(used[row]), int(used[column])) for row, column in np.argwhere(alike)]
