"""ListNet."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import Block
from ranksieve.kernels.list_cross_entropy import add_list_cross_entropy, top_one_shares
from ranksieve.rankers._network import NetworkRanker
from ranksieve.rankers._network_risk import ScoreLoss


class ListNet(NetworkRanker):
    """Network."""

    def _loss(self) -> ScoreLoss:
        return ScoreLoss(_top_one_targets, _top_one_cross_entropy)


class _TopOne(NamedTuple):
    shares: NDArray[np.float64]
    query_ptr: NDArray[np.int64]


def _top_one_targets(piece: Block) -> tuple[_TopOne, int]:
    query_ptr = piece.query_ptr - piece.query_ptr[0]
    shares = np.empty(piece.n_documents)
    n_queries = top_one_shares(piece.y[piece.rows], query_ptr, shares)
    return _TopOne(shares, query_ptr), int(n_queries)


def _top_one_cross_entropy(
    scores: NDArray[np.float64], targets: _TopOne
) -> tuple[float, NDArray[np.float64]]:
    gradient = np.zeros(len(scores))
    value = add_list_cross_entropy(scores, targets.shares, targets.query_ptr, gradient)
    return float(value), gradient
