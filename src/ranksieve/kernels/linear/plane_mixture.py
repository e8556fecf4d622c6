"""The quadratic programme of cutting planes: the best mixture of a few planes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.compile import compiled

# Share of the largest curvature that each is at least, against planes that are copies.
_RIDGE = 1e-14
# Steps for each plane at most; a few in all are usual.
_MAX_STEPS = 2


@compiled
def best_mixture(
    slopes: NDArray[np.float64],
    offsets: NDArray[np.float64],
    shares: NDArray[np.float64],
    accuracy: float,
) -> float:
    """Change shares a >= 0, sum 1, to those with the largest offsets . a - |slopes' a|^2 / 2.

    An active set, after Wolfe (1976): at w = -slopes' a, the derivative by a share is the
    height offset + slope . w of its plane. Take in the highest plane, go to the maximum over
    the planes in use, where all are equally high, and drop a plane whenever its share would
    fall below 0; until no plane is higher than the mixture by more than `accuracy`. Return
    that excess, which bounds the distance to the maximum. Heights and curvatures are made of
    slopes and their differences at each step: in products of slopes, kept from step to step,
    what slopes have in common would eat the digits.
    """
    k, n_weights = slopes.shape
    used, heights = np.empty(k, dtype=np.int64), np.empty(k)
    change, last, w = np.empty(k), shares.copy(), np.empty(n_weights)
    differences, factor = np.empty((k, n_weights)), np.empty((k, k))
    n_used = 0
    for plane in range(k):
        if shares[plane] > 0.0:
            used[n_used] = plane
            n_used += 1
    before, excess = -np.inf, np.inf
    for _ in range(_MAX_STEPS * k):
        _measure(slopes, offsets, shares, w, heights)
        value, level, highest = -0.5 * _dot(w, w), 0.0, 0
        for plane in range(k):
            value += shares[plane] * offsets[plane]
            level += shares[plane] * heights[plane]
            if heights[plane] > heights[highest]:
                highest = plane
        if value <= before:
            # In double precision the value may stop rising before the accuracy is met.
            for plane in range(k):
                shares[plane] = last[plane]
            break
        before, excess = value, heights[highest] - level
        if excess <= accuracy:
            break
        for plane in range(k):
            last[plane] = shares[plane]
        if shares[highest] == 0.0:
            used[n_used] = highest
            n_used += 1
        while n_used > 1:
            _newton_step(slopes, heights, shares, used[:n_used], change, differences, factor)
            blocking = _go(shares, used[:n_used], change)
            if blocking < 0:
                break
            n_used -= 1
            for index in range(blocking, n_used):
                used[index] = used[index + 1]
            _measure(slopes, offsets, shares, w, heights)
    return excess


# Reassociation lets the sum use vector lanes; their order is fixed at compile time.
@compiled(fastmath={"reassoc", "contract"})
def _dot(left: NDArray[np.float64], right: NDArray[np.float64]) -> float:
    total = 0.0
    for index in range(len(left)):
        total += left[index] * right[index]
    return total


@compiled
def _measure(
    slopes: NDArray[np.float64],
    offsets: NDArray[np.float64],
    shares: NDArray[np.float64],
    w: NDArray[np.float64],
    heights: NDArray[np.float64],
) -> None:
    """Write the mixture's point, and the height of each plane there."""
    for weight in range(len(w)):
        w[weight] = 0.0
    for plane in range(len(offsets)):
        if shares[plane] > 0.0:
            for weight in range(len(w)):
                w[weight] -= shares[plane] * slopes[plane, weight]
    for plane in range(len(offsets)):
        heights[plane] = offsets[plane] + _dot(slopes[plane], w)


@compiled
def _go(shares: NDArray[np.float64], used: NDArray[np.int64], change: NDArray[np.float64]) -> int:
    """Change the shares as far as they allow; return whose place is used up, -1 for none."""
    length, blocking = 1.0, -1
    for index in range(len(used)):
        if change[index] < 0.0 and -shares[used[index]] > length * change[index]:
            length, blocking = -shares[used[index]] / change[index], index
    total = 0.0
    for index in range(len(used)):
        share = max(shares[used[index]] + length * change[index], 0.0)
        shares[used[index]] = 0.0 if index == blocking else share
        total += shares[used[index]]
    for index in range(len(used)):
        shares[used[index]] /= total
    return blocking


@compiled
def _newton_step(
    slopes: NDArray[np.float64],
    heights: NDArray[np.float64],
    shares: NDArray[np.float64],
    used: NDArray[np.int64],
    change: NDArray[np.float64],
    differences: NDArray[np.float64],
    factor: NDArray[np.float64],
) -> None:
    """Write the change of shares, of sum 0, after which the planes would be equally high.

    It is solved in differences to the plane of the largest share, by Cholesky in `factor`.
    Where slopes depend on each other the ridge makes the step long, towards the higher planes,
    and the caller cuts it where a share is used up.
    """
    n, base_place = len(used), 0
    for index in range(n):
        if shares[used[index]] > shares[used[base_place]]:
            base_place = index
    base, largest = used[base_place], 0.0
    for index in range(n):
        # The base itself has a row of zeros, which stays out of the others' way.
        for weight in range(slopes.shape[1]):
            differences[index, weight] = slopes[used[index], weight] - slopes[base, weight]
        for other in range(index + 1):
            factor[index, other] = _dot(differences[index], differences[other])
        largest = max(largest, factor[index, index])
        change[index] = heights[used[index]] - heights[base]
    _solve(factor, change, n, _RIDGE * largest if largest > 0.0 else 1.0)
    total = 0.0
    for index in range(n):
        total += change[index]
    change[base_place] -= total


@compiled
def _solve(factor: NDArray[np.float64], side: NDArray[np.float64], n: int, ridge: float) -> None:
    """Solve a system of n equations in place, by Cholesky with pivots of at least the ridge."""
    for row in range(n):
        for column in range(row):
            product = _dot(factor[row, :column], factor[column, :column])
            factor[row, column] = (factor[row, column] - product) / factor[column, column]
        pivot = factor[row, row] + ridge - _dot(factor[row, :row], factor[row, :row])
        factor[row, row] = np.sqrt(max(pivot, ridge))
        side[row] = (side[row] - _dot(factor[row, :row], side[:row])) / factor[row, row]
    for row in range(n - 1, -1, -1):
        for below in range(row + 1, n):
            side[row] -= factor[below, row] * side[below]
        side[row] /= factor[row, row]
