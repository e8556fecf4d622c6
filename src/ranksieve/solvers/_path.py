"""Solutions over a range of strengths, each started from the one before."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ranksieve.penalties import Penalty, WeightedL1Penalty
from ranksieve.progress import step
from ranksieve.solvers._penalised import Regularised
from ranksieve.solvers._protocols import Risk
from ranksieve.solvers.base import Solution
from ranksieve.solvers.reweighting import Reweighting


@dataclass(frozen=True, eq=False)
class Path:
    """Solutions by falling strength.

    Attributes
    ----------
    strengths : (strengths,) array, falling; at the first all weights that are charged are 0
    weights : (strengths, features) array
    objectives, gaps : (strengths,) arrays, see `Solution`
    converged : (strengths,) array of bool
    n_iter : (strengths,) array, steps of the solver
    """

    strengths: NDArray[np.float64]
    weights: NDArray[np.float64]
    objectives: NDArray[np.float64]
    gaps: NDArray[np.float64]
    converged: NDArray[np.bool_]
    n_iter: NDArray[np.int64]

    @property
    def n_features(self) -> NDArray[np.int64]:
        """Return how many weights are not 0, by strength."""
        counts: NDArray[np.int64] = np.sum(self.weights != 0.0, axis=1, dtype=np.int64)
        return counts


def critical_strength(risk: Risk, penalty: Penalty) -> float:
    """Return the least strength at which all weights that are charged are 0."""
    _, gradient = risk.value_and_grad(np.zeros(risk.n_weights))
    critical = penalty.critical_strength(gradient)
    if np.isfinite(critical):
        return critical
    # Some weights are free at every strength: what counts is the gradient beside them.
    free = penalty.first_charge(risk.n_weights, 1.0).linear == 0.0
    alone = Regularised(risk, WeightedL1Penalty(np.where(free, 0.0, np.inf).tolist()), 1.0)
    _, gradient = risk.value_and_grad(Reweighting().solve(alone).weights)
    return penalty.critical_strength(np.where(free, 0.0, gradient))


def strengths_between(largest: float, smallest: float, n_strengths: int) -> NDArray[np.float64]:
    """Return strengths from `largest` down to its share `smallest`, in equal ratios."""
    if largest <= 0.0:
        # Nothing to learn: any strength gives weights of 0.
        largest = 1.0
    # A share of the smallest numbers is 0, which no ratio leads to.
    least = max(smallest * largest, float(np.nextafter(0.0, 1.0)))
    return np.geomspace(largest, least, n_strengths)


def solutions(
    solve: Callable[[float, Solution | None], Solution], numbers: NDArray[np.float64]
) -> Iterator[Solution]:
    """Yield solve(number, start) for each number, started from the solution before."""
    solution: Solution | None = None
    for done, number in enumerate(numbers):
        with step("path", done, len(numbers)):
            solution = solve(float(number), solution)
        yield solution


def path(risk: Risk, penalty: Penalty, strengths: NDArray[np.float64], solver: Reweighting) -> Path:
    """Return the solutions at falling strengths."""

    def solve(strength: float, start: Solution | None) -> Solution:
        return solver.solve(Regularised(risk, penalty, strength), start)

    models = list(solutions(solve, strengths))
    return Path(
        strengths,
        np.array([model.weights for model in models]),
        np.array([model.objective for model in models]),
        np.array([model.gap for model in models]),
        np.array([model.converged for model in models]),
        np.array([model.n_iter for model in models], dtype=np.int64),
    )
