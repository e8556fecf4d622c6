"""The quadratic programme of cutting planes: the best mixture of a few planes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# Share of the largest curvature that is added to all, against planes that are copies.
_RIDGE = 1e-14
# Steps for each plane at most; a few in all are usual.
_MAX_STEPS = 20


def best_mixture(
    slopes: NDArray[np.float64],
    offsets: NDArray[np.float64],
    start: NDArray[np.float64],
    accuracy: float,
) -> NDArray[np.float64]:
    """Return the shares a >= 0, sum 1, with the largest offsets . a - |slopes' a|^2 / 2.

    An active set, after Wolfe (1976): at w = -slopes' a, the derivative by a share is the
    height offset + slope . w of its plane. Take in the highest plane, go to the maximum over
    the planes in use, where all are equally high, and drop a plane whenever its share would
    fall below 0; until no plane is higher than the mixture by more than `accuracy`, which
    bounds the distance to the maximum. Heights are measured anew at each step, so rounding
    does not pile up.
    """
    shares = start.copy()
    value = -np.inf
    for _ in range(_MAX_STEPS * len(offsets)):
        w = -(shares @ slopes)
        before, value = value, float(offsets @ shares - 0.5 * (w @ w))
        heights = offsets + slopes @ w
        highest = int(heights.argmax())
        # In double precision the value may stop rising before the accuracy is met.
        if heights[highest] - shares @ heights <= accuracy or value <= before:
            break
        last = shares.copy()
        _to_maximum(slopes, offsets, shares, highest)
    return last if value < before else shares


def _to_maximum(
    slopes: NDArray[np.float64],
    offsets: NDArray[np.float64],
    shares: NDArray[np.float64],
    entering: int,
) -> None:
    """Move to the maximum over the planes in use and a new one; `shares` change in place."""
    used = np.union1d(np.flatnonzero(shares), [entering])
    while len(used) > 1:
        change = _newton_step(slopes[used], offsets[used], shares[used], -(shares @ slopes))
        falling = change < 0.0
        lengths = np.full(len(used), np.inf)
        lengths[falling] = shares[used][falling] / -change[falling]
        blocking = int(lengths.argmin())
        shares[used] = np.maximum(shares[used] + min(lengths[blocking], 1.0) * change, 0.0)
        if lengths[blocking] >= 1.0:
            break
        shares[used[blocking]] = 0.0
        used = np.delete(used, blocking)
    shares /= shares.sum()


def _newton_step(
    slopes: NDArray[np.float64],
    offsets: NDArray[np.float64],
    shares: NDArray[np.float64],
    w: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the change of shares, of sum 0, after which the planes would be equally high.

    In differences to the plane of the largest share, that what slopes have in common eats no
    digits. Where slopes depend on each other the ridge makes the step long, towards the
    higher ones, and the caller cuts it where a share is used up.
    """
    base = int(shares.argmax())
    others = np.arange(len(shares)) != base
    differences = slopes[others] - slopes[base]
    higher = offsets[others] - offsets[base] + differences @ w
    curvature = differences @ differences.T
    diagonal = np.diag_indices_from(curvature)
    ridge = _RIDGE * float(curvature[diagonal].max())
    curvature[diagonal] += ridge if ridge > 0.0 else 1.0
    change = np.empty(len(shares))
    change[others] = np.linalg.solve(curvature, higher)
    change[base] = -change[others].sum()
    return change
