"""Models of one method from sparse to dense, and the one with a number of features."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.penalties import Penalty
from ranksieve.progress import step
from ranksieve.solvers import (
    Regularised,
    Reweighting,
    Risk,
    Solution,
    critical_strength,
    solutions,
    strengths_between,
)

_GRID, _HALVINGS = 50, 40
# Numbers this close give models that differ by rounding alone.
_CLOSE = 1e-7
Model = tuple[float, Solution]


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


class Models:
    """The models of a family by their number of features, each solved when first asked for."""

    def __init__(self, family: Family) -> None:
        self._family = family
        self._numbers = family.grid(_GRID)
        self._path: list[Model] = []

    def of_size(self, size: int) -> Model:
        """Return the sparsest model with `size` features, or the next with more of them.

        Features may enter together, copies do, and then no model has exactly that number. Where
        all have fewer, the densest.
        """
        before, after = self._bracket(size)
        if before is None or _size(after) <= size:
            return after
        for halving in range(_HALVINGS):
            if _size(after) == size or abs(np.log(after[0] / before[0])) < _CLOSE:
                break
            with step("search", halving, None):
                middle = self._solved(float(np.sqrt(before[0] * after[0])), before)
            if _size(middle) < size:
                before = middle
            else:
                after = middle
        return after

    def _bracket(self, size: int) -> tuple[Model | None, Model]:
        """Return the last model of the grid with fewer features, and the first without."""
        for index in range(len(self._numbers)):
            if index == len(self._path):
                last = self._path[-1] if self._path else None
                self._path.append(self._solved(float(self._numbers[index]), last))
            if _size(self._path[index]) >= size:
                return (self._path[index - 1] if index else None), self._path[index]
        return None, self._path[-1]

    def _solved(self, number: float, neighbour: Model | None) -> Model:
        return number, self._family.solve(number, None if neighbour is None else neighbour[1])


def _size(model: Model) -> int:
    return int(np.count_nonzero(model[1].weights))


def by_size(weights: NDArray[np.float64], nearness: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return one score per feature: |weight|, and for a weight of 0 how near it is to entering.

    `nearness` is the gradient's size over its threshold, and the score nearness - 1. Where
    gradients are beyond thresholds, which those of nonconvex penalties may be, as weights that
    could leave 0 are kept there, nearness is relative to the largest.

    Examples
    --------
    >>> by_size(np.array([0.5, 0.0]), np.array([1.0, 0.25]))
    array([ 0.5 , -0.75])
    >>> by_size(np.array([0.5, 0.0, 0.0]), np.array([1.0, 2.0, 1.0]))
    array([ 0.5,  0. , -0.5])
    """
    largest = nearness[weights == 0.0].max(initial=1.0)
    return np.where(weights != 0.0, np.abs(weights), nearness / largest - 1.0)
