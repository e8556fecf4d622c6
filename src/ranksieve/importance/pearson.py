"""Pearson's correlation of a feature with the grade."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import RankingData
from ranksieve.importance._ranked import DirectedImportance, RankedPass, RankedPiece
from ranksieve.passes.units import feature_units, unit_of


@dataclass(frozen=True)
class PearsonImportance(DirectedImportance):
    """Absolute correlation of a feature with the grade, over all documents.

        score(f) = |cov(f, grade)| / (deviation of f * deviation of the grade)

    Between 0 and 1. Queries are not told apart: values are compared across them. A constant
    feature scores 0, and so do all features where there is one grade only. Grades may be
    real numbers.

    Notes
    -----
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


class _Moments(NamedTuple):
    """Means, and sums of squares and products around them."""

    n: int
    x_mean: NDArray[np.float64]
    y_mean: float
    x_squares: NDArray[np.float64]
    y_squares: float
    products: NDArray[np.float64]


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
        )

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
        )
