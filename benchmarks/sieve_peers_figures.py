"""What the stored cells say: sizes, changes, seconds and stability of each set of features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.sieve_peer_data import NAMES
from benchmarks.sieve_peer_methods import DETERMINISTIC, METHODS
from ranksieve.evaluate import nogueira_stability, randomisation_test

Cell = dict[str, Any]
SIGNIFICANT = 0.05


@dataclass(frozen=True)
class Comparison:
    """A paired difference over test queries, as an amount and as a share of what it is beside."""

    amount: float
    share: float
    p_value: float
    n_queries: int

    @property
    def is_worse(self) -> bool:
        return self.amount < 0 and self.p_value < SIGNIFICANT

    @property
    def is_better(self) -> bool:
        return self.amount > 0 and self.p_value < SIGNIFICANT


class Figures:
    """Stored cells, and what follows from them; a set is named by data and by its own name."""

    def __init__(self, cells: list[Cell]) -> None:
        self._cells = cells
        self.data = [name for name in NAMES if self._of(name, "all")]

    def set_names(self, data: str | None = None) -> list[str]:
        """Sets that were made and judged on all folds of some data, in the order of METHODS."""
        names = [
            name
            for method in METHODS
            for cell in self._cells
            if cell["method"] == method and data in (None, cell["data"])
            for name in cell["sets"]
        ]
        present = dict.fromkeys(names)
        if data is None:
            return [name for name in present if all(self.is_complete(d, name) for d in self.data)]
        return [name for name in present if self.is_complete(data, name)]

    def is_complete(self, data: str, name: str) -> bool:
        return len(self._of(data, name)) == len(self._of(data, "all")) > 0

    def n_all(self, data: str) -> int:
        return int(self._of(data, "all")[0]["n_features"])

    def n_folds(self, data: str) -> int:
        return len(self._of(data, "all"))

    def sizes(self, data: str, name: str) -> list[int]:
        return [len(cell["sets"][name]) for cell in self._of(data, name)]

    def seconds(self, data: str, name: str) -> float:
        """CPU seconds of the selection, the mean over folds."""
        return float(np.mean([cell["seconds"] for cell in self._of(data, name)]))

    def cost(self, data: str, name: str) -> float | None:
        costs = [cell["costs"][name] for cell in self._of(data, name) if "costs" in cell]
        return float(np.mean(costs)) if costs else None

    def features(self, data: str, name: str) -> list[int]:
        """The set of the first fold."""
        return list(self._of(data, name)[0]["sets"][name])

    def values(self, data: str, name: str) -> NDArray[np.float64]:
        """The measure of all test queries, fold after fold; NaN where a query does not count."""
        parts = [cell["ndcg"][name] for cell in self._of(data, name)]
        return np.array([value for part in parts for value in part], dtype=np.float64)

    def mean(self, data: str, name: str) -> float:
        return float(np.nanmean(self.values(data, name)))

    def comparison(self, data: list[str], name: str, beside: str = "all") -> Comparison:
        """A set beside another one, over the test queries of all folds of some data sets."""
        return self.mean_comparison(data, [name], [beside])

    def mean_comparison(self, data: list[str], names: list[str], beside: list[str]) -> Comparison:
        """Some sets beside as many others: for each query the mean over the sets."""
        a = np.mean([self._joined(data, each) for each in names], axis=0)
        b = np.mean([self._joined(data, each) for each in beside], axis=0)
        test = randomisation_test(a, b)
        share = test.mean_difference / float(np.nanmean(b))
        return Comparison(test.mean_difference, share, test.p_value, test.n)

    def _joined(self, data: list[str], name: str) -> NDArray[np.float64]:
        return np.concatenate([self.values(each, name) for each in data])

    def fold_stability(self, data: str, name: str) -> float | None:
        cells = self._of(data, name)
        return _stability(cells, name) if len(cells) > 1 else None

    def seed_stability(self, data: str, name: str) -> float | None:
        """On the first fold; None where only one seed was run, though they matter."""
        cells = [
            cell
            for cell in self._cells
            if cell["data"] == data and cell["fold"] == 1 and name in cell["sets"]
        ]
        if self.is_deterministic(name):
            return 1.0
        return _stability(cells, name) if len(cells) > 1 else None

    def is_deterministic(self, name: str) -> bool:
        return any(cell["method"] in DETERMINISTIC for cell in self._cells if name in cell["sets"])

    def _of(self, data: str, name: str) -> list[Cell]:
        return [
            cell
            for cell in self._cells
            if cell["data"] == data and cell["seed"] == 0 and name in cell["sets"]
        ]


def _stability(cells: list[Cell], name: str) -> float:
    selected = np.zeros((len(cells), cells[0]["n_features"]), dtype=bool)
    for row, cell in zip(selected, cells, strict=True):
        row[cell["sets"][name]] = True
    return nogueira_stability(selected).value
