"""Thresholds of features, and the documents that are above them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import RankingData
from ranksieve.passes import by_column

# Bins are kept in a byte.
MOST_THRESHOLDS = 255


@dataclass(frozen=True, eq=False)
class Binned:
    """How many of its feature's thresholds each value is above: what RankBoost reads each round.

    Attributes
    ----------
    thresholds : list of arrays, rising, one per feature
    bins : (features, documents) array of uint8
    n_cuts : (features,) array of int64, thresholds of each feature
    """

    thresholds: list[NDArray[np.float64]]
    bins: NDArray[np.uint8]
    n_cuts: NDArray[np.int64]


def binned(data: RankingData, n_thresholds: int) -> Binned:
    """Return the data in bins between at most `n_thresholds` thresholds a feature."""
    bins = np.empty((data.n_features, data.n_documents), dtype=np.uint8)

    def work(column: NDArray[Any], feature: int) -> NDArray[np.float64]:
        thresholds = thresholds_of(column, n_thresholds)
        bins[feature] = np.searchsorted(thresholds, column.astype(np.float64), side="left")
        return thresholds

    thresholds = by_column(work, data, label="thresholds")
    return Binned(thresholds, bins, np.array([len(column) for column in thresholds], np.int64))


def thresholds_of(column: NDArray[Any], n_thresholds: int) -> NDArray[np.float64]:
    """Return thresholds between all neighbouring values, or at quantiles where there are more.

    A threshold lies half-way between two values, so that a value which was rounded to float32
    is on the same side of it; only of neighbours that are one number in float32 it cannot be.

    Examples
    --------
    >>> thresholds_of(np.array([3.0, 1.0, 1.0, 2.0]), 255)
    array([1.5, 2.5])
    >>> thresholds_of(np.arange(100.0), 3)
    array([24.5, 49.5, 74.5])
    """
    ordered = np.sort(column.astype(np.float64))
    cuts = np.flatnonzero(ordered[1:] != ordered[:-1]) + 1
    if len(cuts) > n_thresholds:
        shares = np.arange(1, n_thresholds + 1) * len(ordered) / (n_thresholds + 1)
        places = np.unique(np.searchsorted(cuts, shares))
        cuts = cuts[places[places < len(cuts)]]
    return _between(ordered[cuts - 1], ordered[cuts])


def _between(low: NDArray[np.float64], high: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return numbers t with low <= t < high, also of both in float32 where these differ."""
    with np.errstate(over="ignore"):
        low32 = low.astype(np.float32).astype(np.float64)
        high32 = high.astype(np.float32).astype(np.float64)
    differ = low32 < high32
    least = np.where(differ, np.maximum(low, low32), low)
    limit = np.where(differ, np.minimum(high, high32), high)
    middle = np.maximum(0.5 * low + 0.5 * high, least)
    return np.where(middle < limit, middle, least)
