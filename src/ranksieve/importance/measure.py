"""A measure of each feature as a ranking function."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import Block, RankingData
from ranksieve.errors import DataError
from ranksieve.importance.base import Importance
from ranksieve.measures import Measure, parse_measure
from ranksieve.passes import run


@dataclass(frozen=True)
class MeasureImportance(Importance):
    """Mean measure of the ranking by one feature, in its better direction (GAS-E).

        score(f) = max(measure of ranking by f, measure of ranking by -f)

    The direction is that of the mean over queries, not of each query. Documents with equal
    values are averaged over all their orders, whatever the measure's own rule for ties: in a
    file sorted by grade, row order would hand the grades to a constant feature. A constant
    feature scores what a random order scores.

    Parameters
    ----------
    measure : str or Measure

    Notes
    -----
    Cost: two sorts a query and feature, O(p n log m); memory of one column a thread.
    Geng, Liu, Qin and Li, Feature selection for ranking (2007), section 2.2.

    Examples
    --------
    >>> from ranksieve import load
    >>> data = load(([[1.0, 3.0], [2.0, 3.0], [3.0, 3.0]], [2, 1, 0], [1, 1, 1]))
    >>> MeasureImportance("map").scores(data)
    array([1.        , 0.80555556])
    """

    measure: str | Measure = "map"

    def scores(self, data: RankingData) -> NDArray[np.float64]:
        """Return the better of both directions for each feature."""
        upwards, downwards = self.both_directions(data)
        return np.maximum(upwards, downwards)

    def directions(self, data: RankingData) -> NDArray[np.float64]:
        """Return 1 where ranking by the feature is at least as good as by its negative, or -1."""
        upwards, downwards = self.both_directions(data)
        return np.where(upwards >= downwards, 1.0, -1.0)

    def both_directions(self, data: RankingData) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the measure of ranking by each feature, and by its negative."""
        measure = parse_measure(self.measure).with_ties("average")
        measure.check_grades(data.y)
        sums, n_voters = run(_MeasurePass(measure), data, label="importance")
        if n_voters == 0:
            raise DataError(
                f"{measure} leaves out every query: none has what it needs. Check the grades."
            )
        means = sums / n_voters
        return means[0], means[1]


@dataclass(frozen=True, eq=False)
class _MeasurePass:
    measure: Measure

    def partial(self, piece: Block) -> tuple[NDArray[np.float64], int]:
        y = np.ascontiguousarray(piece.y[piece.rows])
        query_ptr = piece.query_ptr - piece.query_ptr[0]
        sums = np.empty((2, piece.n_features))
        n_voters = 0
        for feature in range(piece.n_features):
            column = piece.X[piece.rows, feature].astype(np.float64)
            for row, scores in enumerate((column, -column)):
                values = self.measure.values(y, scores, query_ptr)
                votes = ~np.isnan(values)
                n_voters = int(votes.sum())
                sums[row, feature] = values[votes].sum()
        return sums, n_voters

    def combine(
        self, left: tuple[NDArray[np.float64], int], right: tuple[NDArray[np.float64], int]
    ) -> tuple[NDArray[np.float64], int]:
        return left[0] + right[0], left[1] + right[1]
