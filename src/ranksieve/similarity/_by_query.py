"""Means over queries of what a kernel adds up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import Block, RankingData
from ranksieve.passes import SumPass, run
from ranksieve.similarity._size import check_matrix_size

# Adds one value per query and pair f <= g to a matrix, and returns how many queries vote.
Adder = Callable[[NDArray[Any], NDArray[np.int64], NDArray[np.float64]], int]


def mean_over_queries(add: Adder, data: RankingData) -> NDArray[np.float64]:
    """Return the symmetric matrix of means over the queries that vote; 0 where none does."""
    check_matrix_size(data.n_features)
    total, n_voters = run(_Totals(add), data, label="similarity")
    upper = total / max(n_voters, 1)
    full: NDArray[np.float64] = np.triu(upper) + np.triu(upper, 1).T
    return full


def longest_query(query_ptr: NDArray[np.int64]) -> int:
    """Return the number of documents of the longest query."""
    return int(np.diff(query_ptr).max())


@dataclass(frozen=True)
class _Totals(SumPass):
    add: Adder

    def partial(self, piece: Block) -> tuple[NDArray[np.float64], int]:
        total = np.zeros((piece.n_features, piece.n_features))
        return total, int(self.add(piece.X, piece.query_ptr, total))
