"""Random ranking data with the corners that real data has."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ranksieve import make_ranking
from ranksieve.data import Block, RankingData

# Features, grades and the offsets of queries.
Arrays = tuple[NDArray[Any], NDArray[np.float64], NDArray[np.int64]]


def ragged_ptr(
    rng: np.random.Generator, n_queries: int, largest: int, *, first: int = 0
) -> NDArray[np.int64]:
    """Return offsets of queries with 1 to `largest` documents; the first query has one."""
    sizes = rng.integers(1, largest + 1, size=n_queries)
    sizes[0] = 1
    return np.concatenate([[first], first + np.cumsum(sizes)]).astype(np.int64)


def random_arrays(
    seed: int,
    *,
    n_queries: int = 12,
    largest: int = 15,
    n_features: int = 5,
    n_grades: int = 4,
    dtype: Any = np.float64,
) -> Arrays:
    """Return X with ties and a constant column, grades, and offsets; queries of one grade too."""
    rng = np.random.default_rng(seed)
    query_ptr = ragged_ptr(rng, n_queries, largest)
    n = query_ptr[-1]
    X = np.asfortranarray(rng.integers(0, 7, size=(n, n_features)) / 7.0, dtype=dtype)
    X[:, 0] = rng.normal(size=n)
    X[:, -1] = 0.5
    y = rng.integers(0, n_grades, size=n).astype(np.float64)
    y[query_ptr[1] : query_ptr[2]] = 0.0
    return X, y, query_ptr


def uneven_arrays(
    seed: int,
    *,
    n_features: int = 4,
    sizes: Sequence[int] = (2, 30, 3, 1, 6, 4, 17, 2, 5),
) -> Arrays:
    """Return arrays of queries of very different sizes, whose grades follow two features."""
    rng = np.random.default_rng(seed)
    query_ptr = np.concatenate([[0], np.cumsum(rng.permutation(sizes))]).astype(np.int64)
    X = np.asfortranarray(rng.normal(size=(query_ptr[-1], n_features)))
    y = np.clip(np.round(1 + X[:, 0] - 0.5 * X[:, 1] + rng.normal(size=len(X))), 0, 3)
    y[query_ptr[4] : query_ptr[5]] = 1.0
    return X, y, query_ptr


def in_blocks(
    X: NDArray[Any], y: NDArray[np.float64], query_ptr: NDArray[np.int64], borders: Sequence[int]
) -> RankingData:
    """Return the same data as RankingData in blocks that end at the queries in `borders`."""
    edges = [0, *borders, len(query_ptr) - 1]
    blocks = []
    for first, last in itertools.pairwise(edges):
        start, stop = query_ptr[first], query_ptr[last]
        blocks.append(
            Block(
                np.asfortranarray(X[start:stop]),
                y[start:stop],
                query_ptr[first : last + 1] - start,
                np.arange(first, last),
            )
        )
    return RankingData(blocks, [f"x{index}" for index in range(X.shape[1])])


def row_ids(query_ptr: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return a query id per row."""
    return np.repeat(np.arange(len(query_ptr) - 1), np.diff(query_ptr))


# Largest values of features: the least number, the ends of float64, and that of float32.
MAGNITUDES = [
    pytest.param(size, dtype, id=f"{size:g} in {dtype}")
    for size, dtype in [
        (5e-324, "float64"),
        (1e-300, "float64"),
        (1e-150, "float64"),
        (1.0, "float64"),
        (1e150, "float64"),
        (1e300, "float64"),
        (3.4e38, "float32"),
    ]
]


def sized(size: float, dtype: str) -> tuple[NDArray[Any], NDArray[np.float64], NDArray[Any]]:
    """Return features of which the largest has a size, with grades and queries."""
    data = make_ranking(8, 8, n_relevant=2, n_redundant=1, n_irrelevant=2, random_state=0)[0]
    shares = data.X.astype(np.float64) / np.abs(data.X).max()
    X = (np.sign(shares) if size == 5e-324 else shares) * size
    return X.astype(dtype), data.y, data.qid
