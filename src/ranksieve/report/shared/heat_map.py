"""The similarity of features as a grid of cells, ordered by cluster."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ranksieve.report.shared.similarity_facts import SimilarityFacts

# The number of values that cells take: steps of at most 0.01 where similarity goes from 0 to 1.
N_LEVELS = 101


@dataclass(frozen=True, eq=False)
class HeatMap:
    """Cells of a picture: each the mean scaled similarity of two groups of adjacent features.

    Attributes
    ----------
    edges : (n + 1,) array of int
        Cell i stands for the features order[edges[i]:edges[i + 1]]: one, unless there are
        more features than cells.
    values : (n, n) array of float
    range : tuple of float
        What the first and the last shade stand for: the least cell, rounded down to a
        twentieth (of unrelated features Kendall's similarity is 0.5), and the largest value
        that can occur.
    """

    edges: NDArray[np.int64]
    values: NDArray[np.float64]
    range: tuple[float, float]

    @classmethod
    def of(cls, facts: SimilarityFacts, most_cells: int) -> Self:
        """Return a map of at most `most_cells` by `most_cells` cells."""
        return cls.of_order(facts.scaled, facts.order, facts.range, most_cells)

    @classmethod
    def of_order(
        cls,
        scaled: NDArray[np.float64],
        order: NDArray[np.int64],
        possible: tuple[float, float],
        most_cells: int,
    ) -> Self:
        """Return a map of some features in an order, of values between two possible ones."""
        n = len(order)
        cells = min(n, most_cells)
        edges = np.round(np.linspace(0, n, cells + 1)).astype(np.int64)
        ordered = scaled[np.ix_(order, order)]
        if cells:
            sums = np.add.reduceat(np.add.reduceat(ordered, edges[:-1], 0), edges[:-1], 1)
            ordered = sums / np.outer(np.diff(edges), np.diff(edges))
        return cls(edges, ordered, (_rounded_down(ordered, *possible), possible[1]))

    def cell_names(self, names: Sequence[str]) -> list[str]:
        """Return the names of the cells, from those of the features in their order."""
        ends = zip(self.edges[:-1].tolist(), self.edges[1:].tolist(), strict=True)
        return [
            names[start] if stop == start + 1 else f"{names[start]} to {names[stop - 1]}"
            for start, stop in ends
        ]

    @property
    def levels(self) -> NDArray[np.uint8]:
        """Number of the shade of each cell, 0 to 100."""
        low, high = self.range
        shares = (self.values - low) / (high - low)
        return np.rint(np.clip(shares, 0.0, 1.0) * (N_LEVELS - 1)).astype(np.uint8)


def _rounded_down(values: NDArray[np.float64], least: float, largest: float) -> float:
    if not values.size:
        return least
    # To the nearest twentieth below; rounded because 0.15 is 3 / 20, not 3 * 0.05. Copies of one
    # feature have the largest value everywhere, which leaves no range.
    low = min(float(np.floor(values.min() * 20.0) / 20.0), largest - 0.05)
    return max(low, least)
