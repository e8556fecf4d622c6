"""What the stored runs say: changes, sizes, stability and cost of each variant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.sieve_search import UNIT
from benchmarks.sieve_search_data import NAMES
from benchmarks.sieve_search_variants import BASE, PRESENT, VARIANTS
from ranksieve.evaluate import nogueira_stability

Run = dict[str, Any]
Unit = tuple[str, int, int]
# A difference of this many standard errors is more than noise.
CLEAR = 2.0
# The first variants are steps from the prototype to the present search.
STEPS = list(VARIANTS)[: list(VARIANTS).index(PRESENT) + 1]


def reference_of(variant: str) -> str | None:
    """What a variant is compared with: the step before, or the last step that deals once."""
    if variant not in STEPS:
        return BASE
    position = STEPS.index(variant)
    return STEPS[position - 1] if position else None


@dataclass(frozen=True)
class Estimate:
    """A mean over queries, and its standard error."""

    mean: float
    error: float

    @property
    def is_clear(self) -> bool:
        return abs(self.mean) > CLEAR * self.error


class Figures:
    """Stored runs of folds and seeds on which every variant was run."""

    def __init__(self, runs: Sequence[Run]) -> None:
        self._runs = {(_unit(run), run["variant"]): run for run in runs}
        units = dict.fromkeys(unit for unit, _ in self._runs)
        self.units = [u for u in units if all((u, variant) in self._runs for variant in VARIANTS)]
        self.n_left_out = len(runs) - len(self.units) * len(VARIANTS)
        self.data = [name for name in NAMES if any(unit[0] == name for unit in self.units)]

    def folds(self, data: str | None = None) -> dict[tuple[str, int], list[int]]:
        """The seeds of each fold, of some data or of all."""
        folds: dict[tuple[str, int], list[int]] = {}
        for name, fold, seed in self.units:
            if data in (None, name):
                folds.setdefault((name, fold), []).append(seed)
        return folds

    def n_queries(self, data: str | None = None) -> int:
        return len(self._changes(STEPS[0], "choice", data))

    def change(self, variant: str, size: str, data: str | None = None) -> Estimate:
        """The change against all features, over the judging queries."""
        return _estimate(self._changes(variant, size, data))

    def difference(self, variant: str, other: str, size: str, data: str | None = None) -> Estimate:
        """How much better a variant's sets are than those of another, paired by query."""
        changes = self._changes(variant, size, data) - self._changes(other, size, data)
        return _estimate(changes)

    def n_features(self, variant: str, data: str | None = None) -> float:
        """Mean number of features of the choice."""
        return float(np.mean(self.choice_sizes(variant, data)))

    def choice_sizes(self, variant: str, data: str | None = None) -> list[int]:
        """Numbers of features of the choices."""
        return [len(run["sets"]["choice"]) for run in self._of(variant, data)]

    def mean(self, variant: str, name: str, data: str | None = None) -> float:
        """Mean over runs of what is stored under a name, such as seconds."""
        return float(np.mean([run[name] for run in self._of(variant, data)]))

    def stability(self, variant: str, size: str, data: str | None = None) -> float | None:
        """Nogueira's stability over seeds, the mean over folds; None where there is one seed."""
        values = []
        for (name, fold), seeds in self.folds(data).items():
            runs = [self._runs[(name, fold, seed), variant] for seed in seeds]
            selected = np.zeros((len(runs), runs[0]["n_features"]), dtype=bool)
            for row, run in zip(selected, runs, strict=True):
                row[run["sets"][size]] = True
            if len(runs) > 1:
                values.append(nogueira_stability(selected).value)
        numbers = [value for value in values if not np.isnan(value)]
        return float(np.mean(numbers)) if numbers else None

    def _of(self, variant: str, data: str | None) -> list[Run]:
        return [self._runs[unit, variant] for unit in self.units if data in (None, unit[0])]

    def _changes(self, variant: str, size: str, data: str | None) -> NDArray[np.float64]:
        """For each query of all folds, the mean over seeds."""
        parts = []
        for (name, fold), seeds in self.folds(data).items():
            runs = [self._runs[(name, fold, seed), variant] for seed in seeds]
            parts.append(UNIT * np.mean([run["changes"][size] for run in runs], axis=0))
        return np.concatenate(parts)


def _unit(run: Run) -> Unit:
    return run["data"], run["fold"], run["seed"]


def _estimate(values: NDArray[np.float64]) -> Estimate:
    error = float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else np.inf
    return Estimate(float(values.mean()), error)
