"""Which features differ between documents of a query."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import Block, RankingData
from ranksieve.kernels.columns.scans import mark_varying
from ranksieve.passes.blocks import run


def varying_features(data: RankingData) -> NDArray[np.bool_]:
    """Return which features have more than one value in some query, and so order documents.

    Examples
    --------
    >>> from ranksieve import load
    >>> varying_features(load(([[1.0, 5.0], [2.0, 5.0], [1.0, 7.0]], [0, 1, 1], [1, 1, 2])))
    array([ True, False])
    """
    return run(_VariationPass(), data, label="constant features")


class _VariationPass:
    def partial(self, piece: Block) -> NDArray[np.bool_]:
        varies = np.zeros(piece.n_features, dtype=bool)
        mark_varying(piece.X, piece.query_ptr, varies)
        return varies

    def combine(self, left: NDArray[np.bool_], right: NDArray[np.bool_]) -> NDArray[np.bool_]:
        return left | right
