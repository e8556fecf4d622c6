"""The minimum of a quadratic over an l1 ball, from vertex to vertex."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# Share of each curvature that is added to it, against features that are copies, and at least
# such a share of the largest.
_RIDGE, _LEAST_RIDGE = 1e-12, 1e-24
_TOLERANCE = 1e-10
_ROUNDING = 1e-14


def minimise_in_ball(
    hessian: NDArray[np.float64],
    gradient: NDArray[np.float64],
    start: NDArray[np.float64],
    radius: float,
) -> NDArray[np.float64]:
    """Return the x with the least gradient . x + x' hessian x / 2 over |x|_1 <= radius.

    Fully corrective Frank-Wolfe, after Wolfe (1976): add the vertex that the slope at x points
    to, go to the minimum over the affine hull of the active vertices, and drop a vertex
    whenever its weight would fall below 0. 0 may be one of the active points: it holds what
    |x|_1 < radius leaves. Each round solves a linear system in the active coordinates, and a
    set of vertices is never met twice but for rounding, so few rounds are needed.
    """
    curvatures = np.diag(hessian)
    largest = float(curvatures.max(initial=0.0))
    if largest <= 0.0:
        return start
    ridged = hessian + np.diag(np.maximum(_RIDGE * curvatures, _LEAST_RIDGE * largest))
    x, signs = start.copy(), np.sign(start)
    inside = bool(np.abs(x).sum() < radius * (1.0 - _ROUNDING))
    first_gap: float | None = None
    for _ in range(10 * len(gradient) + 10):
        slope = gradient + ridged @ x
        towards = int(np.abs(slope).argmax())
        gap = float(slope @ x + radius * np.abs(slope[towards]))
        first_gap = gap if first_gap is None else first_gap
        if gap <= _TOLERANCE * first_gap:
            break
        sign = -np.sign(slope[towards])
        # Two opposite vertices span 0: it stands for the second of them.
        inside = inside or bool(signs[towards] == -sign)
        signs[towards] = signs[towards] or sign
        before = x.copy()
        inside = _to_minimum(ridged, gradient, x, signs, inside=inside, radius=radius)
        if np.array_equal(x, before):
            break
    return x


def _to_minimum(
    hessian: NDArray[np.float64],
    gradient: NDArray[np.float64],
    x: NDArray[np.float64],
    signs: NDArray[np.float64],
    *,
    inside: bool,
    radius: float,
) -> bool:
    """Move x to the minimum over the active points, dropping those in the way.

    x and `signs` are changed in place; returned is whether 0 still is an active point.
    """
    while True:
        active = np.flatnonzero(signs)
        if len(active) == 0:
            return True
        target = _affine_minimum(hessian, gradient, active, signs, inside=inside, radius=radius)
        if not np.isfinite(target).all():
            # Curvatures of features far below 1 vanish, and no minimum can be told.
            return inside
        weights, aimed = x[active] * signs[active], target * signs[active]
        left, left_wanted = radius - weights.sum(), radius - aimed.sum()
        falling = aimed < 0.0
        lengths = np.where(falling, weights / np.where(falling, weights - aimed, 1.0), np.inf)
        blocking = int(lengths.argmin())
        of_zero = left / (left - left_wanted) if inside and left_wanted < 0.0 else np.inf
        length = max(min(1.0, float(lengths[blocking]), float(of_zero)), 0.0)
        x[active] += length * (target - x[active])
        if length == 1.0:
            return inside
        if of_zero <= lengths[blocking]:
            inside = False
        else:
            x[active[blocking]] = signs[active[blocking]] = 0.0


def _affine_minimum(
    hessian: NDArray[np.float64],
    gradient: NDArray[np.float64],
    active: NDArray[np.int64],
    signs: NDArray[np.float64],
    *,
    inside: bool,
    radius: float,
) -> NDArray[np.float64]:
    """Return the minimum over the active coordinates, with |x|_1 = radius unless inside."""
    block = hessian[np.ix_(active, active)]
    sides = np.column_stack([-gradient[active], signs[active]])
    free: NDArray[np.float64]
    free, along = np.linalg.solve(block, sides).T
    if inside:
        return free
    excess = (signs[active] @ free - radius) / (signs[active] @ along)
    target: NDArray[np.float64] = free - excess * along
    return target
