"""Absolute Pearson correlation of all pairs of features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import Block, RankingData
from ranksieve.kernels.linear.gram import add_gram
from ranksieve.kernels.similarity.deviations import write_deviations
from ranksieve.passes import run
from ranksieve.passes.units import feature_units
from ranksieve.similarity.base import Similarity


@dataclass(frozen=True)
class PearsonSimilarity(Similarity):
    """Absolute value of the Pearson correlation of two features over all documents.

        sim(f, g) = |sum (f - mean f)(g - mean g)| / sqrt(sum (f - mean f)^2 sum (g - mean g)^2)

    Sums run over all documents of the data, whatever their query, as in FSMRank. Between 0
    and 1: 1 for a feature with itself, with its negative, and with any linear function of it.
    A feature that is constant over all documents has no correlation: 0 with all, itself
    included. One that is constant inside each query only may have one. One-document queries
    count like all others.

    Notes
    -----
    Cost: O(n p^2) products (n documents, p features), and O(p^2) memory besides O(p) values a
    document of the piece that a thread works on. Pieces are combined by their means and
    products of deviations, not by sums of squares, so that a small spread around a large mean
    keeps its digits. Chan, Golub and LeVeque, Algorithms for computing the sample variance,
    The American Statistician 1983. Lai, Pan, Tang and Yu, FSMRank, 2013.

    Examples
    --------
    >>> from ranksieve import load
    >>> X = [[1.0, -2.0, 1.0], [2.0, -4.0, 0.0], [3.0, -6.0, 1.0]]
    >>> PearsonSimilarity().matrix(load((X, [0, 1, 2], [1, 1, 2])))
    array([[1., 1., 0.],
           [1., 1., 0.],
           [0., 0., 1.]])
    """

    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    ignores_sign: ClassVar[bool] = True

    def matrix(self, data: RankingData) -> NDArray[np.float64]:
        """Return the absolute correlation of all pairs of features."""
        upper = np.triu(run(_MomentsPass(feature_units(data)), data, label="similarity").products)
        products = np.abs(upper + np.triu(upper, 1).T)
        squares = np.diag(products)
        roots = np.sqrt(np.outer(squares, squares))
        return np.minimum(_quotient(products, roots), 1.0)


class _Moments(NamedTuple):
    """Means (centre + scale * offset) and products of deviations, in units of `scale`.

    The mean is in two parts, as one number would round a small spread around it away.
    """

    n: int
    centre: NDArray[np.float64]
    scale: NDArray[np.float64]
    offset: NDArray[np.float64]
    products: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class _MomentsPass:
    units: NDArray[np.float64]

    def partial(self, piece: Block) -> _Moments:
        n, p = piece.n_documents, piece.n_features
        centre, scale = np.empty(p), np.empty(p)
        deviations = np.empty((n, p), order="F")
        rows = piece.rows
        write_deviations(piece.X, rows.start, rows.stop, self.units, centre, scale, deviations)
        offset = deviations.mean(axis=0)
        products = -n * np.outer(offset, offset)
        add_gram(deviations, products)
        return _Moments(n, centre, scale, offset, products)

    def combine(self, left: _Moments, right: _Moments) -> _Moments:
        n = left.n + right.n
        apart = right.centre - left.centre
        scale = np.maximum.reduce([left.scale, right.scale, _power_of_two(np.abs(apart))])
        by_left, by_right = _quotient(left.scale, scale), _quotient(right.scale, scale)
        difference = _quotient(apart, scale) + right.offset * by_right - left.offset * by_left
        products = (
            left.products * np.outer(by_left, by_left)
            + right.products * np.outer(by_right, by_right)
            + np.outer(difference, difference) * (left.n * (right.n / n))
        )
        offset = left.offset * by_left + difference * (right.n / n)
        return _Moments(n, left.centre, scale, offset, products)


def _quotient(above: NDArray[np.float64], below: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return above / below, and 0 where `below` is 0."""
    quotient: NDArray[np.float64] = np.divide(
        above, below, out=np.zeros_like(above), where=below > 0
    )
    return quotient


def _power_of_two(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the largest powers of two that are at most the values; 0 for 0."""
    return np.where(values > 0, np.ldexp(1.0, np.frexp(values)[1] - 1), 0.0)
