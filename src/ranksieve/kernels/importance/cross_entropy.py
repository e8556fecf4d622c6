"""RankNet's cross entropy of each feature as a ranking function, without the pairs.

The loss of a pair whose scores differ by d is log(1 + exp(-d)) = log(2 cosh(d / 2)) - d / 2.
Features are scaled to [0, 1] in each query, so |d| <= 1, and there the even part is a
polynomial in d^2 to the last digit. A sum of polynomials of differences over all pairs is a
sum of products of power sums: O(m) a query instead of O(m^2). The power sums of each grade
level give the pairs inside a level, which do not count and are subtracted.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.columns.scaling import _range, _share, _unit
from ranksieve.kernels.compile import compiled
from ranksieve.kernels.importance.differences import _ROUNDING, _add_difference


@compiled
def add_cross_entropy(
    X: NDArray[Any],
    query_ptr: NDArray[np.int64],
    levels: NDArray[np.int32],
    by_level: NDArray[np.int32],
    products: NDArray[np.float64],
    even: NDArray[np.float64],
    odd: NDArray[np.float64],
) -> None:
    """Add each feature's sums over pairs of log(2 cosh(d / 2)) and of d / 2, better minus worse.

    `odd` gets the sums over queries, their squares, and the number of queries that do not have 0.

    `levels` and `by_level` count from row query_ptr[0] of X on: the level of each document,
    and the documents of each query by falling level. A polynomial with coefficient matrix
    `products` sums over all ordered pairs of a set as M' products M, M its power sums.
    """
    first = query_ptr[0]
    n_powers = len(products)
    of_level, of_query = np.empty(n_powers), np.empty(n_powers)
    scaled, power = np.empty(len(levels)), np.empty(len(levels))
    for feature in range(X.shape[1]):
        column = X[:, feature]
        for query in range(len(query_ptr) - 1):
            start, stop = query_ptr[query] - first, query_ptr[query + 1] - first
            if stop - start < 2 or levels[by_level[start]] == 0:
                continue
            least, most = _range(X, first + start, first + stop, feature)
            unit = _unit(least, most)
            for index in range(start, stop):
                value = column[first + by_level[index]]
                # Around the middle: powers of numbers up to a half stay small.
                scaled[index] = _share(value, least, most, unit) - 0.5
            of_query[:] = 0.0
            lead, size = 0.0, 0.0
            low = start
            while low < stop:
                level, end = levels[by_level[low]], low + 1
                while end < stop and levels[by_level[end]] == level:
                    end += 1
                _power_sums(scaled[low:end], power[low:end], of_level)
                of_query += of_level
                even[feature] -= 0.5 * _quadratic(products, of_level)
                # Each document is better than those below its level, and worse than those above.
                n_above, n_below = low - start, stop - end
                step = 0.5 * of_level[1] * (n_below - n_above)
                lead += step
                size += abs(step)
                low = end
            even[feature] += 0.5 * _quadratic(products, of_query)
            if abs(lead) > _ROUNDING * size:
                _add_difference(lead, odd, feature)


@compiled(fastmath={"reassoc", "contract"})
def _power_sums(
    values: NDArray[np.float64], power: NDArray[np.float64], sums: NDArray[np.float64]
) -> None:
    """Write the sums of the powers 0, 1, 2, ... of the values."""
    sums[0] = len(values)
    for index in range(len(values)):
        power[index] = values[index]
    for exponent in range(1, len(sums)):
        total = 0.0
        for index in range(len(values)):
            total += power[index]
            power[index] *= values[index]
        sums[exponent] = total


@compiled(fastmath={"reassoc", "contract"})
def _quadratic(products: NDArray[np.float64], sums: NDArray[np.float64]) -> float:
    total = 0.0
    for row in range(len(sums)):
        inner = 0.0
        for column in range(row & 1, len(sums) - row, 2):
            inner += products[row, column] * sums[column]
        total += sums[row] * inner
    return total
