"""FSMRank's own algorithm: accelerated gradient steps over nonnegative weights."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.catalog import check_choice
from ranksieve.penalties import Charge
from ranksieve.progress import report
from ranksieve.solvers._incumbent import Incumbent, next_momentum, starting_weights
from ranksieve.solvers._penalised import Penalised
from ranksieve.solvers.base import Solution, Solver, check_positive

_STOPPING = ("gap", "paper")
# The paper's gamma, the power of it by which L starts below L0, and its stop.
_GROWTH, _HEAD_START = 2.0, 10
_PAPER_CHANGE, _PAPER_ITERATIONS = 1e-4, 400
# Near the optimum the two sides of the line search differ by less than rounding.
_ROUNDING = 64 * np.finfo(np.float64).eps


@dataclass(frozen=True)
class AcceleratedGradient(Solver):
    """Minimum of risk plus charge by Nesterov's steps: Algorithm 1 of FSMRank.

    The problem is written over u = (u+, u-) >= 0 with w = u+ - u-, so that the charge is
    smooth but for the bounds:

        psi(u) = l(u) + linear . (u+ + u-),
        l(u) = risk(u+ - u-) + (u+ + u-)' matrix (u+ + u-) / 2,

    with a signed part of the charge, (u+ - u-)' signed (u+ - u-) / 2, in the risk.

    Each iteration steps from an extrapolated point z, in closed form,

        u_t = max(0, z_t - (l'(z_t) + linear) / L),
        z_{t+1} = u_t + (a_t - 1) / a_{t+1} (u_t - u_{t-1}),  a_{t+1} = (1 + sqrt(1 + 4 a_t^2)) / 2

    where L doubles while l(u_t) is above its quadratic bound at z_t (Nemirovski's line
    search), and never falls. It starts at L0 / 2^10.

    Parameters
    ----------
    tol : relative gap to reach
    max_iter : iterations at most
    stopping : {"gap", "paper"}
        "gap" goes on to `tol`. "paper" ends as the paper does, when psi changes by 1e-4 of
        itself or less, or after 400 iterations: well before the optimum. `converged` tells
        for both whether the gap is within `tol`, which ends either.
    lipschitz : float or None
        L0; None for the paper's bound, see `lipschitz_bound`. It holds for features in
        [0, 1]; for others the line search lets L grow beyond it.

    Notes
    -----
    Cost: two passes per iteration, at z_t and at u_t, and one more for each time that L
    doubles. The line search needs the loss at u_t anyway, and the same pass gives the
    gradient there, so that the recorded gap costs no pass. Nothing is doubled in memory: the
    gradient of the risk by u is (g, -g).

    psi(u_t) - psi* <= 2 L0 |u_0 - u*|^2 / (t + 1)^2 (Theorem 2, see `rate_bound`). Steps with
    momentum may go up: the best point is kept and returned, and with it the best lower bound.

    Reference: Lai, Pan, Tang and Yu, FSMRank (2013), Algorithm 1 and Theorems 1 and 2. With
    the charge's matrix the similarity times lambda1, and linear lambda2 / s, this is its
    problem (2).

    Examples
    --------
    >>> from ranksieve import make_ranking
    >>> from ranksieve.losses import SquaredHingeLoss
    >>> from ranksieve.problems import PairRisk
    >>> data, truth = make_ranking(50, n_relevant=2, n_redundant=0, n_irrelevant=3, random_state=0)
    >>> risk = PairRisk(data, SquaredHingeLoss())
    >>> found = AcceleratedGradient().solve(Penalised(risk, Charge(np.full(5, 0.1))))
    >>> found.converged, np.flatnonzero(found.weights).tolist() == truth.relevant.tolist()
    (True, True)
    """

    tol: float = 1e-6
    max_iter: int = 10_000
    stopping: str = "gap"
    lipschitz: float | None = None

    def solve(self, problem: Penalised, start: Any = None) -> Solution:
        """Minimise from `start` (weights or a `Solution`), or from zero."""
        check_choice("stopping", self.stopping, _STOPPING)
        charge = replace(problem.charge, signed=problem.signed)
        largest = lipschitz_bound(charge) if self.lipschitz is None else self.lipschitz
        check_positive("lipschitz", largest)
        as_paper = self.stopping == "paper"
        limit = min(self.max_iter, _PAPER_ITERATIONS) if as_paper else self.max_iter
        last = current = _point(problem, _doubled(starting_weights(problem, start)))
        best = Incumbent(problem)
        best.see(current.w, current.value, current.gradient)
        L, previous, momentum, n_iter = largest / _GROWTH**_HEAD_START, 1.0, 1.0, 0
        while n_iter < limit and best.gap > self.tol:
            report("solving", n_iter, None)
            z = _extrapolated(problem, last, current, (previous - 1.0) / momentum)
            best.learn(z.w, z.value, z.gradient)
            last, (current, L) = current, _step(problem, z, L)
            best.see(current.w, current.value, current.gradient)
            n_iter += 1
            previous, momentum = momentum, next_momentum(momentum)
            if as_paper and abs(current.psi - last.psi) <= _PAPER_CHANGE * abs(last.psi):
                break
        return best.solution(n_iter, self.tol)


def lipschitz_bound(charge: Charge) -> float:
    """Return L0 = (4 + 2 lambda1) d, a Lipschitz constant of l' for features in [0, 1].

    d is the number of features and lambda1 the largest entry of the charge's matrix, which
    then is lambda1 times a similarity between 0 and 1; 0 without a matrix. With a signed part
    it is the largest entry of matrix plus or minus signed. In the doubled form a pair's
    difference has 2 d entries of at most 1, so that the mean squared hinge adds 2 * 2 d, and
    the matrix at most 2 d lambda1 (Theorem 1 of FSMRank).

    Examples
    --------
    >>> lipschitz_bound(Charge(np.ones(3))), lipschitz_bound(Charge(np.ones(3), np.eye(3)))
    (12.0, 18.0)
    """
    largest = 0.0
    if charge.matrix is not None:
        sizes = 0.0 if charge.signed is None else np.abs(charge.signed)
        largest = float((charge.matrix + sizes).max(initial=0.0))
    return (4.0 + 2.0 * largest) * len(charge.linear)


def rate_bound(
    lipschitz: float,
    start: NDArray[np.float64],
    optimum: NDArray[np.float64],
    iterations: NDArray[np.int64] | int,
) -> NDArray[np.float64]:
    """Return 2 L0 |u0 - u*|^2 / (t + 1)^2: how far above the optimum iteration t is at most.

    Theorem 2 of FSMRank, for `AcceleratedGradient` where L0 is at least a Lipschitz constant
    of l'. The distance is that of the doubled weights, u = (max(w, 0), max(-w, 0)). The rate
    is O(1 / T^2), as the theorem says.

    Parameters
    ----------
    lipschitz : L0, see `lipschitz_bound`
    start, optimum : (n_features,) arrays, weights
    iterations : t, one or many

    Examples
    --------
    >>> rate_bound(4.0, np.zeros(1), np.array([-2.0]), np.array([1, 3]))
    array([8., 2.])
    """
    distance = _doubled(start) - _doubled(optimum)
    bound: NDArray[np.float64] = (
        2.0 * lipschitz * np.vdot(distance, distance) / (np.asarray(iterations) + 1.0) ** 2
    )
    return bound


@dataclass(frozen=True, eq=False)
class _Point:
    """Doubled weights u, rows u+ and u-, with what one pass tells about them."""

    u: NDArray[np.float64]
    w: NDArray[np.float64]
    value: float
    gradient: NDArray[np.float64]
    smooth: float
    slopes: NDArray[np.float64]
    psi: float


def _doubled(w: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.array([np.maximum(w, 0.0), np.maximum(-w, 0.0)])


def _point(problem: Penalised, u: NDArray[np.float64]) -> _Point:
    """Evaluate l and its gradient at u; psi only matters where u >= 0."""
    charge, w, sizes = problem.charge, u[0] - u[1], u[0] + u[1]
    value, gradient = problem.risk.value_and_grad(w)
    shared = np.zeros_like(w) if charge.matrix is None else charge.matrix @ sizes
    return _Point(
        u,
        w,
        value,
        gradient,
        smooth=value + 0.5 * float(shared @ sizes),
        slopes=np.array([shared + gradient, shared - gradient]),
        psi=value + charge.value(sizes),
    )


def _extrapolated(problem: Penalised, last: _Point, current: _Point, share: float) -> _Point:
    """Return the point from which to step; the first two times it is `current` itself."""
    return current if share == 0.0 else _point(problem, current.u + share * (current.u - last.u))


def _step(problem: Penalised, z: _Point, L: float) -> tuple[_Point, float]:
    """Return the projection step from z, and the first L, doubled as needed, that bounds l."""
    while True:
        stepped = _point(problem, np.maximum(z.u - (z.slopes + problem.charge.linear) / L, 0.0))
        moved = stepped.u - z.u
        bound = z.smooth + np.vdot(z.slopes, moved) + 0.5 * L * np.vdot(moved, moved)
        if stepped.smooth <= bound + _ROUNDING * abs(z.smooth):
            return stepped, L
        L *= _GROWTH
