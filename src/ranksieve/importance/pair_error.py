"""The share of pairs that a feature orders wrongly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import RankingData
from ranksieve.importance._ranked import DirectedImportance, RankedPass, RankedPiece, SumPass
from ranksieve.kernels.ranked import add_concordance


@dataclass(frozen=True)
class PairErrorImportance(DirectedImportance):
    """How few pairs a feature orders wrongly, in its better direction (GAS-L, Ranking SVM).

        loss(f)  = (pairs ordered against the grades + half of the tied pairs) / pairs
        score(f) = 1 / (1 + min(loss(f), loss(-f)))

    Pairs are documents of one query with different grades, of all queries together. The
    score lies between 2/3, which a constant feature has, and 1. Without any pair every
    feature scores 2/3. Grades may be real numbers.

    Notes
    -----
    The paper's "inversely proportional" is infinite where there is no loss, and on another
    scale than the similarities; 1 / (1 + loss) is neither.
    Cost: one sort a query and feature, and O(p n log l) for l grades in a query.
    Geng, Liu, Qin and Li, Feature selection for ranking (2007), sections 2.2 and 3.4.

    Examples
    --------
    >>> from ranksieve import load
    >>> data = load(([[1.0, 3.0], [2.0, 3.0], [4.0, 3.0], [3.0, 3.0]], [0, 0, 1, 2], [1] * 4))
    >>> PairErrorImportance().scores(data)      # one pair of five is wrong; half of all
    array([0.83333333, 0.66666667])
    """

    def _pass(self, data: RankingData) -> RankedPass:
        return _ConcordancePass()

    def _both(self, total: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        balance, n_pairs = total
        # Right minus wrong, over all pairs; ties are in the middle.
        lead = balance / max(n_pairs, 1)
        return 1.0 / (1.0 + 0.5 * (1.0 - lead)), 1.0 / (1.0 + 0.5 * (1.0 + lead))


@dataclass(frozen=True)
class _ConcordancePass(SumPass):
    def partial(self, piece: RankedPiece) -> tuple[NDArray[np.int64], int]:
        balance = np.zeros(piece.block.n_features, dtype=np.int64)
        add_concordance(*piece.ranked, piece.query_ptr, piece.levels, balance)
        return balance, piece.n_pairs
