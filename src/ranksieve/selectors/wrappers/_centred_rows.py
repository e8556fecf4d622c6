"""Documents centred inside their queries: squares of differences over pairs as plain squares."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import Block, RankingData
from ranksieve.errors import DataError
from ranksieve.passes.units import feature_units
from ranksieve.rankers.base import queries_with_pairs


class CentredRows:
    """Documents of queries with several grades, centred inside each query and weighted.

    Of m numbers e, the sum over pairs of (e_i - e_j)^2 is m times the sum of (e_i - mean)^2. So a
    mean over pairs, or over queries of the mean over pairs, is a sum over documents in which each
    query has a weight. Here rows carry its root.

    Parameters
    ----------
    data : RankingData, every query with several grades
    weighting : {"pairs", "queries"}
    standardise : whether to divide features by the roots of their mean squared differences
    """

    def __init__(self, data: RankingData, *, weighting: str, standardise: bool) -> None:
        self._data, self.query_ptr = data, data.query_ptr
        sizes = np.diff(self.query_ptr)
        weights = sizes / float(sizes @ (sizes - 1) / 2)
        if weighting == "queries":
            weights = 2.0 / ((sizes - 1) * len(sizes))
        self._root = np.repeat(np.sqrt(weights), sizes)
        ones = np.ones(data.n_features)
        self._unit = feature_units(data) if standardise else ones
        self._inverse = ones
        if standardise:
            self._inverse = 1.0 / self._deviations()

    @classmethod
    def of(cls, data: RankingData, *, weighting: str, standardise: bool) -> CentredRows | None:
        """Return the rows of queries with several grades; None without any."""
        several = queries_with_pairs(data)
        if not several.any():
            return None
        counted = data if several.all() else data.queries(several)
        # A matrix of what is left of features, and one of what is left with each query left out.
        counted.check_memory(2 * data.n_features, 8)
        return cls(counted.gathered(), weighting=weighting, standardise=standardise)

    def matrix(self) -> NDArray[np.float64]:
        """Return all features, row-major."""
        rows = np.empty((self._data.n_documents, self._data.n_features))
        with np.errstate(over="ignore", invalid="ignore"):
            for block in self._data.blocks():
                for piece in block.cuts():
                    rows[piece.documents] = self._centred(piece)
            finite = np.isfinite(np.einsum("ij,ij->j", rows, rows))
        if not finite.all():
            raise DataError(
                "squares of features, summed over documents, must be finite, but those of "
                f"{np.count_nonzero(~finite)} of {len(finite)} features are not (first: "
                f"{self._data.feature_names[np.argmin(finite)]!r}). Scale the features first."
            )
        return rows

    def column(self, feature: int) -> NDArray[np.float64]:
        """Return one feature: its column of the matrix."""
        values = self._data.column(feature).astype(np.float64) * self._unit[feature]
        centred = _from_mean(values, self.query_ptr)
        centred *= self._root
        centred *= self._inverse[feature]
        return centred

    def grades(self) -> NDArray[np.float64]:
        """Return the grades."""
        centred = _from_mean(self._data.y, self.query_ptr)
        centred *= self._root
        return centred

    def weights_of_features(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what multiplies the features where `weights` multiply the rows here."""
        with np.errstate(over="ignore"):
            coefficients: NDArray[np.float64] = weights * self._inverse * self._unit
        if not np.isfinite(coefficients).all():
            raise DataError(
                "weights must be finite, but features are so small that theirs are beyond the "
                "range of float64. Scale the features first."
            )
        return coefficients

    def _deviations(self) -> NDArray[np.float64]:
        """Return the roots of mean squared differences; 1 for features that are constant."""
        squares = np.zeros(self._data.n_features)
        for block in self._data.blocks():
            for piece in block.cuts():
                squares += (self._centred(piece) ** 2).sum(axis=0)
        roots: NDArray[np.float64] = np.sqrt(squares)
        return np.where(roots > 0.0, roots, 1.0)

    def _centred(self, piece: Block) -> NDArray[np.float64]:
        values = piece.X[piece.rows].astype(np.float64) * self._unit
        centred = _from_mean(values, piece.query_ptr - piece.query_ptr[0])
        centred *= self._root[piece.documents, None]
        centred *= self._inverse
        return centred


def _from_mean(values: NDArray[np.float64], query_ptr: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return values less their mean inside each query, for vectors and matrices."""
    starts, sizes = query_ptr[:-1], np.diff(query_ptr)
    # From the first document on: what is constant in a query becomes 0 without rounding.
    centred: NDArray[np.float64] = values - np.repeat(values[starts], sizes, axis=0)
    sums = np.add.reduceat(centred, starts, axis=0)
    means = sums / sizes.reshape(-1, *[1] * (values.ndim - 1))
    centred -= np.repeat(means, sizes, axis=0)
    return centred
