"""FISTA: accelerated forward-backward splitting with soft thresholding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.errors import ParameterError
from ranksieve.penalties import Charge
from ranksieve.progress import report
from ranksieve.solvers._incumbent import Incumbent, next_momentum, starting_weights
from ranksieve.solvers._penalised import Penalised
from ranksieve.solvers.base import Solution, Solver, check_positive

_GROWTH = 1.5
# Near the optimum the two sides of the line search differ by less than rounding.
_ROUNDING = 64 * np.finfo(np.float64).eps


@dataclass(frozen=True)
class FISTA(Solver):
    """Minimum of risk plus a charge on each weight alone, by Algorithm 1 of sparse RankSVM.

    A gradient step from an extrapolated point z, then the charge's proximal step:

        w_k = prox(z_k - risk'(z_k) / L),  prox(v)_j = sign(v_j) max(0, |v_j| - linear_j / L)
                                                       / (1 + matrix_jj / L)
        z_{k+1} = w_k + (t_k - 1) / t_{k+1} (w_k - w_{k-1}),  t_{k+1} = (1 + sqrt(1 + 4 t_k^2)) / 2

    The charge is l1, weighted l1, or either with a ridge (a diagonal matrix); a matrix that
    ties weights together has no such step, and `AcceleratedGradient` takes it.

    Parameters
    ----------
    tol : relative gap to reach
    max_iter : iterations at most
    lipschitz : float or None
        The L to start from; None for the largest curvature of the risk by one weight. L grows
        by half while the risk at w_k is above its quadratic bound at z_k. The paper's own
        constant lacks a factor 2 and is a loose sum (the least one is twice the largest
        eigenvalue of the pairs' Gram matrix), so it is not used.

    Notes
    -----
    Cost: two passes per iteration, at z_k and at w_k, and one more for each time that L
    grows. The line search needs the loss at w_k anyway, and the same pass gives the gradient
    there, so that the recorded gap costs no pass. Steps with momentum may go up: the best
    point is kept and returned, and with it the best lower bound.

    Reference: Laporte, Flamary, Canu, Dejean and Mothe, Nonconvex regularizations for feature
    selection in ranking with sparse SVM (2014), Algorithm 1, after Beck and Teboulle (2009).

    Examples
    --------
    >>> from ranksieve import make_ranking
    >>> from ranksieve.losses import SquaredHingeLoss
    >>> from ranksieve.problems import PairRisk
    >>> data, truth = make_ranking(50, n_relevant=2, n_redundant=0, n_irrelevant=3, random_state=0)
    >>> risk = PairRisk(data, SquaredHingeLoss())
    >>> found = FISTA().solve(Penalised(risk, Charge(np.full(5, 0.1))))
    >>> found.converged, np.flatnonzero(found.weights).tolist() == truth.relevant.tolist()
    (True, True)
    """

    tol: float = 1e-6
    max_iter: int = 10_000
    lipschitz: float | None = None

    def solve(self, problem: Penalised, start: Any = None) -> Solution:
        """Minimise from `start` (weights or a `Solution`), or from zero."""
        check_no_ties(problem.charge, type(self).__name__)
        L = float(problem.risk.curvatures.max()) if self.lipschitz is None else self.lipschitz
        if self.lipschitz is not None:
            check_positive("lipschitz", self.lipschitz)
        last = current = _point(problem, starting_weights(problem, start))
        best = Incumbent(problem)
        best.see(current.w, current.value, current.gradient)
        previous, momentum, n_iter = 1.0, 1.0, 0
        while n_iter < self.max_iter and best.gap > self.tol:
            report("solving", n_iter, None)
            z = _extrapolated(problem, last, current, (previous - 1.0) / momentum)
            best.learn(z.w, z.value, z.gradient)
            last, (current, L) = current, _step(problem, z, L)
            best.see(current.w, current.value, current.gradient)
            n_iter += 1
            previous, momentum = momentum, next_momentum(momentum)
        return best.solution(n_iter, self.tol)


@dataclass(frozen=True, eq=False)
class _Point:
    w: NDArray[np.float64]
    value: float
    gradient: NDArray[np.float64]


def check_no_ties(charge: Charge, solver: str) -> None:
    """Raise where the charge's matrix has more than its diagonal."""
    if charge.matrix is None:
        return
    tied = np.argwhere(charge.matrix - np.diag(np.diag(charge.matrix)))
    if len(tied):
        raise ParameterError(
            f"{solver} needs a charge on each weight alone, but the charge's matrix ties weights "
            f"together ({len(tied)} entries off the diagonal are not 0, the first at "
            f"{tuple(tied[0].tolist())}). Use AcceleratedGradient, or another solver that takes "
            "a full matrix."
        )


def _point(problem: Penalised, w: NDArray[np.float64]) -> _Point:
    return _Point(w, *problem.risk.value_and_grad(w))


def _extrapolated(problem: Penalised, last: _Point, current: _Point, share: float) -> _Point:
    """Return the point from which to step; the first two times it is `current` itself."""
    return current if share == 0.0 else _point(problem, current.w + share * (current.w - last.w))


def _step(problem: Penalised, z: _Point, L: float) -> tuple[_Point, float]:
    """Return the proximal step from z, and the first L, grown as needed, that bounds the risk."""
    while True:
        stepped = _point(problem, problem.charge.prox(z.w - z.gradient / L, 1.0 / L))
        moved = stepped.w - z.w
        bound = z.value + z.gradient @ moved + 0.5 * L * (moved @ moved)
        if stepped.value <= bound + _ROUNDING * abs(z.value):
            return stepped, L
        L *= _GROWTH
