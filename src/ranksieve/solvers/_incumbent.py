"""What first-order methods keep: the best point so far, and the best bound of the optimum."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ranksieve.solvers._penalised import Penalised
from ranksieve.solvers._trace import Recorder
from ranksieve.solvers.base import Solution


class Incumbent:
    """The lowest point that was seen, and the highest lower bound that was proven.

    Methods with momentum, and subgradient steps, go up at times, and a bound from one point
    may be worse than that from an earlier one. A lower bound of the optimum holds for every
    point, so the best of either kind is kept, and objective and gap never rise.
    """

    def __init__(self, problem: Penalised) -> None:
        self._problem = problem
        self._recorder = Recorder()
        self._weights = np.zeros(problem.risk.n_weights)
        self._objective, self._bound = np.inf, 0.0

    @property
    def gap(self) -> float:
        """The proven gap, relative to the objective."""
        if self._objective <= 0.0:
            return 0.0
        distance = (self._objective - self._bound) / self._objective
        return float(np.clip(distance, 0.0, 1.0))

    def learn(self, w: NDArray[np.float64], value: float, gradient: NDArray[np.float64]) -> None:
        """Take the lower bound that risk and gradient at w prove."""
        self._bound = max(self._bound, self._problem.lower_bound(w, value, gradient))

    def see(self, w: NDArray[np.float64], value: float, gradient: NDArray[np.float64]) -> None:
        """Take w as a candidate, and its lower bound; end the iteration with an entry."""
        self.learn(w, value, gradient)
        objective = value + self._problem.charge.value(w)
        if objective < self._objective:
            self._weights, self._objective = w, objective
        self._recorder.add(self._objective, self.gap)

    def solution(self, n_iter: int, tol: float) -> Solution:
        """Return the best point; converged where its gap is within the tolerance."""
        return Solution(
            self._weights,
            self._objective,
            self.gap,
            n_iter,
            converged=self.gap <= tol,
            trace=self._recorder.trace(),
        )


def starting_weights(
    problem: Penalised, start: NDArray[np.float64] | Solution | None
) -> NDArray[np.float64]:
    """Return the weights to start from, with those at 0 that the charge keeps there.

    All are 0 where no feature tells the documents of a pair apart: that is the optimum then.
    """
    if start is None or not np.any(problem.risk.curvatures):
        return np.zeros(problem.risk.n_weights)
    weights = start.weights if isinstance(start, Solution) else start
    return np.where(np.isfinite(problem.charge.linear), weights, 0.0).astype(np.float64)


def next_momentum(momentum: float) -> float:
    """Return the next of Nesterov's numbers, (1 + sqrt(1 + 4 a^2)) / 2."""
    return 0.5 * (1.0 + float(np.sqrt(1.0 + 4.0 * momentum**2)))
