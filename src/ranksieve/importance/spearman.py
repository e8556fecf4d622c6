"""Spearman's correlation of a feature with the grade, inside queries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import RankingData
from ranksieve.importance._evidence import is_significant, sized
from ranksieve.importance._ranked import DirectedImportance, RankedPass, RankedPiece
from ranksieve.kernels.importance.ranked import add_rank_correlations, rank_columns
from ranksieve.passes import SumPass


@dataclass(frozen=True)
class SpearmanImportance(DirectedImportance):
    """Size of the mean, over queries, of Spearman's correlation of a feature with the grade.

        score(f) = |mean over queries of the correlation of the ranks of f and of the grade|

    Equal values share the mean of their ranks. Between 0 and 1. A feature that is constant
    in a query correlates 0 there; a query with one grade only has nothing to correlate with
    and does not vote. Without any voter every feature scores 0. Grades may be real numbers.

    Notes
    -----
    The direction is that of the mean: a feature that helps in half of the queries and hurts
    as much in the others scores 0. Better than a random order, whose correlation is 0 on
    average: Student's t of the correlations over the queries that vote. Cost: one sort per query
    and feature, O(p n).

    Examples
    --------
    >>> from ranksieve import load
    >>> data = load(([[1.0, 3.0], [2.0, 3.0], [3.0, 3.0]], [2, 1, 0], [1, 1, 1]))
    >>> SpearmanImportance().scores(data)
    array([1., 0.])
    """

    def _pass(self, data: RankingData) -> RankedPass:
        return _CorrelationPass()

    def _both(self, total: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        evidence, n_voters = total
        mean = evidence[0] / max(n_voters, 1)
        return mean, 0.0 - mean

    def _significant(self, total: Any, data: RankingData) -> NDArray[np.bool_]:
        evidence, n_voters = total
        return is_significant(sized(evidence), n_voters)


@dataclass(frozen=True)
class _CorrelationPass(SumPass):
    def partial(self, piece: RankedPiece) -> tuple[NDArray[np.float64], int]:
        evidence = np.zeros((3, piece.block.n_features))
        unit_ranks, n_voters = _unit_ranks(piece.y, piece.query_ptr)
        add_rank_correlations(*piece.ranked, piece.query_ptr, unit_ranks, evidence)
        return evidence, n_voters


def _unit_ranks(
    y: NDArray[np.float64], query_ptr: NDArray[np.int64]
) -> tuple[NDArray[np.float64], int]:
    """Return the ranks of grades in each query, centred and of unit length, and the voters."""
    order, group_end = np.empty((2, 1, len(y)), dtype=np.int32)
    rank_columns(np.asfortranarray(y[:, None]), query_ptr, order, group_end)
    starts, sizes = query_ptr[:-1], np.diff(query_ptr)
    # The mean place of a group is halfway between its first place and its last.
    group_start = np.maximum.accumulate(
        np.where(np.diff(group_end[0], prepend=-1) != 0, np.arange(len(y)), 0)
    )
    middle = 0.5 * (group_start + group_end[0] - 1)
    ranks = np.empty(len(y))
    ranks[order[0]] = np.repeat(starts + 0.5 * (sizes - 1), sizes) - middle
    lengths = np.sqrt(np.add.reduceat(ranks * ranks, starts))
    ranks /= np.repeat(np.where(lengths > 0.0, lengths, 1.0), sizes)
    return ranks, int((lengths > 0.0).sum())
