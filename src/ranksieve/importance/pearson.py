"""Pearson's correlation of a feature with the grade."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import RankingData
from ranksieve.importance._evidence import is_significant
from ranksieve.importance._ranked import DirectedImportance, RankedPass, RankedPiece
from ranksieve.kernels.importance.differences import add_covariances
from ranksieve.passes.units import feature_units, unit_of


@dataclass(frozen=True)
class PearsonImportance(DirectedImportance):
    """Absolute correlation of a feature with the grade, over all documents.

        score(f) = |cov(f, grade)| / (deviation of f * deviation of the grade)

    Between 0 and 1. Queries play no part: values are compared across them. A constant
    feature scores 0, and so do all features where there is one grade only. Grades may be
    real numbers.

    Notes
    -----
    Better than a random order of the documents within queries: Student's t over the queries with
    two grades of

        sum over the query's documents of (f - mean of f) * (grade - mean grade), means of the query

    in the direction of the correlation. Shuffled grades have 0 there on average, so that it
    is by this sum that a feature is above them. A property of the query is never better.

    Cost: O(p n), memory of a piece in float64. Means and squares are combined from piece to
    piece around their means, so that a large mean does not hide a small spread.

    Examples
    --------
    >>> from ranksieve import load
    >>> data = load(([[1.0, 3.0], [2.0, 3.0], [3.0, 3.0]], [2, 1, 0], [1, 1, 1]))
    >>> PearsonImportance().scores(data)
    array([1., 0.])
    """

    def _pass(self, data: RankingData) -> RankedPass:
        return _MomentPass(feature_units(data), float(unit_of(np.abs(data.y).max())))

    def _both(self, total: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        spread = np.sqrt(total.x_squares) * np.sqrt(total.y_squares)
        correlation = np.divide(
            total.products, spread, where=spread > 0.0, out=np.zeros(len(spread))
        )
        correlation = np.clip(correlation, -1.0, 1.0)
        return correlation, 0.0 - correlation

    def _significant(self, total: Any, data: RankingData) -> NDArray[np.bool_]:
        towards = np.where(total.products >= 0.0, 1.0, -1.0)
        evidence = np.stack([towards * total.evidence[0], *total.evidence[1:]])
        return is_significant(evidence, total.n_graded)


class _Moments(NamedTuple):
    """Means, sums of squares and products around them, and products inside queries."""

    n: int
    x_mean: NDArray[np.float64]
    y_mean: float
    x_squares: NDArray[np.float64]
    y_squares: float
    products: NDArray[np.float64]
    evidence: NDArray[np.float64]
    n_graded: int


@dataclass(frozen=True, eq=False)
class _MomentPass:
    units: NDArray[np.float64]
    grade_unit: float

    def partial(self, piece: RankedPiece) -> _Moments:
        X = piece.block.X[piece.block.rows].astype(np.float64) * self.units
        y = piece.y * self.grade_unit
        # A constant's mean may differ from it in the last digit, and then it would correlate.
        x_mean = np.where(X.min(axis=0) == X.max(axis=0), X[0], X.mean(axis=0))
        y_mean = float(y[0] if y.min() == y.max() else y.mean())
        X -= x_mean
        y -= y_mean
        # Not by matrix products: their last digit depends on the threads of the library below.
        return _Moments(
            len(y),
            x_mean,
            y_mean,
            np.einsum("ij,ij->j", X, X),
            float(np.einsum("i,i", y, y)),
            np.einsum("i,ij->j", y, X),
            self._evidence(piece),
            piece.n_graded,
        )

    def _evidence(self, piece: RankedPiece) -> NDArray[np.float64]:
        evidence = np.zeros((3, piece.block.n_features))
        y = _centred(piece.y * self.grade_unit, piece.query_ptr)
        add_covariances(piece.block.X, piece.block.query_ptr, y, self.units, evidence)
        return evidence

    def combine(self, left: _Moments, right: _Moments) -> _Moments:
        n = left.n + right.n
        x_step, y_step = right.x_mean - left.x_mean, right.y_mean - left.y_mean
        share, weight = right.n / n, left.n * right.n / n
        return _Moments(
            n,
            left.x_mean + share * x_step,
            left.y_mean + share * y_step,
            left.x_squares + right.x_squares + weight * x_step**2,
            left.y_squares + right.y_squares + weight * y_step**2,
            left.products + right.products + weight * x_step * y_step,
            left.evidence + right.evidence,
            left.n_graded + right.n_graded,
        )


def _centred(y: NDArray[np.float64], query_ptr: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return grades less their mean in each query; exactly 0 where all are equal."""
    starts, sizes = query_ptr[:-1], np.diff(query_ptr)
    above_first = y - np.repeat(y[starts], sizes)
    means = np.add.reduceat(above_first, starts) / sizes
    centred: NDArray[np.float64] = above_first - np.repeat(means, sizes)
    return centred
