"""Units in which no square of a feature overflows or vanishes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import Block, RankingData
from ranksieve.passes.blocks import run


def feature_units(data: RankingData) -> NDArray[np.float64]:
    """Return a power of two for each feature that brings its largest value to about a half.

    Products with it are exact. float32 features are fine as they are: their squares are far
    inside the range of float64.

    Examples
    --------
    >>> from ranksieve import load
    >>> data = load((np.array([[3.0, 1e300], [1.0, -1e300]]), [0, 1], [1, 1]))
    >>> (data.X.max(axis=0) * feature_units(data)).round(3)
    array([0.75 , 0.747])
    """
    if data.dtype == np.float32:
        return np.ones(data.n_features)
    return unit_of(run(_LargestPass(), data, label="ranges"))


def unit_of(largest: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the power of two that brings a size to between a half and one."""
    unit: NDArray[np.float64] = np.ldexp(1.0, -np.frexp(largest)[1].clip(-1000, 1000))
    return unit


class _LargestPass:
    def partial(self, block: Block) -> NDArray[np.float64]:
        X = block.X[block.rows]
        largest: NDArray[np.float64] = np.maximum(X.max(axis=0), -X.min(axis=0))
        return largest

    def combine(self, left: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.maximum(left, right)
