"""Mutual information of the grade and a feature's place in its query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import RankingData
from ranksieve.data.check import check_count, check_levels
from ranksieve.errors import ParameterError
from ranksieve.importance._evidence import is_significant, table_degrees, table_weights
from ranksieve.importance._ranked import (
    RankedImportance,
    RankedPass,
    RankedPiece,
    run_ranked,
)
from ranksieve.kernels.importance.differences import add_rank_bin_differences
from ranksieve.kernels.importance.ranked import add_rank_bins
from ranksieve.passes import SumPass

_MOST_BINS = 1000


@dataclass(frozen=True)
class MutualInformationImportance(RankedImportance):
    """Bits that a document's place in its query, by a feature, tells about its grade.

        score(f) = sum over bins b and grades g of p(b, g) log2(p(b, g) / (p(b) p(g)))

    The places of a query, by falling value, are cut into `n_bins` equal bins; equal values
    share the bin of their middle place. At least 0, where a constant feature is. No direction
    is assumed: a feature whose middle values are the best ones scores high, which no measure
    of a ranking sees. Queries of one document are left out.

    Parameters
    ----------
    n_bins : int, default=10

    Notes
    -----
    `information-gain` and `chi-square` compare values across queries; this compares within
    them, so that a feature of the query alone says nothing. Estimates are biased upwards by
    about (n_bins - 1)(grades - 1) / (2 n ln 2) bits, the same for all features without ties.
    Grades must be whole. Cost: one sort per query and feature, O(p n); p x bins x grades counts.
    Better than a random order: as in `InformationGainImportance`, with the bins of places; this
    takes a second pass and sort.

    Examples
    --------
    >>> from ranksieve import load
    >>> data = load(([[1.0, 3.0], [2.0, 3.0], [3.0, 3.0]], [0, 1, 0], [1, 1, 1]))
    >>> MutualInformationImportance().scores(data)      # H(1/3, 2/3), and nothing
    array([0.91829583, 0.        ])
    """

    n_bins: int = 10

    def _pass(self, data: RankingData) -> RankedPass:
        check_count("n_bins", self.n_bins, least=2)
        if self.n_bins > _MOST_BINS:
            raise ParameterError(f"n_bins must be at most {_MOST_BINS:,}, but is {self.n_bins}")
        check_levels(data.y, "mutual information")
        return _BinPass(self.n_bins, np.unique(data.y))

    def _significant(self, total: Any, data: RankingData) -> NDArray[np.bool_]:
        (table,) = total
        weights = np.stack([table_weights(counts) for counts in table])
        work = _DifferencePass(np.unique(data.y), weights)
        evidence, n_queries = run_ranked([work], data)[0]
        return is_significant(evidence, n_queries, np.array([table_degrees(c) for c in table]))

    def _finish(self, total: Any) -> NDArray[np.float64]:
        (table,) = total
        shares = table / max(table[0].sum(), 1)
        return np.maximum(
            _entropy(shares.sum(axis=2))
            + _entropy(shares.sum(axis=1))
            - _entropy(shares.reshape(len(shares), -1)),
            0.0,
        )


@dataclass(frozen=True, eq=False)
class _BinPass(SumPass):
    n_bins: int
    grades: NDArray[np.float64]

    def partial(self, piece: RankedPiece) -> tuple[NDArray[np.int64]]:
        table = np.zeros((piece.block.n_features, self.n_bins, len(self.grades)), dtype=np.int64)
        levels = np.searchsorted(self.grades, piece.y)
        add_rank_bins(*piece.ranked, piece.query_ptr, levels, table)
        return (table,)


@dataclass(frozen=True, eq=False)
class _DifferencePass(SumPass):
    grades: NDArray[np.float64]
    weights: NDArray[np.float64]

    def partial(self, piece: RankedPiece) -> tuple[NDArray[np.float64], int]:
        evidence = np.zeros((3, piece.block.n_features))
        levels = np.searchsorted(self.grades, piece.y)
        add_rank_bin_differences(*piece.ranked, piece.query_ptr, levels, self.weights, evidence)
        return evidence, piece.n_graded


def _entropy(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the entropy of each row in bits."""
    logarithms = np.log2(shares, where=shares > 0.0, out=np.zeros_like(shares))
    entropies: NDArray[np.float64] = -(shares * logarithms).sum(axis=1)
    return entropies
