"""Scores under shuffled grades: what an importance of any kind gives to random orders."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import Block, RankingData
from ranksieve.importance._evidence import ROUNDING
from ranksieve.passes import SumPass, run

# The largest of 20 equally likely numbers is the true one in 5 per cent of the cases.
N_SHUFFLES = 19
# Signs of fewer differences than this are all alike by chance in more than 5 per cent.
LEAST_QUERIES = 6


def beyond_shuffles(
    scores: Callable[[RankingData], NDArray[np.float64]], data: RankingData
) -> NDArray[np.bool_]:
    """Return which features score more than with grades shuffled within queries, every time."""
    rng = np.random.default_rng(0)
    largest = np.max([scores(_shuffled(data, rng)) for _ in range(N_SHUFFLES)], axis=0)
    beyond: NDArray[np.bool_] = scores(data) > largest + ROUNDING * np.abs(largest)
    return beyond & (run(_OrderedQueries(), data, label="importance") >= LEAST_QUERIES)


def _shuffled(data: RankingData, rng: np.random.Generator) -> RankingData:
    """Return the data with the grades of each query in a random order."""
    shuffled = [_shuffled_block(block, rng) for block in data.blocks()]
    return RankingData(shuffled, data.feature_names, data.scaling, data.tasks)


def _shuffled_block(block: Block, rng: np.random.Generator) -> Block:
    queries = np.repeat(np.arange(block.n_queries), np.diff(block.query_ptr))
    y = block.y.copy()
    y[block.rows] = y[block.rows][np.lexsort((rng.random(len(queries)), queries))]
    return block.with_grades(y)


class _OrderedQueries(SumPass):
    """Counts, for each feature, the queries in which it and the grades vary."""

    def partial(self, piece: Block) -> NDArray[np.int64]:
        starts = piece.query_ptr[:-1] - piece.query_ptr[0]
        X, y = piece.X[piece.rows], piece.y[piece.rows]
        varies = np.maximum.reduceat(X, starts) > np.minimum.reduceat(X, starts)
        graded = np.maximum.reduceat(y, starts) > np.minimum.reduceat(y, starts)
        count: NDArray[np.int64] = varies[graded].sum(axis=0)
        return count
