"""How much better than a random order features do, query by query.

`evidence` has three rows: sums over queries of a feature's difference to the mean over all orders
of the query's documents, sums of squares, and the number of queries where there is a difference.
Rounding is none: many queries of the same shape would add it up to something.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.compile import compiled

# Differences up to this share of what they come from are rounding.
_ROUNDING = 1e-12


@compiled
def _add_difference(difference: float, evidence: NDArray[np.float64], feature: int) -> None:
    """Add a query's difference to a random order, its square, and whether there is one."""
    evidence[0, feature] += difference
    evidence[1, feature] += difference * difference
    evidence[2, feature] += difference != 0.0


@compiled
def add_rank_bin_differences(
    order: NDArray[np.int32],
    group_end: NDArray[np.int32],
    query_ptr: NDArray[np.int64],
    levels: NDArray[np.int64],
    weights: NDArray[np.float64],
    evidence: NDArray[np.float64],
) -> None:
    """Add each query's sum of weights[feature, bin, level] less its mean over random orders.

    Bins are those of `add_rank_bins`. `evidence` gets sums, sums of squares, and the number of
    queries with a difference. A feature or grade with one bin or level in a query makes none.
    """
    n_bins, n_levels = weights.shape[1], weights.shape[2]
    in_bin, of_level = np.empty(n_bins, dtype=np.int64), np.empty(n_levels, dtype=np.int64)
    for feature in range(len(order)):
        places, ends, weight = order[feature], group_end[feature], weights[feature]
        for query in range(len(query_ptr) - 1):
            start, stop = query_ptr[query], query_ptr[query + 1]
            if stop - start < 2 or ends[start] == stop:
                continue
            in_bin[:] = 0
            of_level[:] = 0
            total = 0.0
            low = start
            while low < stop:
                end = ends[low]
                row = ((low + end - 2 * start) * n_bins) // (2 * (stop - start))
                for index in range(low, end):
                    level = levels[places[index]]
                    total += weight[row, level]
                    of_level[level] += 1
                in_bin[row] += end - low
                low = end
            difference = _less_random(total, weight, in_bin, of_level, stop - start)
            _add_difference(difference, evidence, feature)


@compiled
def add_bin_differences(
    bins: NDArray[np.int64],
    levels: NDArray[np.int32],
    query_ptr: NDArray[np.int64],
    weight: NDArray[np.float64],
    evidence: NDArray[np.float64],
) -> None:
    """Add each query's sum of weight[bin, level] less its mean over random orders.

    `evidence`, of one feature, gets the sum, the sum of squares, and the number of queries
    with a difference. A feature or grade with one bin or level in a query makes none.
    """
    in_bin = np.empty(weight.shape[0], dtype=np.int64)
    of_level = np.empty(weight.shape[1], dtype=np.int64)
    for query in range(len(query_ptr) - 1):
        start, stop = query_ptr[query], query_ptr[query + 1]
        in_bin[:] = 0
        of_level[:] = 0
        total = 0.0
        for row in range(start, stop):
            total += weight[bins[row], levels[row]]
            in_bin[bins[row]] += 1
            of_level[levels[row]] += 1
        difference = _less_random(total, weight, in_bin, of_level, stop - start)
        _add_difference(difference, evidence, 0)


@compiled
def _less_random(
    total: float,
    weight: NDArray[np.float64],
    in_bin: NDArray[np.int64],
    of_level: NDArray[np.int64],
    m: int,
) -> float:
    """Return a sum of weights less its mean over all orders of m documents; no rounding for 0."""
    most_of_a_bin, most_of_a_level, mean, size = 0, 0, 0.0, 0.0
    for row in range(len(in_bin)):
        most_of_a_bin = max(most_of_a_bin, in_bin[row])
        for level in range(len(of_level)):
            most_of_a_level = max(most_of_a_level, of_level[level])
            share = in_bin[row] * of_level[level] / m * weight[row, level]
            mean += share
            size += abs(share)
    difference = total - mean
    is_rounding = abs(difference) <= _ROUNDING * (size + abs(total))
    return 0.0 if most_of_a_bin == m or most_of_a_level == m or is_rounding else difference


@compiled
def add_covariances(
    X: NDArray[Any],
    query_ptr: NDArray[np.int64],
    y: NDArray[np.float64],
    units: NDArray[np.float64],
    evidence: NDArray[np.float64],
) -> None:
    """Add each query's sum of products of a feature, in its unit, and the centred grades `y`.

    `y` counts from row query_ptr[0] of X on and has mean 0 in each query. Values are taken from
    the query's first one: a feature that is constant in a query adds nothing at all. `evidence`
    gets sums, sums of squares, and the number of queries with a sum.
    """
    first = query_ptr[0]
    for feature in range(X.shape[1]):
        column, unit = X[:, feature], units[feature]
        for query in range(len(query_ptr) - 1):
            start, stop = query_ptr[query], query_ptr[query + 1]
            origin, total, size = column[start] * unit, 0.0, 0.0
            for row in range(start, stop):
                product = (column[row] * unit - origin) * y[row - first]
                total += product
                size += abs(product)
            if abs(total) > _ROUNDING * size:
                _add_difference(total, evidence, feature)
