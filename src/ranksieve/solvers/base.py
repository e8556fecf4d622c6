"""What a solver gives."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ranksieve.errors import ParameterError
from ranksieve.solvers._penalised import Penalised
from ranksieve.solvers._trace import Trace


@dataclass(frozen=True, eq=False)
class Solution:
    """Where a solver ended.

    Attributes
    ----------
    weights : the best point found
    objective : its value
    gap : an upper bound of (objective - optimum) / objective, at most 1
    n_iter : iterations made
    converged : whether the gap is within the tolerance
    trace : objective and gap by iteration and second
    state : what the solver can go on from, for the next problem of a path
    """

    weights: NDArray[np.float64]
    objective: float
    gap: float
    n_iter: int
    converged: bool
    trace: Trace = field(default_factory=Trace.empty)
    state: Any = None


class Solver(ABC):
    """Finds the minimum of a problem: a `Problem`, or `Penalised` where `solves` says so."""

    solves: ClassVar[type] = Penalised

    @abstractmethod
    def solve(self, problem: Any, start: Any = None) -> Solution:
        """Minimise from `start` (weights, or the solution of a problem nearby), or from zero."""


def check_positive(name: str, value: float) -> None:
    """Raise unless a parameter is a finite number above 0."""
    if not 0.0 < value < np.inf:
        raise ParameterError(f"{name} must be a number above 0, but is {value!r}")
