"""The Hessian of the squared hinge over pairs of few documents, and spreads of pairs, by numpy.

Queries are filled up to the length of the longest, and M is built for each: a first call then need
not compile the sweeps, which takes more than a second.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

# Up to this many pairs, and values of features, numpy takes a fraction of a millisecond.
_FEW_VALUES = 1 << 16
# Products of matrices of this size are of one thread in any BLAS: the same on each machine.
_FEW_ROWS = 64


def is_few(n_features: int, query_ptr: NDArray[np.int64]) -> bool:
    """Tell whether numpy is about as fast as the kernel, with less than a megabyte."""
    n_queries, longest = len(query_ptr) - 1, int(np.diff(query_ptr).max(initial=0))
    widest = max(n_features, longest)
    return widest <= _FEW_ROWS and n_queries * longest * widest <= _FEW_VALUES


def add_curvature_of_few(
    X: NDArray[Any],
    start: int,
    features: NDArray[np.int64],
    scores: NDArray[np.float64],
    levels: NDArray[np.int32],
    query_ptr: NDArray[np.int64],
    weights: NDArray[np.float64],
    stride: int,
    total: NDArray[np.float64],
) -> float:
    """Add and return what `curvature.add_curvature` does; no order of the scores is needed."""
    queries, rows, filled = _filled_up(query_ptr, stride)
    weight, score = weights[queries], scores[rows]
    pairs = _pairs(levels[rows], filled)
    # Document i of a pair is the second index and document j the third.
    violated = pairs & (score[:, None, :] > score[:, :, None] - 1.0)
    x = _from_first(X[start + rows[:, :, None], features])
    images = weight[:, None, None] * _images(violated, x)
    total += (x.transpose(0, 2, 1) @ images).sum(axis=0)
    return float(sum(weight * pairs.sum(axis=(1, 2))))


# Whoever calls looks at what is too large.
@np.errstate(over="ignore", invalid="ignore")
def add_spreads_of_few(
    X: NDArray[Any],
    start: int,
    levels: NDArray[np.int32],
    query_ptr: NDArray[np.int64],
    weights: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None:
    """Add what `sums.add_pair_spreads` does: the diagonal, where every pair is violated."""
    queries, rows, filled = _filled_up(query_ptr, 1)
    x = _from_first(X[start + rows])
    products = x * _images(_pairs(levels[rows], filled), x)
    out += (weights[queries, None, None] * products).sum(axis=(0, 1))


def _filled_up(
    query_ptr: NDArray[np.int64], stride: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """Return queries with documents, rows of each, and which of those are documents.

    Where a query has no more documents, its first one stands.
    """
    sizes = np.diff(query_ptr)
    queries = np.arange(0, len(sizes), stride)
    queries = queries[sizes[queries] > 0]
    position = np.arange(sizes[queries].max(initial=0))
    filled = position < sizes[queries, None]
    return queries, query_ptr[queries, None] + np.where(filled, position, 0), filled


def _pairs(levels: NDArray[np.int32], filled: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Tell of which documents of each query the first has the higher level."""
    higher: NDArray[np.bool_] = levels[:, :, None] > levels[:, None, :]
    return higher & filled[:, :, None] & filled[:, None, :]


def _from_first(x: NDArray[Any]) -> NDArray[np.float64]:
    """Return features measured from each query's first document: large offsets eat no digits."""
    return x.astype(np.float64) - x[:, :1].astype(np.float64)


def _images(pairs: NDArray[np.bool_], x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return M x: for each document the sum of x_i - x_j over the others of its pairs."""
    both = (pairs | pairs.transpose(0, 2, 1)).astype(np.float64)
    images: NDArray[np.float64] = both.sum(axis=2)[:, :, None] * x - both @ x
    return images
