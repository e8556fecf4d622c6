"""A measure of each feature as a ranking function."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import RankingData
from ranksieve.errors import DataError
from ranksieve.importance._evidence import ROUNDING, evidence_of, is_significant
from ranksieve.importance._ranked import DirectedImportance, RankedPass, RankedPiece
from ranksieve.kernels.importance.ranked import sort_both_ways
from ranksieve.measures import Measure, parse_measure
from ranksieve.passes import SumPass

# Features that are measured in one call: enough to hide what a call from Python costs.
_FEATURES = 16


@dataclass(frozen=True)
class MeasureImportance(DirectedImportance):
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
    Better than a random order: Student's t over the queries that count of the value in the
    better direction less the mean over all orders of the query's documents, which is what a
    constant feature has there.

    Cost: one sort per query and feature, O(p n), and twice the measure of sorted documents;
    memory of a piece's orders a thread.
    Geng, Liu, Qin and Li, Feature selection for ranking (2007), section 2.2.

    Examples
    --------
    >>> from ranksieve import load
    >>> data = load(([[1.0, 3.0], [2.0, 3.0], [3.0, 3.0]], [2, 1, 0], [1, 1, 1]))
    >>> MeasureImportance("map").scores(data)
    array([1.        , 0.80555556])
    """

    measure: str | Measure = "map"

    def _pass(self, data: RankingData) -> RankedPass:
        measure = parse_measure(self.measure).with_ties("average")
        measure.check_grades(data.y)
        return _MeasurePass(measure)

    def _both(self, total: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        sums, n_voters, _ = total
        if n_voters == 0:
            raise DataError(
                f"{parse_measure(self.measure)} leaves out every query: none has what it needs. "
                "Check the grades."
            )
        return sums[0] / n_voters, sums[1] / n_voters

    def _significant(self, total: Any, data: RankingData) -> NDArray[np.bool_]:
        (falling, rising), n_voters, evidence = total
        better = np.where(falling >= rising, evidence[:, 0], evidence[:, 1])
        return is_significant(better, n_voters)


@dataclass(frozen=True, eq=False)
class _MeasurePass(SumPass):
    measure: Measure

    def partial(self, piece: RankedPiece) -> tuple[NDArray[np.float64], int, NDArray[np.float64]]:
        order, group_end = piece.ranked
        sums, evidence = np.empty((2, len(order))), np.empty((3, 2, len(order)))
        of_random = self._of_random_orders(piece)
        votes = ~np.isnan(of_random[0])
        for low in range(0, len(order), _FEATURES):
            features = slice(low, low + _FEATURES)
            values = self._values(piece, order[features], group_end[features])[:, :, votes]
            sums[:, features] = values.sum(axis=2).T
            differences = values - of_random[:, votes]
            differences[np.abs(differences) <= ROUNDING] = 0.0
            evidence[:, :, features] = evidence_of(differences).swapaxes(1, 2)
        return sums, int(votes.sum()), evidence

    def _of_random_orders(self, piece: RankedPiece) -> NDArray[np.float64]:
        """Return the mean over all orders, by way and query: what a constant feature has."""
        rows = np.arange(len(piece.y), dtype=np.int32)[None]
        ends = np.repeat(piece.query_ptr[1:], np.diff(piece.query_ptr)).astype(np.int32)[None]
        by_way: NDArray[np.float64] = self._values(piece, rows, ends)[0]
        return by_way

    def _values(
        self, piece: RankedPiece, order: NDArray[np.int32], group_end: NDArray[np.int32]
    ) -> NDArray[np.float64]:
        """Return the measure by feature, way and query, of one long list of queries."""
        n_features, n = order.shape
        grades, scores = np.empty((2, n_features, 2, n))
        sort_both_ways(order, group_end, piece.y, grades, scores)
        ways = np.stack([piece.query_ptr[:-1], (n - piece.query_ptr[::-1])[:-1]])
        starts = ways + n * np.arange(2 * n_features).reshape(n_features, 2, 1)
        query_ptr = np.append(starts.ravel(), grades.size)
        values = self.measure.values(grades.ravel(), scores.ravel(), query_ptr)
        values = values.reshape(n_features, 2, -1)
        # Added in the same order, equal values of both ways have equal sums.
        return np.stack([values[:, 0], values[:, 1, ::-1]], axis=1)
