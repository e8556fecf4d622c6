"""Features on the scale of the whole data: 0 is the least value, 1 the largest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import Block, RankingData
from ranksieve.kernels.relief.rows import scale_rows, widen_ranges
from ranksieve.passes import run


@dataclass(frozen=True, eq=False)
class Ranges:
    """Least and largest value of each feature."""

    least: NDArray[np.float64]
    most: NDArray[np.float64]

    @staticmethod
    def of(data: RankingData) -> Ranges:
        """Return the ranges over all documents."""
        return run(_RangesPass(), data, label="ranges")

    def rows(self, piece: Block, chosen: NDArray[np.int64] | None = None) -> NDArray[np.float64]:
        """Return documents of a piece, all or some by place, scaled and row by row."""
        places = (
            np.arange(piece.documents.start, piece.documents.stop) if chosen is None else chosen
        )
        rows = np.empty((len(places), piece.n_features))
        offset = piece.rows.start - piece.documents.start
        scale_rows(piece.X, places + offset, self.least, self.most, rows)
        return rows


@dataclass(frozen=True)
class _RangesPass:
    def partial(self, piece: Block) -> Ranges:
        ranges = Ranges(np.full(piece.n_features, np.inf), np.full(piece.n_features, -np.inf))
        widen_ranges(piece.X, piece.rows.start, piece.rows.stop, ranges.least, ranges.most)
        return ranges

    def combine(self, left: Ranges, right: Ranges) -> Ranges:
        return Ranges(np.minimum(left.least, right.least), np.maximum(left.most, right.most))
