"""The Hessian of the squared hinge over pairs by the weights of chosen features.

It is X' M X, where M sums (e_i - e_j)(e_i - e_j)' over the pairs with a margin below one. M X is
swept as in `pairs`, with whole rows of features in the nodes of the tree, and multiplied by X
while a tile of rows is in the cache. Neither M nor a pair is ever built.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.compile import compiled
from ranksieve.kernels.linear.tiles import TILE_ROWS, _add_products
from ranksieve.kernels.pairs.curvature_few import add_curvature_of_few, is_few
from ranksieve.kernels.pairs.sums import count_levels, pairs_of_levels


def add_curvature(
    X: NDArray[Any],
    start: int,
    features: NDArray[np.int64],
    scores: NDArray[np.float64],
    levels: NDArray[np.int32],
    query_ptr: NDArray[np.int64],
    order: NDArray[np.int32],
    weights: NDArray[np.float64],
    stride: int,
    total: NDArray[np.float64],
) -> float:
    """Add X' M X for the columns `features` to `total`; what is below the diagonal is undefined.

    Document d of `scores`, `levels` and `query_ptr`, which start at 0, is row start + d of X;
    `order` is that of `pairs.order_queries`. A query's pairs count with its weight. Every
    `stride`-th query alone is looked at; returns how many pairs with different levels those have,
    weighted.
    """
    if is_few(len(features), query_ptr):
        return add_curvature_of_few(
            X, start, features, scores, levels, query_ptr, weights, stride, total
        )
    return float(
        add_curvature_by_sweeps(
            X, start, features, scores, levels, query_ptr, order, weights, stride, total
        )
    )


@compiled
def add_curvature_by_sweeps(
    X: NDArray[Any],
    start: int,
    features: NDArray[np.int64],
    scores: NDArray[np.float64],
    levels: NDArray[np.int32],
    query_ptr: NDArray[np.int64],
    order: NDArray[np.int32],
    weights: NDArray[np.float64],
    stride: int,
    total: NDArray[np.float64],
) -> float:
    """Add and return what `add_curvature` does, for any number of documents."""
    n_features, n_queries = len(features), len(query_ptr) - 1
    longest = 0
    for query in range(n_queries):
        longest = max(longest, query_ptr[query + 1] - query_ptr[query])
    # One column a row of these: the loops over rows of a tile run along memory.
    columns = np.empty((n_features, TILE_ROWS + longest))
    images = np.empty((n_features, TILE_ROWS + longest))
    filled, n_pairs = 0, 0.0
    # One round more than there are queries, for what is left in the last tile.
    for query in range(0, n_queries + stride, stride):
        if query >= n_queries or filled >= TILE_ROWS:
            _add_products(columns, images, 0, filled, total)
            filled = 0
        if query >= n_queries:
            break
        first, stop = query_ptr[query], query_ptr[query + 1]
        n_levels = count_levels(levels, first, stop)
        if n_levels < 2:
            continue
        n_pairs += weights[query] * pairs_of_levels(levels, first, stop, n_levels)
        rows = np.empty((stop - first, n_features + 1))
        _gather_rows(X, start + first, features, rows)
        products = np.zeros((stop - first, n_features + 1))
        for direction in range(2):
            _sweep(scores, levels, first, n_levels, order, direction == 1, rows, products)
        _append_columns(rows, 1.0, columns, filled)
        _append_columns(products, weights[query], images, filled)
        filled += stop - first
    return n_pairs


@compiled
def _gather_rows(
    X: NDArray[Any], first: int, features: NDArray[np.int64], rows: NDArray[np.float64]
) -> None:
    """Write features measured from the first document, and a 1 that will count documents."""
    for index in range(len(features)):
        values = X[first : first + len(rows), features[index]]
        base = np.float64(values[0])
        for row in range(len(rows)):
            rows[row, index] = np.float64(values[row]) - base
    for row in range(len(rows)):
        rows[row, -1] = 1.0


@compiled
def _sweep(
    scores: NDArray[np.float64],
    levels: NDArray[np.int32],
    first: int,
    n_levels: int,
    order: NDArray[np.int32],
    upwards: bool,
    rows: NDArray[np.float64],
    products: NDArray[np.float64],
) -> None:
    """Add, for each document i, the sum of x_i - x_j over the worse j that it is violated with.

    Upwards, from the least score, over the better j instead.
    """
    tree = np.zeros((n_levels + 1, rows.shape[1]))
    below = np.empty(rows.shape[1])
    m = len(rows)
    reach = 0
    for index in range(m):
        i = order[first + m - 1 - index] if upwards else order[first + index]
        level = n_levels - 1 - levels[first + i] if upwards else levels[first + i]
        while reach < m:
            j = order[first + m - 1 - reach] if upwards else order[first + reach]
            # The same comparison both ways, so that both see the same pairs.
            better, worse = (j, i) if upwards else (i, j)
            if not scores[first + worse] > scores[first + better] - 1.0:
                break
            added = n_levels - 1 - levels[first + j] if upwards else levels[first + j]
            _add_row(tree, added, rows[j])
            reach += 1
        if level > 0:
            _sum_rows_below(tree, level, below)
            _add_differences(rows[i], below, products[i])


@compiled
def _add_row(tree: NDArray[np.float64], level: int, row: NDArray[np.float64]) -> None:
    index = level + 1
    while index < len(tree):
        node = tree[index]
        for column in range(len(row)):
            node[column] += row[column]
        index += index & -index


@compiled
def _sum_rows_below(tree: NDArray[np.float64], level: int, out: NDArray[np.float64]) -> None:
    for column in range(len(out)):
        out[column] = 0.0
    index = level
    while index > 0:
        node = tree[index]
        for column in range(len(out)):
            out[column] += node[column]
        index -= index & -index


@compiled
def _add_differences(
    row: NDArray[np.float64], sums: NDArray[np.float64], out: NDArray[np.float64]
) -> None:
    count = sums[-1]
    for column in range(len(row)):
        out[column] += count * row[column] - sums[column]


@compiled
def _append_columns(
    rows: NDArray[np.float64], weight: float, columns: NDArray[np.float64], filled: int
) -> None:
    for column in range(len(columns)):
        target = columns[column, filled : filled + len(rows)]
        for row in range(len(rows)):
            target[row] = weight * rows[row, column]
