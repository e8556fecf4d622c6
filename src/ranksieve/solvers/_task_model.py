"""Second-order models of the losses of several tasks, and their minimum with a charge on rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.linear.bfgs import update_by_bfgs
from ranksieve.kernels.linear.row_descent import descend_rows
from ranksieve.penalties import RowCharge, row_sizes

Matrix = NDArray[np.float64]

_FIRST_SWEEPS, _MOST_SWEEPS, _MAX_ROUNDS = 32, 1024, 60
_MAX_HALVINGS = 12
# Added to the diagonal, relative to it: features that are copies make the matrix singular.
_JITTER = 1e-12
# Violations below this share of the slopes at 0 are rounding.
_ROUNDING = 1e-14
# Rounds that move no weight by more than this share of the largest do not go on.
_STILL = 1e-13


@dataclass(frozen=True, eq=False)
class TaskModel:
    """The sum over tasks of gradient_t . (z_t - w_t) + (z_t - w_t)' H_t (z_t - w_t) / 2.

    For the weights of `features`, the same in all tasks; `hessians` is (tasks, features, features).
    """

    features: NDArray[np.int64]
    hessians: NDArray[np.float64]

    def covers(self, needed: NDArray[np.bool_]) -> bool:
        """Tell whether the model has all features that are marked."""
        covered = np.zeros(len(needed), dtype=bool)
        covered[self.features] = True
        return not (needed & ~covered).any()

    def learnt_from(self, move: NDArray[np.float64], change: NDArray[np.float64]) -> TaskModel:
        """Return the models after a move of all weights and its change of the gradients (BFGS)."""
        hessians = self.hessians.copy()
        moves, changes = self._part(move), self._part(change)
        for task, hessian in enumerate(hessians):
            if moves[task].any():
                update_by_bfgs(hessian, moves[task], changes[task])
        return TaskModel(self.features, hessians)

    def minimise(
        self, w: NDArray[np.float64], gradient: NDArray[np.float64], charge: Any, accuracy: float
    ) -> NDArray[np.float64]:
        """Return all weights after those of `features` went to the minimum of models + charge.

        The conditions of optimality then hold to `accuracy` times the largest threshold. Sweeps
        of coordinate descent, a row of weights at a time, find which rows are 0, and Newton steps
        on the others find their values.
        """
        unit = _unit(self.hessians)
        part = RowCharge.of(charge.rows[self.features] / unit, charge.n_tasks, charge.own / unit)
        hessians, z = self.hessians / unit / unit, unit * self._part(w)
        b = self._part(gradient) / unit - _products(hessians, z)
        _to_minimum(hessians, b, part, z, accuracy)
        minimiser = np.zeros((charge.n_tasks, len(w) // charge.n_tasks))
        minimiser[:, self.features] = z / unit
        return minimiser.ravel()

    def _part(self, w: NDArray[np.float64]) -> Matrix:
        return np.ascontiguousarray(w.reshape(len(self.hessians), -1)[:, self.features])


def _unit(hessians: NDArray[np.float64]) -> float:
    """Return the unit of weights in which the largest curvature is 1: squares stay in range."""
    largest = float(np.abs(np.diagonal(hessians, axis1=1, axis2=2)).max(initial=0.0))
    return float(np.sqrt(largest)) if 0.0 < largest < np.inf else 1.0


def _to_minimum(
    hessians: NDArray[np.float64], b: Matrix, charge: RowCharge, z: Matrix, accuracy: float
) -> None:
    """Bring z to the least sum of b_t'z_t + z_t' H_t z_t / 2, plus the charge."""
    stacked = np.ascontiguousarray(hessians.reshape(-1, hessians.shape[2]))
    limit = _limit(b, charge, accuracy)
    sweeps = _FIRST_SWEEPS
    for _ in range(_MAX_ROUNDS):
        slopes, before = b + _products(hessians, z), z.copy()
        descend_rows(stacked, charge.rows, charge.own, z, slopes, sweeps)
        slopes = b + _products(hessians, z)
        if _violation(charge, z, slopes) <= limit:
            return
        if not _newton_step(hessians, b, charge, z, slopes):
            if np.abs(z - before).max() <= _STILL * np.abs(z).max():
                return  # the end of double precision, or no curvature to go by
            sweeps = min(2 * sweeps, _MOST_SWEEPS)


def _products(hessians: NDArray[np.float64], z: Matrix) -> Matrix:
    products: Matrix = (hessians @ z[:, :, None])[:, :, 0]
    return products


def _limit(b: Matrix, charge: RowCharge, accuracy: float) -> float:
    bounded = charge.rows[np.isfinite(charge.rows)]
    threshold = float(bounded.max(initial=0.0))
    if charge.own < np.inf:
        threshold = max(threshold, charge.own)
    slope = float(np.abs(b).max(initial=0.0))
    return max(accuracy * max(threshold, 1e-6 * slope), _ROUNDING * slope)


def _violation(charge: RowCharge, z: Matrix, slopes: Matrix) -> float:
    """Return by how much the conditions of optimality are missed, in the worst row."""
    first, _, _ = charge.slopes(z)
    shared = row_sizes(charge.shared(z)) > 0.0
    # Where nothing is shared, slopes of the charge are those of 0 beside the own parts.
    outside = slopes - charge.projected(slopes.ravel()).reshape(slopes.shape)
    away = np.where(shared, slopes + first, np.where(z != 0.0, slopes + first, outside))
    return float(row_sizes(away).max(initial=0.0))


def _value(hessians: NDArray[np.float64], b: Matrix, charge: RowCharge, z: Matrix) -> float:
    quadratic = float((z * (b + 0.5 * _products(hessians, z))).sum())
    return quadratic + charge.value(z.ravel())


def _newton_step(
    hessians: NDArray[np.float64], b: Matrix, charge: RowCharge, z: Matrix, slopes: Matrix
) -> bool:
    """Move the rows that are not 0 towards their minimum; tell whether that lowered the value."""
    support = np.flatnonzero(z.any(axis=0))
    if not len(support):
        return False
    step = _direction(hessians, charge, z, slopes, support)
    if step is None:
        return False
    before, length = _value(hessians, b, charge, z), 1.0
    here = z[:, support]
    apart = np.abs(here) > np.abs(charge.shared(z)[:, support])
    for _ in range(_MAX_HALVINGS):
        moved = here + length * step
        # A row that turns around has passed 0, where it would stay; so has an own weight.
        moved[:, (moved * here).sum(axis=0) <= 0.0] = 0.0
        moved[apart & (moved * here < 0.0)] = 0.0
        trial = z.copy()
        trial[:, support] = moved
        if _value(hessians, b, charge, trial) < before:
            z[:] = trial
            return True
        length *= 0.5
    return False


def _direction(
    hessians: NDArray[np.float64],
    charge: RowCharge,
    z: Matrix,
    slopes: Matrix,
    support: NDArray[np.int64],
) -> Matrix | None:
    """Return the Newton step of the rows in `support`, or None where a matrix is singular.

    The curvature is that of each task, H_t + diag(d_t), less the coupling U U' of the tasks in a
    row: U has a column per feature, with u_t for task t. By Woodbury's identity each task's matrix
    is solved for alone, and then one of features by features.
    """
    first, second, coupling = (part[:, support] for part in charge.slopes(z))
    n, diagonal = len(support), np.arange(len(support))
    sides = np.zeros((len(hessians), n, n + 1))
    sides[:, diagonal, diagonal] = coupling
    sides[:, :, n] = -(slopes[:, support] + first)
    matrices = hessians[:, support[:, None], support]
    matrices[:, diagonal, diagonal] += second
    matrices[:, diagonal, diagonal] *= 1.0 + _JITTER
    # Own weights of 0 stay there; so do those of features that do not vary in a task.
    still = (z[:, support] == 0.0) & (second == 0.0)
    still |= matrices[:, diagonal, diagonal] <= 0.0
    if still.any():
        matrices[still] = 0.0
        matrices.transpose(0, 2, 1)[still] = 0.0
        tasks, features = np.nonzero(still)
        matrices[tasks, features, features] = 1.0
        sides[still] = 0.0
    try:
        solved = np.linalg.solve(matrices, sides)
        loaded, steps = solved[:, :, :n], solved[:, :, n]
        capacity = np.eye(n) - (coupling[:, :, None] * loaded).sum(axis=0)
        mixed = np.linalg.solve(capacity, (coupling * steps).sum(axis=0))
    except np.linalg.LinAlgError:
        return None
    total: Matrix = steps + loaded @ mixed
    return total if np.isfinite(total).all() else None
