"""Means and deviations of features over all documents, by a pass."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import Block, RankingData
from ranksieve.errors import DataError
from ranksieve.passes import run
from ranksieve.passes.units import feature_units

# A deviation of this many roundings of the mean is no information.
_CONSTANT = 10 * np.finfo(np.float64).eps


@dataclass(frozen=True, eq=False)
class Standard:
    """z = (unit x - mean) / deviation, over all documents; 0 for a constant feature.

    The unit is a power of two that keeps squares inside the range of float64.
    """

    unit: NDArray[np.float64]
    mean: NDArray[np.float64]
    inverse: NDArray[np.float64]  # 1 / deviation, or 0

    @classmethod
    def of(cls, data: RankingData) -> Standard:
        """Take means and deviations: two passes over float64 data, one over float32."""
        unit, mean, deviation = _moments(data)
        varies = deviation > _CONSTANT * np.abs(mean)
        inverse = np.divide(1.0, deviation, out=np.zeros_like(deviation), where=varies)
        return cls(unit, mean, inverse)

    def rows(self, piece: Block) -> NDArray[np.float64]:
        """Return z of a piece's documents, column-major."""
        Z = _in_units(piece, self.unit)
        Z -= self.mean
        Z *= self.inverse
        return Z

    def weights_of_features(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what multiplies the features where `weights` multiply z (along the last axis)."""
        with np.errstate(over="ignore"):
            folded: NDArray[np.float64] = weights * self.inverse * self.unit
        if not np.isfinite(folded).all():
            raise DataError(
                "weights must be finite, but features are so small that theirs are beyond the "
                "range of float64. Scale the features first."
            )
        return folded

    def offsets(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what `weights` on z add beside their product with the features."""
        moved: NDArray[np.float64] = -(weights @ (self.mean * self.inverse))
        return moved


def total_variance(data: RankingData) -> float:
    """Return the sum of the features' variances: half the mean squared distance of documents."""
    unit, _, deviation = _moments(data)
    with np.errstate(over="ignore"):
        return float(np.sum((deviation / unit) ** 2))


def _moments(
    data: RankingData,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return the features' units, and means and deviations in these units."""
    unit = feature_units(data)
    n, mean, squares = run(_MomentPass(unit), data, label="means")
    return unit, mean, np.sqrt(squares / n)


_Moments = tuple[int, NDArray[np.float64], NDArray[np.float64]]


@dataclass(frozen=True, eq=False)
class _MomentPass:
    """Documents, means and sums of squared deviations: added without cancellation."""

    unit: NDArray[np.float64]

    def partial(self, piece: Block) -> _Moments:
        Z = _in_units(piece, self.unit)
        mean = Z.mean(axis=0)
        Z -= mean
        return len(Z), mean, np.einsum("ij,ij->j", Z, Z)

    def combine(self, left: _Moments, right: _Moments) -> _Moments:
        n = left[0] + right[0]
        apart = right[1] - left[1]
        share = right[0] / n
        return n, left[1] + share * apart, left[2] + right[2] + left[0] * share * apart**2


def _in_units(piece: Block, unit: NDArray[np.float64]) -> NDArray[np.float64]:
    values: NDArray[np.float64] = np.multiply(
        piece.X[piece.rows], unit, dtype=np.float64, order="F"
    )
    return values
