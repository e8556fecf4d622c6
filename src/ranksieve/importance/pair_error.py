"""The share of pairs that a feature orders wrongly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import RankingData
from ranksieve.importance._evidence import is_significant, sized
from ranksieve.importance._inverted import InvertedLoss
from ranksieve.importance._ranked import RankedPass, RankedPiece
from ranksieve.kernels.importance.ranked import add_concordance
from ranksieve.passes import SumPass


@dataclass(frozen=True, repr=False)
class PairErrorImportance(InvertedLoss):
    """How few pairs a feature orders wrongly, in its better direction (GAS-L, Ranking SVM).

        loss(f)  = (pairs ordered against the grades + half of the tied pairs) / pairs
        score(f) = 1 / (1 + min(loss(f), loss(-f)))

    Pairs are documents of one query with different grades, of all queries together. The
    score lies between 2/3, which a constant feature has, and 1. Without any pair every
    feature scores 2/3. Grades may be real numbers.

    Parameters
    ----------
    inverse : {"shifted", "printed"}, default="shifted"
        "printed" is 1 / loss, the paper's "inversely proportional": a constant feature scores 2,
        and a feature without a wrong pair, whose loss counts as half of one pair of all, twice
        the number of pairs. It is on another scale than the similarities, which "shifted" is not.

    Notes
    -----
    Better than a random order: Student's t over the queries with pairs of (pairs ordered rightly
    less pairs ordered wrongly) in the better direction, whose mean over random orders is 0.
    Cost: one sort per query and feature, and O(p n log l) for l grades in a query.
    Geng, Liu, Qin and Li, Feature selection for ranking (2007), sections 2.2 and 3.4.

    Examples
    --------
    >>> from ranksieve import load
    >>> data = load(([[1.0, 3.0], [2.0, 3.0], [4.0, 3.0], [3.0, 3.0]], [0, 0, 1, 2], [1] * 4))
    >>> PairErrorImportance().scores(data)      # one pair of five is wrong; half of all
    array([0.83333333, 0.66666667])
    >>> PairErrorImportance(inverse="printed").scores(data)
    array([5., 2.])
    """

    def _pass(self, data: RankingData) -> RankedPass:
        return _ConcordancePass()

    def _both(self, total: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        evidence, n_pairs, _ = total
        # Right minus wrong, over all pairs; ties are in the middle.
        lead = evidence[0] / max(n_pairs, 1)
        least = 0.5 / max(n_pairs, 1)
        return self._inverse(0.5 * (1.0 - lead), least), self._inverse(0.5 * (1.0 + lead), least)

    def _significant(self, total: Any, data: RankingData) -> NDArray[np.bool_]:
        evidence, _, n_queries = total
        return is_significant(sized(evidence), n_queries)


@dataclass(frozen=True)
class _ConcordancePass(SumPass):
    def partial(self, piece: RankedPiece) -> tuple[NDArray[np.float64], int, int]:
        evidence = np.zeros((3, piece.block.n_features))
        add_concordance(*piece.ranked, piece.query_ptr, piece.levels, evidence)
        return evidence, piece.n_pairs, piece.n_graded
