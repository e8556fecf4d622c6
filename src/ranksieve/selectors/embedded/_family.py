"""Models of one method from sparse to dense, one a number: a strength or a radius."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.penalties import Penalty
from ranksieve.solvers import (
    Regularised,
    Reweighting,
    Risk,
    Solution,
    critical_strength,
    solutions,
    strengths_between,
)


class Family(ABC):
    """Solutions of one risk by a number that makes them sparser or denser."""

    risk: Any

    @abstractmethod
    def solve(self, number: float, start: Solution | None) -> Solution:
        """Return the model at a number, started from that of a number nearby."""

    @abstractmethod
    def grid(self, n_numbers: int) -> NDArray[np.float64]:
        """Return numbers in equal ratios, from the sparsest model to dense ones."""

    def solutions(self, numbers: NDArray[np.float64]) -> Iterator[Solution]:
        """Yield the model at each number, started from the one before."""
        return solutions(self.solve, numbers)


class StrengthFamily(Family):
    """Models by the strength of a penalty."""

    def __init__(
        self, risk: Risk, penalty: Penalty, solver: Reweighting, *, smallest: float
    ) -> None:
        self.risk, self.penalty, self._solver = risk, penalty, solver
        self._smallest = smallest

    def with_penalty(self, penalty: Penalty) -> StrengthFamily:
        """Return the models of the same risk by another penalty."""
        return StrengthFamily(self.risk, penalty, self._solver, smallest=self._smallest)

    def solve(self, number: float, start: Solution | None) -> Solution:
        """Return the solution at a strength."""
        return self._solver.solve(Regularised(self.risk, self.penalty, number), start)

    def grid(self, n_numbers: int) -> NDArray[np.float64]:
        """Return strengths from the one where all weights become 0 down to a share of it."""
        largest = critical_strength(self.risk, self.penalty)
        return strengths_between(largest, self._smallest, n_numbers)
