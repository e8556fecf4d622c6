"""Proximal Newton on a working set: the default solver of embedded selection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranksieve.progress import report
from ranksieve.solvers._penalised import Penalised
from ranksieve.solvers._quadratic_model import Model
from ranksieve.solvers._trace import Recorder
from ranksieve.solvers.base import Solution, Solver

_SUFFICIENT_DECREASE = 1e-4
_MAX_HALVINGS = 40
_ROUNDING = 4 * np.finfo(np.float64).eps
# A step that leaves more of the gap than this asks for a better model.
_SLOW = 0.4


class _Point(NamedTuple):
    w: NDArray[np.float64]
    value: float
    gradient: NDArray[np.float64]


class _State(NamedTuple):
    """Where the next problem of a path can go on: the point and the model there."""

    point: _Point
    model: Model | None
    stride: int


@dataclass(frozen=True)
class ProximalNewton(Solver):
    """Minimum of a loss over pairs plus a charge on |w|, with a duality gap.

    Each iteration takes the features whose weights are not 0 or whose gradients are near
    their thresholds, minimises a quadratic model of the loss on them plus the charge, exactly
    and without a look at the data, and halves the step until the objective falls enough. The
    model is a matrix of features by features. It is measured on a sample of the queries first
    (the more documents, the smaller a share is enough), learns from the gradients of later
    steps (BFGS), and is measured again, on more queries, only where steps get slow: a gradient
    costs one pass over the data, a model about as many as a tenth of its features. That the
    model is rough costs steps, never accuracy: the gap is of the loss itself.

    Parameters
    ----------
    tol : relative duality gap to reach
    max_iter : steps at most

    Notes
    -----
    Cost: a pass over the data per step, usually 3 to 15 steps, and O(d^2) memory for d features
    beside a few numbers per document. The duality gap is that of `Penalised.gap`.

    Examples
    --------
    >>> from ranksieve import make_ranking
    >>> from ranksieve.losses import SquaredHingeLoss
    >>> from ranksieve.penalties import Charge
    >>> from ranksieve.problems import PairRisk
    >>> data, truth = make_ranking(60, n_relevant=2, n_redundant=0, n_irrelevant=4)
    >>> problem = Penalised(PairRisk(data, SquaredHingeLoss()), Charge(np.full(6, 0.1)))
    >>> found = ProximalNewton().solve(problem)
    >>> found.converged, np.flatnonzero(found.weights).tolist() == truth.relevant.tolist()
    (True, True)
    """

    tol: float = 1e-6
    max_iter: int = 200

    def solve(self, problem: Penalised, start: Any = None) -> Solution:
        """Minimise from `start`: weights, or a solution of the same loss with another charge."""
        point, model, stride = _first(problem, start)
        recorder, stalled, n_iter, before = Recorder(), False, 0, np.inf
        measured_here = False
        objective, gap = problem.gap(*point)
        while True:
            recorder.add(objective, gap)
            if gap <= self.tol or stalled or n_iter == self.max_iter:
                break
            report("solving", n_iter, None)
            needed = problem.needed(point.w, point.gradient, share=1.0)
            slow = gap > _SLOW * before
            if model is None or slow or not model.covers(needed):
                # Slow although measured a step ago: the sample was too small.
                finer = max(1, stride // 4) if slow and measured_here else stride
                last = model if finer == stride else None
                stride = finer
                model = problem.model(point.w, point.gradient, stride, last)
                measured_here = True
            else:
                measured_here = False
            stepped = _step(problem, point, model, objective, gap)
            n_iter += 1
            before = gap
            if stepped is None:
                # In double precision the objective may stop falling before the gap is met.
                stalled = measured_here and model.whole and stride == 1
                before, model = 0.0, model if model.whole else None
                continue
            there, objective, gap = stepped
            model = model.learnt_from(there.w - point.w, there.gradient - point.gradient)
            point = there
        return Solution(
            point.w,
            objective,
            gap,
            n_iter,
            bool(gap <= self.tol),
            recorder.trace(),
            _State(point, model, stride),
        )


def _first(problem: Penalised, start: Any) -> _State:
    stride = problem.risk.sampling
    if isinstance(start, Solution) and isinstance(start.state, _State):
        point, model, stride = start.state
        if _allowed(problem, point.w):
            # Free where this was the last point. The signed part of the charge may be another.
            current = _Point(point.w, *problem.risk.value_and_grad(point.w))
            problem.risk.accept()
            return _State(current, model, stride)
        start = np.where(np.isfinite(problem.charge.linear), point.w, 0.0)
    elif isinstance(start, Solution):
        start = start.weights
    w = np.zeros(problem.risk.n_weights) if start is None else np.array(start, dtype=np.float64)
    w[~np.isfinite(problem.charge.linear)] = 0.0
    value, gradient = problem.risk.value_and_grad(w)
    problem.risk.accept()
    return _State(_Point(w, value, gradient), None, stride)


def _allowed(problem: Penalised, w: NDArray[np.float64]) -> bool:
    return not (w[~np.isfinite(problem.charge.linear)] != 0.0).any()


def _step(
    problem: Penalised, point: _Point, model: Model, objective: float, gap: float
) -> tuple[_Point, float, float] | None:
    """Return a better point on the way to the model's minimum, its objective and gap, or None.

    Better is a lower objective. Where what there is to win is lost in rounding, gradients still
    have digits: then it is a smaller gap.
    """
    w, value_here, gradient = point
    step = model.minimise(w, gradient, problem.charge, gap) - w
    slope = float(gradient @ step) + problem.charge.value(w + step) - (objective - value_here)
    in_rounding = slope > -_ROUNDING * objective
    length = 1.0
    for _ in range(1 if in_rounding else _MAX_HALVINGS):
        trial = w + length * step
        value, trial_gradient = problem.risk.value_and_grad(trial)
        reached = _Point(trial, value, trial_gradient)
        new, new_gap = problem.gap(*reached)
        enough = new <= objective + _SUFFICIENT_DECREASE * length * slope
        if new_gap < gap if in_rounding else enough:
            problem.risk.accept()
            return reached, new, new_gap
        length *= 0.5
    return None
