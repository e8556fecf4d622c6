"""How a solver got to where it ended."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Trace:
    """Objective and gap at each iteration, for a plot.

    Attributes
    ----------
    seconds : (iterations + 1,) array, since the start
    objectives : (iterations + 1,) array
    gaps : (iterations + 1,) array, relative and proven at that iteration
    """

    seconds: NDArray[np.float64]
    objectives: NDArray[np.float64]
    gaps: NDArray[np.float64]

    @classmethod
    def empty(cls) -> Self:
        """Return the trace of no iterations."""
        return cls(np.empty(0), np.empty(0), np.empty(0))


class Recorder:
    """Collects a trace."""

    def __init__(self) -> None:
        self._started = time.perf_counter()
        self._rows: list[tuple[float, float, float]] = []

    def add(self, objective: float, gap: float) -> None:
        """Record where an iteration ended."""
        self._rows.append((time.perf_counter() - self._started, objective, gap))

    def trace(self) -> Trace:
        """Return what was recorded."""
        return Trace(*np.array(self._rows, dtype=np.float64).reshape(-1, 3).T)
