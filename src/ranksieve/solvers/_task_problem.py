"""Losses of several tasks with a charge on the rows of weights, and how far a point is off."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ranksieve.penalties import Penalty, RowCharge, row_sizes
from ranksieve.solvers._penalised import BOX, NEAR, SMALL_SET, Penalised, room, vertex
from ranksieve.solvers._protocols import Risk
from ranksieve.solvers._quadratic_model import Model, QuadraticModel
from ranksieve.solvers._task_model import TaskModel

Matrix = NDArray[np.float64]


class TasksRisk(Risk, Protocol):
    """The sum of the losses of several tasks, as `problems.TaskRisk` is.

    `hessian` is a (tasks, features, features) array.
    """

    n_tasks: int
    n_features: int

    def hessian(
        self,
        features: NDArray[np.int64],
        stride: int = 1,
        tasks: NDArray[np.int64] | None = None,
    ) -> NDArray[np.float64]:
        """Return the Hessians of all tasks, or of some."""
        ...


@dataclass(frozen=True, eq=False)
class TaskPenalised(Penalised):
    """risk(W) + charge on the rows of W, both convex: `risk` is a TasksRisk, `charge` a RowCharge.

    Weights come as one vector, task after task.
    """

    risk: TasksRisk
    charge: RowCharge

    def lower_bound(
        self, w: NDArray[np.float64], value: float, gradient: NDArray[np.float64]
    ) -> float:
        """Return a proven lower bound of the optimum, from risk and gradient at w.

        The gradient G times a scale s is a point of the dual problem where each row has
        |s G_j|_2 <= rows_j and |s G_j|_inf <= own: the dual norms of both parts of the charge. The
        optimum is then at least dual(s), see `Penalised.lower_bound`. Over rows of a size up to
        `largest_weight`, a row of G may be beyond, for that size times how far it is.
        """
        largest = 1.0 / max(float(self.charge.nearness(gradient).max(initial=0.0)), 1.0)
        inner = float(gradient @ w)
        best = max(
            self.risk.dual_value(scale, value, inner)
            for scale in (largest, min(largest, vertex(value, inner)))
        )
        if self.largest_weight is not None:
            beyond = (gradient - self.charge.projected(gradient)).reshape(self.risk.n_tasks, -1)
            excess = self.largest_weight * float(row_sizes(beyond).sum())
            best = max(best, self.risk.dual_value(1.0, value, inner) - excess)
        return max(best, 0.0)

    def needed(
        self, w: NDArray[np.float64], gradient: NDArray[np.float64], *, share: float
    ) -> NDArray[np.bool_]:
        """Return the features with weights, or gradients beyond a share of the charge's slopes."""
        used = w.reshape(self.risk.n_tasks, -1).any(axis=0)
        needed: NDArray[np.bool_] = used | (self.charge.nearness(gradient) > share)
        return needed

    def model(
        self,
        w: NDArray[np.float64],
        gradient: NDArray[np.float64],
        stride: int,
        last: Any = None,
    ) -> Model:
        """Return second-order models of the tasks on the features that may get weights.

        Those of tasks whose last move they foresaw are kept.
        """
        needed = self.needed(w, gradient, share=NEAR)
        if needed.sum() < SMALL_SET:
            varying = self.risk.curvatures.reshape(self.risk.n_tasks, -1).any(axis=0)
            nearness = np.where(needed, np.inf, self.charge.nearness(gradient))
            nearness[~varying & ~needed] = -1.0
            nearest = np.argsort(-nearness, kind="stable")[:SMALL_SET]
            needed[nearest[nearness[nearest] >= 0.0]] = True
        features = np.flatnonzero(needed)
        moved = isinstance(last, TaskModel) and len(last.foreseen) > 0
        if moved and np.array_equal(last.features, features):
            hessians = last.hessians.copy()
            missed = np.flatnonzero(~last.foreseen)
            if len(missed):
                hessians[missed] = self.risk.hessian(features, stride, missed)
            return TaskModel(features, hessians, whole=not last.foreseen.any())
        hessians = self.risk.hessian(features, stride)
        # A row of one weight is charged as that weight alone, and the simpler model does.
        if self.risk.n_tasks == 1:
            return QuadraticModel(features, hessians[0])
        return TaskModel(features, hessians)


@dataclass(frozen=True, eq=False)
class TaskRegularised:
    """risk(W) + penalty of the rows' sizes, where the penalty need not be convex, + own weights.

        risk(B + S) + penalty(|B_1|, ..., |B_d|; strength) + own * strength * |S|_1

    Attributes
    ----------
    own : float, what an own weight costs in strengths; inf for no own part: S = 0
    """

    risk: TasksRisk
    penalty: Penalty
    strength: float
    own: float = np.inf

    def objective(self, w: NDArray[np.float64], shared: Matrix, value: float) -> float:
        """Return the objective at w, of which `shared` is the part B, from the risk there."""
        charged = value + self.penalty.value(row_sizes(shared), self.strength)
        if self.own == np.inf:
            return charged
        apart = np.abs(w.reshape(shared.shape) - shared).sum()
        return charged + self.own * self.strength * float(apart)

    def tangent(self, shared: Matrix) -> TaskPenalised:
        """Return the convex problem that touches this one where B is `shared`; nowhere below."""
        sizes = row_sizes(shared)
        charge = self._charge(self.penalty.derivative(sizes, self.strength))
        if self.penalty.convex:
            return TaskPenalised(self.risk, charge)
        return TaskPenalised(self.risk, charge, BOX * float(sizes.max(initial=0.0)))

    def first(self) -> TaskPenalised:
        """Return the convex problem from which reweighting starts: l2,1."""
        rows = self.penalty.first_charge(self.risk.n_features, self.strength).linear
        charge = self._charge(rows)
        return TaskPenalised(self.risk, charge, room(self.risk, charge))

    def _charge(self, rows: NDArray[np.float64]) -> RowCharge:
        return RowCharge.of(rows, self.risk.n_tasks, self.own * self.strength)
