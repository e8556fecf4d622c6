"""The logistic loss over the pairs of a query: O(m^2) time, O(m) memory, no pair kept.

Documents of a query are taken by falling level, so that all worse ones of a document stand in
one stretch. A pair i above j needs x = exp(s_j - s_i) alone:

    loss = log(1 + x),   slope by s_j = x / (1 + x),   curvature = x / (1 + x)^2.

x is a product of one exponential for each document, so a pair costs a division, which the
processor makes several at once, and no logarithm: for each j the product of all 1 + x over a
stretch of i is kept less one, y <- y + x (1 + y), where nothing positive is lost beside 1, and
its logarithm is taken before it could overflow. Scores too far apart for one exponent range go
the plain way, an exponential and a logarithm for each pair.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.compile import compiled

# exp(700) is near the largest float64; exp of half the widest range must have an inverse.
_EXPONENT_LIMIT = 700.0
_WIDEST = 600.0


@compiled
def add_logistic(
    scores: NDArray[np.float64],
    levels: NDArray[np.int32],
    query_ptr: NDArray[np.int64],
    weights: NDArray[np.float64],
    gradient: NDArray[np.float64],
) -> float:
    """Add each document's slope to `gradient`, and return the sum of the loss over pairs.

    A query's pairs count with its weight.
    """
    total = 0.0
    for query in range(len(query_ptr) - 1):
        start, stop = query_ptr[query], query_ptr[query + 1]
        order, ends = _by_level(levels[start:stop])
        if len(order) == 0 or ends[0] == len(order):
            continue
        values = scores[start:stop][order]
        slopes = np.zeros(len(order))
        spread = values.max() - values.min()
        if spread <= _WIDEST:
            total += weights[query] * _near(values, spread, ends, slopes)
        else:
            total += weights[query] * _far(values, ends, slopes)
        for index in range(len(order)):
            gradient[start + order[index]] += weights[query] * slopes[index]
    return total


@compiled
def add_logistic_product(
    scores: NDArray[np.float64],
    levels: NDArray[np.int32],
    query_ptr: NDArray[np.int64],
    weights: NDArray[np.float64],
    direction: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None:
    """Add the Hessian at `scores` times `direction`: sum of curvature * (v_i - v_j) over pairs."""
    for query in range(len(query_ptr) - 1):
        start, stop = query_ptr[query], query_ptr[query + 1]
        order, ends = _by_level(levels[start:stop])
        if len(order) == 0 or ends[0] == len(order):
            continue
        values, carried = scores[start:stop][order], direction[start:stop][order]
        product = np.zeros(len(order))
        if values.max() - values.min() <= _WIDEST:
            _near_product(values, ends, carried, product)
        else:
            _far_product(values, ends, carried, product)
        for index in range(len(order)):
            out[start + order[index]] += weights[query] * product[index]


@compiled
def _by_level(levels: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the documents by falling level, and for each place the first of a lower level."""
    m = len(levels)
    order, ends = np.empty(m, dtype=np.int64), np.empty(m, dtype=np.int64)
    if m == 0:
        return order, ends
    highest = levels.max()
    firsts = np.zeros(highest + 2, dtype=np.int64)  # by falling level, shifted by one
    for document in range(m):
        firsts[highest - levels[document] + 1] += 1
    for level in range(highest + 1):
        firsts[level + 1] += firsts[level]
    filled = firsts.copy()
    for document in range(m):
        level = highest - levels[document]
        order[filled[level]] = document
        ends[filled[level]] = firsts[level + 1]
        filled[level] += 1
    return order, ends


@compiled
def _exponentials(values: NDArray[np.float64]) -> NDArray[np.float64]:
    # From the middle, so that neither they nor their inverses leave the range of float64.
    powers: NDArray[np.float64] = np.exp(values - 0.5 * (values.max() + values.min()))
    return powers


@compiled
def _near(
    values: NDArray[np.float64],
    spread: float,
    ends: NDArray[np.int64],
    slopes: NDArray[np.float64],
) -> float:
    powers = _exponentials(values)
    products = np.zeros(len(values))
    # (2 exp(spread))^longest stays below exp(_EXPONENT_LIMIT).
    longest = np.int64(_EXPONENT_LIMIT / (spread + 1.0))
    total = 0.0
    pending = 0
    for i in range(len(values)):
        first = ends[i]
        if first == len(values):
            break
        slopes[i] -= _add_pairs(powers[first:], 1.0 / powers[i], products[first:], slopes[first:])
        pending += 1
        if pending == longest:
            total += _take_logarithms(products)
            pending = 0
    last: float = _take_logarithms(products)
    return total + last


@compiled(fastmath={"reassoc", "contract"})
def _add_pairs(
    powers: NDArray[np.float64],
    inverse: float,
    products: NDArray[np.float64],
    slopes: NDArray[np.float64],
) -> float:
    """Add the pairs of one document with all worse ones; return the sum of their slopes."""
    total = 0.0
    for j in range(len(powers)):
        x = powers[j] * inverse
        slope = x / (1.0 + x)
        products[j] += x * (1.0 + products[j])
        slopes[j] += slope
        total += slope
    return total


@compiled
def _take_logarithms(products: NDArray[np.float64]) -> float:
    total = 0.0
    for j in range(len(products)):
        total += np.log1p(products[j])
        products[j] = 0.0
    return total


@compiled
def _far(
    values: NDArray[np.float64], ends: NDArray[np.int64], slopes: NDArray[np.float64]
) -> float:
    total = 0.0
    for i in range(len(values)):
        for j in range(ends[i], len(values)):
            margin = values[i] - values[j]
            x = np.exp(-abs(margin))
            total += np.log1p(x) + max(-margin, 0.0)
            slope = (x if margin > 0.0 else 1.0) / (1.0 + x)
            slopes[i] -= slope
            slopes[j] += slope
    return total


@compiled
def _near_product(
    values: NDArray[np.float64],
    ends: NDArray[np.int64],
    carried: NDArray[np.float64],
    product: NDArray[np.float64],
) -> None:
    powers = _exponentials(values)
    for i in range(len(values)):
        first = ends[i]
        if first == len(values):
            break
        product[i] += _add_curvatures(
            powers[first:], 1.0 / powers[i], carried[first:], carried[i], product[first:]
        )


@compiled(fastmath={"reassoc", "contract"})
def _add_curvatures(
    powers: NDArray[np.float64],
    inverse: float,
    carried: NDArray[np.float64],
    carried_i: float,
    product: NDArray[np.float64],
) -> float:
    total = 0.0
    for j in range(len(powers)):
        x = powers[j] * inverse
        share = 1.0 / (1.0 + x)
        moved = x * share * share * (carried_i - carried[j])
        product[j] -= moved
        total += moved
    return total


@compiled
def _far_product(
    values: NDArray[np.float64],
    ends: NDArray[np.int64],
    carried: NDArray[np.float64],
    product: NDArray[np.float64],
) -> None:
    for i in range(len(values)):
        for j in range(ends[i], len(values)):
            x = np.exp(-abs(values[i] - values[j]))
            moved = x / (1.0 + x) ** 2 * (carried[i] - carried[j])
            product[i] += moved
            product[j] -= moved
