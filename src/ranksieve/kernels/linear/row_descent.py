"""Coordinate descent on quadratic models of several tasks, with a charge on each feature's row."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.compile import compiled
from ranksieve.kernels.linear.coordinate_descent import _add_multiple

_MAX_STEPS = 60
_CLOSE = 1e-15


@compiled
def descend_rows(
    hessians: NDArray[np.float64],
    rows: NDArray[np.float64],
    own: float,
    z: NDArray[np.float64],
    slopes: NDArray[np.float64],
    sweeps: int,
) -> None:
    """Lower the sum over tasks of b_t'z_t + z_t' H_t z_t / 2, plus a charge on each feature's row.

    The charge on row r = (z_1j, ..., z_Tj) is the least rows_j |b| + own |s|_1 over b + s = r.
    Row j of task t's matrix H_t is row t * k + j of `hessians`, for k features. `slopes` has
    b_t + H_t z_t and follows z. Each row is brought to its best value given the others, so the
    value never rises.
    """
    n_tasks, n_features = z.shape
    pulls, curvatures = np.empty(n_tasks), np.empty(n_tasks)
    for _ in range(sweeps):
        for j in range(n_features):
            for t in range(n_tasks):
                curvatures[t] = hessians[t * n_features + j, j]
                pulls[t] = curvatures[t] * z[t, j] - slopes[t, j]
            _best_row(pulls, curvatures, rows[j], own)
            for t in range(n_tasks):
                move = pulls[t] - z[t, j]
                if move != 0.0:
                    z[t, j] = pulls[t]
                    _add_multiple(move, hessians[t * n_features + j], slopes[t])


@compiled
def _best_row(
    pulls: NDArray[np.float64], curvatures: NDArray[np.float64], row: float, own: float
) -> None:
    """Replace pulls by the r with the least sum of h_t r_t^2 / 2 - pull_t r_t, plus the charge.

    The slope of the charge at the best r is g_t = clip(pull_t / (1 + nu h_t), -own, own), with the
    least nu >= 0 for which |g| <= row; then r_t = (pull_t - g_t) / h_t.
    """
    nu = _multiplier(pulls, curvatures, row, own) if row > 0.0 else np.inf
    for t in range(len(pulls)):
        h, pull = curvatures[t], pulls[t]
        if h <= 0.0:
            pulls[t] = 0.0
        elif nu == np.inf:
            pulls[t] = pull / h
        else:
            shrunk = pull / (1.0 + nu * h)
            if abs(shrunk) > own:
                pulls[t] = (pull - np.copysign(own, pull)) / h
            else:
                # Without the difference of two near numbers: pull - shrunk = nu h shrunk.
                pulls[t] = nu * shrunk


@compiled
def _multiplier(
    pulls: NDArray[np.float64], curvatures: NDArray[np.float64], row: float, own: float
) -> float:
    """Return the least nu >= 0 with |clip(pull_t / (1 + nu h_t), -own, own)| <= row.

    By Newton steps on 1 / |clip(...)|, which is nearly a line in nu, inside a bracket.
    """
    if row == np.inf:
        return 0.0
    low, high, nu = 0.0, np.inf, 0.0
    for _ in range(_MAX_STEPS):
        square, slope = 0.0, 0.0
        for t in range(len(pulls)):
            h = curvatures[t]
            if h > 0.0:
                shrunk = abs(pulls[t]) / (1.0 + nu * h)
                if shrunk > own:
                    square += own * own
                else:
                    square += shrunk * shrunk
                    slope += shrunk * shrunk * h / (1.0 + nu * h)
        size = np.sqrt(square)
        if nu == 0.0 and size <= row:
            return 0.0
        if size > row:
            low = nu
        else:
            high = nu
        if abs(size - row) <= _CLOSE * row:
            break
        following = nu + (size / row - 1.0) * square / slope if slope > 0.0 else np.inf
        if not low < following < high:
            following = 0.5 * (low + high) if high < np.inf else 2.0 * nu + 1.0
        if following == nu:
            break
        nu = following
    return nu


@compiled
def row_slopes(
    rows: NDArray[np.float64],
    own: float,
    z: NDArray[np.float64],
    first: NDArray[np.float64],
    second: NDArray[np.float64],
    coupling: NDArray[np.float64],
) -> None:
    """Write first and second derivatives of the charge of `descend_rows`, where it has them.

    For each weight the slope and the curvature d if the others of its row stay, without the
    coupling inside a row, which is -u u' for u in `coupling`. 0 for rows of 0, and for own parts
    but their slope. With n own weights, those above a cap tau, a row costs own * |own ones|_1 +
    sqrt(rows_j^2 - n own^2) |the others|, and tau is the size of the others over
    sqrt(rows_j^2 / own^2 - n).
    """
    n_tasks, n_features = z.shape
    for j in range(n_features):
        cap = 0.0 if rows[j] == np.inf else np.inf
        n_own, size, price = -1, 0.0, rows[j]
        # A lower cap leaves more weights above it, which lowers the cap again: few times.
        for _ in range(n_tasks + 1):
            count, square = 0, 0.0
            for t in range(n_tasks):
                if abs(z[t, j]) > cap:
                    count += 1
                else:
                    square += z[t, j] * z[t, j]
            size = np.sqrt(square)
            if count == n_own or rows[j] == np.inf or own >= rows[j]:
                break
            n_own = count
            price = np.sqrt(max(rows[j] * rows[j] - n_own * own * own, 0.0))
            cap = size * own / price if price > 0.0 else 0.0
        for t in range(n_tasks):
            first[t, j], second[t, j], coupling[t, j] = 0.0, 0.0, 0.0
            if abs(z[t, j]) > cap:
                first[t, j] = np.copysign(own, z[t, j])
            elif size > 0.0:
                first[t, j] = price * z[t, j] / size
                second[t, j] = price / size
                coupling[t, j] = z[t, j] / size * np.sqrt(price / size)
