"""Second-order models of the losses of several tasks, and their minimum with a charge on rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.linear.bfgs import update_by_bfgs
from ranksieve.kernels.linear.row_descent import descend_rows, row_slopes
from ranksieve.penalties import RowCharge, row_sizes

Matrix = NDArray[np.float64]

# Sweeps before Newton steps, from weights of 0 and from others; the second round doubles them.
_COLD_SWEEPS, _FIRST_SWEEPS = 128, 32
_MAX_ROUNDS, _MAX_STEPS, _MAX_HALVINGS = 2, 6, 12
# The models are minimised to this share of the gap. More would be lost: the next step has others.
_SHARE = 0.1
# A change of a gradient that a model tells up to this share of it was foreseen.
_FORESEEN = 0.05
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
    `foreseen` tells for which tasks the change of the gradient in the last move was foreseen.
    """

    features: NDArray[np.int64]
    hessians: NDArray[np.float64]
    foreseen: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, dtype=bool))
    whole: bool = True

    def covers(self, needed: NDArray[np.bool_]) -> bool:
        """Tell whether the model has all features that are marked."""
        covered = np.zeros(len(needed), dtype=bool)
        covered[self.features] = True
        return not (needed & ~covered).any()

    def learnt_from(self, move: NDArray[np.float64], change: NDArray[np.float64]) -> TaskModel:
        """Return the models after a move of all weights and its change of the gradients (BFGS)."""
        hessians = self.hessians.copy()
        moves, changes = self._part(move), self._part(change)
        errors = row_sizes((changes - _products(hessians, moves)).T)
        foreseen = errors <= _FORESEEN * row_sizes(changes.T)
        for task, hessian in enumerate(hessians):
            if moves[task].any():
                update_by_bfgs(hessian, moves[task], changes[task])
        return TaskModel(self.features, hessians, foreseen)

    def minimise(
        self, w: NDArray[np.float64], gradient: NDArray[np.float64], charge: Any, gap: float
    ) -> NDArray[np.float64]:
        """Return all weights after those of `features` went to the minimum of models + charge.

        The conditions of optimality then hold to a tenth of the gap, times the largest threshold,
        unless that takes too many rounds. Sweeps of coordinate descent, a row of weights at a time,
        find which rows are 0, and Newton steps on the others find their values.
        """
        unit = _unit(self.hessians)
        part = RowCharge.of(charge.rows[self.features] / unit, charge.n_tasks, charge.own / unit)
        hessians, z = self.hessians / unit / unit, unit * self._part(w)
        b = self._part(gradient) / unit - _products(hessians, z)
        _to_minimum(hessians, b, part, z, _SHARE * gap)
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
    """Bring z towards the least sum of b_t'z_t + z_t' H_t z_t / 2, plus the charge."""
    stacked = np.ascontiguousarray(hessians.reshape(-1, hessians.shape[2]))
    limit = _limit(b, charge, accuracy)
    sweeps = _FIRST_SWEEPS if z.any() else _COLD_SWEEPS
    for _ in range(_MAX_ROUNDS):
        slopes, before = b + _products(hessians, z), z.copy()
        descend_rows(stacked, charge.rows, charge.own, z, slopes, sweeps)
        point, done = _by_newton_steps(hessians, b, charge, z, limit)
        z[:] = point.z
        # Where nothing moves: the end of double precision, or no curvature to go by.
        if done or np.abs(z - before).max() <= _STILL * np.abs(z).max():
            return
        sweeps *= 2


class _Point(NamedTuple):
    """Weights with the slopes of the models there, and the charge's slopes and curvatures."""

    z: Matrix
    slopes: Matrix
    first: Matrix
    second: Matrix
    coupling: Matrix
    value: float

    @classmethod
    def at(cls, hessians: NDArray[np.float64], b: Matrix, charge: RowCharge, z: Matrix) -> _Point:
        slopes = b + _products(hessians, z)
        first, second, coupling = np.empty((3, *z.shape))
        row_slopes(charge.rows, charge.own, z, first, second, coupling)
        # A charge that doubles where the weights do is what its slopes make of them.
        value = float(np.vdot(z, 0.5 * (b + slopes) + first))
        return cls(z, slopes, first, second, coupling, value)

    @property
    def kept(self) -> NDArray[np.bool_]:
        """Weights of 0 that Newton steps leave there."""
        kept: NDArray[np.bool_] = (self.z == 0.0) & (self.second == 0.0)
        return kept

    def own(self, charge: RowCharge) -> NDArray[np.bool_]:
        """Weights with an own part."""
        own: NDArray[np.bool_] = np.abs(self.first) == charge.own
        return own

    def violations(self, charge: RowCharge) -> tuple[float, float]:
        """Return by how much the conditions of optimality are missed, in the worst row.

        First by the weights that Newton steps move, then by those that they leave at 0.
        """
        kept = self.kept
        moving = row_sizes(np.where(kept, 0.0, self.slopes + self.first)).max(initial=0.0)
        left = row_sizes(self._outside(charge, np.where(kept, self.slopes, 0.0)))
        return float(moving), float(left.max(initial=0.0))

    def _outside(self, charge: RowCharge, slopes: Matrix) -> Matrix:
        """Return what is beyond the slopes that weights of 0 can have beside the own ones."""
        rows = charge.rows
        if charge.own < np.inf:
            squares = rows**2 - charge.own**2 * self.own(charge).sum(axis=0)
            rows = np.sqrt(np.maximum(squares, 0.0))
        if (row_sizes(slopes) <= rows).all() and np.abs(slopes).max(initial=0.0) <= charge.own:
            return np.zeros_like(slopes)
        beside = RowCharge.of(rows, charge.n_tasks, charge.own)
        beyond: Matrix = slopes - beside.projected(slopes.ravel()).reshape(slopes.shape)
        return beyond


def _by_newton_steps(
    hessians: NDArray[np.float64], b: Matrix, charge: RowCharge, z: Matrix, limit: float
) -> tuple[_Point, bool]:
    """Return where Newton steps lead, and whether that is the minimum.

    They end where weights that they leave at 0 are what is worst: sweeps move those.
    """
    point = _Point.at(hessians, b, charge, z)
    moving, left = point.violations(charge)
    for n_steps in range(_MAX_STEPS):
        # One at least: a gap may ask for more than slopes do, and it wins more than the sweeps.
        if n_steps > 0 and moving <= max(left, limit):
            break
        following = _newton_step(hessians, b, charge, point, moving)
        if following is None:
            break
        point = following
        moving, left = point.violations(charge)
    return point, max(moving, left) <= limit


def _newton_step(
    hessians: NDArray[np.float64], b: Matrix, charge: RowCharge, point: _Point, moving: float
) -> _Point | None:
    """Return a point with a lower value on the way of a Newton step, or None.

    Where what there is to win is lost in rounding, slopes still have digits: then one that
    misses the conditions of optimality by less.
    """
    support = np.flatnonzero(point.z.any(axis=0))
    step = _direction(hessians, point, support) if len(support) else None
    if step is None:
        return None
    won = -float(np.vdot((point.slopes + point.first)[:, support], step))
    in_rounding = won <= _ROUNDING * float(np.abs(point.z * b).sum())
    length = 1.0
    for _ in range(1 if in_rounding else _MAX_HALVINGS):
        trial = point.z.copy()
        trial[:, support] = _moved(charge, point, support, length * step)
        there = _Point.at(hessians, b, charge, trial)
        if there.violations(charge)[0] < moving if in_rounding else there.value < point.value:
            return there
        length *= 0.5
    return None


def _moved(charge: RowCharge, point: _Point, support: NDArray[np.int64], step: Matrix) -> Matrix:
    """Return the weights after a step; what passes 0, where the charge has an edge, stays there.

    That is an own weight, or the part of a row that is shared beside the own ones.
    """
    here = point.z[:, support]
    moved: Matrix = here + step
    along = here * moved
    own = point.own(charge)[:, support]
    shared = point.second[:, support] > 0.0
    turned = np.where(shared, along, 0.0).sum(axis=0) <= 0.0
    moved[(own & (along < 0.0)) | (shared & turned)] = 0.0
    return moved


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


def _direction(
    hessians: NDArray[np.float64], point: _Point, support: NDArray[np.int64]
) -> Matrix | None:
    """Return the Newton step of the rows in `support`, or None where a matrix is singular.

    The curvature is that of each task, H_t + diag(d_t), less the coupling U U' of the tasks in a
    row: U has a column per feature, with u_t for task t. By Woodbury's identity each task's matrix
    is solved for alone, and then one of features by features.
    """
    second, coupling = point.second[:, support], point.coupling[:, support]
    n, diagonal = len(support), np.arange(len(support))
    sides = np.zeros((len(hessians), n, n + 1))
    sides[:, diagonal, diagonal] = coupling
    sides[:, :, n] = -(point.slopes + point.first)[:, support]
    matrices = hessians[:, support[:, None], support]
    matrices[:, diagonal, diagonal] += second
    matrices[:, diagonal, diagonal] *= 1.0 + _JITTER
    # Own weights of 0 stay there; so do those of features that do not vary in a task.
    still = point.kept[:, support] | (matrices[:, diagonal, diagonal] <= 0.0)
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
