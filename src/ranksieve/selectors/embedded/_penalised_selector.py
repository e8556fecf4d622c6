"""What selectors with a penalty on the weights share."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import is_dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from ranksieve import catalog
from ranksieve.data import RankingData
from ranksieve.errors import ParameterError, warn_caller
from ranksieve.estimator import check_number
from ranksieve.losses import PairLoss
from ranksieve.penalties import Penalty
from ranksieve.problems import PairRisk
from ranksieve.selectors.embedded._embedded_selector import EmbeddedSelector
from ranksieve.selectors.embedded._models import Family, StrengthFamily
from ranksieve.solvers import (
    Path,
    Penalised,
    Regularised,
    Reweighting,
    Solution,
    Solver,
    path,
    with_tolerance,
)

# The strengths of a path and of a search go down to this share of the critical one.
SMALLEST, _SMALLEST_SEARCHED = 1e-3, 1e-7


class PenalisedSelector(EmbeddedSelector):
    """Loss over pairs plus a penalty, by strength; subclasses write `_penalty(data)`."""

    loss: str | PairLoss
    solver: str | Solver

    @abstractmethod
    def _penalty(self, data: RankingData) -> Penalty:
        """Return the penalty on the weights, which may depend on the data."""

    def path(
        self,
        X: Any,
        y: ArrayLike | None = None,
        *,
        qid: ArrayLike | None = None,
        n_strengths: int = 50,
        smallest: float = SMALLEST,
        strengths: ArrayLike | None = None,
    ) -> Path:
        """Return the solutions over a range of strengths, each started from the one before.

        Parameters
        ----------
        X, y, qid : as in `fit`
        n_strengths : how many, in equal ratios, from the least strength with all weights 0
        smallest : the last strength as a share of the first
        strengths : falling strengths of your own, instead

        Examples
        --------
        >>> from ranksieve import SparseRankSVM, make_ranking
        >>> data, _ = make_ranking(60, n_relevant=2, n_redundant=0, n_irrelevant=4)
        >>> path = SparseRankSVM("mcp").path(data, n_strengths=5)
        >>> path.weights.shape, int(path.n_features[0]), bool(path.converged.all())
        ((5, 6), 0, True)
        """
        self.check_parameters()
        check_number("n_strengths", n_strengths, least=1, integer=True)
        _check_share("smallest", smallest)
        numbers = None if strengths is None else _falling(strengths)
        # A copy checks the data, so that nothing of this estimator changes.
        solved: Path = clone(self)._path(X, y, qid, n_strengths, smallest, numbers)
        return solved

    def strength_on_path(self) -> float | None:
        """Return the strength where that is a number above 0."""
        strength = self._strength()
        return strength if isinstance(strength, int | float) and strength > 0 else None

    def _path(
        self,
        X: Any,
        y: ArrayLike | None,
        qid: ArrayLike | None,
        n_strengths: int,
        smallest: float,
        strengths: NDArray[np.float64] | None,
    ) -> Path:
        data = self._check_fit(X, y, qid).gathered()
        family: Any = self._settled(self._strength_family(data, smallest), data)
        numbers = family.grid(n_strengths) if strengths is None else strengths
        solved = path(family.risk, family.penalty, numbers, self._reweighting(family.penalty))
        if not solved.converged.all() and self._warns():
            warn_caller(
                f"{(~solved.converged).sum()} of {len(numbers)} models of the path missed "
                f"tol={self.tol:g}, the worst with a gap of {solved.gaps.max():.2g}. "
                "Raise max_iter, or scale the features."
            )
        return solved

    def _family(self, data: RankingData) -> Family:
        return self._strength_family(data, self._smallest_strength())

    def _smallest_strength(self) -> float:
        searched = self._strength() is None and self.n_features_to_select is not None
        return _SMALLEST_SEARCHED if searched else SMALLEST

    def _strength_family(self, data: RankingData, smallest: float) -> StrengthFamily:
        risk = PairRisk(data, self._loss())
        penalty = self._penalty(data).for_pairs(max(risk.n_pairs, 1))
        return StrengthFamily(risk, penalty, self._reweighting(penalty), smallest=smallest)

    def _loss(self) -> PairLoss:
        loss = catalog.parse(self.loss, "losses") if isinstance(self.loss, str) else self.loss
        if not isinstance(loss, PairLoss) or not loss.smooth:
            raise ParameterError(
                f"loss must be 'squared-hinge' or 'logistic', but is {self.loss!r}: the solvers "
                "need a gradient that is continuous"
            )
        return loss

    def _reweighting(self, penalty: Penalty) -> Reweighting:
        solver = as_solver(self.solver)
        return with_tolerance(solver, self.tol, self.max_iter, nonconvex=not penalty.convex)

    def _nearness(self, family: Any, number: float, solution: Solution) -> NDArray[np.float64]:
        problem = Regularised(family.risk, family.penalty, number)
        tangent = problem.tangent(solution.weights)
        _, gradient = tangent.risk.value_and_grad(solution.weights)
        thresholds = tangent.charge.thresholds(solution.weights)
        if not family.penalty.convex:
            # The slope at 0 may be infinite: what counts is the first round, plain l1.
            thresholds = problem.first().charge.thresholds(solution.weights)
        sizes = np.abs(gradient)
        nearness: NDArray[np.float64] = (sizes > 0.0).astype(np.float64)
        np.divide(sizes, thresholds, out=nearness, where=thresholds > 0.0)
        return nearness


def as_solver(spelled: str | Solver) -> Solver:
    """Return the solver of convex problems that a text spells.

    Examples
    --------
    >>> as_solver("proximal-newton")
    ProximalNewton(tol=1e-06, max_iter=200)
    """
    solvers = [entry.short_name for entry in catalog.entries("solvers") if _fits(entry.load())]
    parsed = catalog.parse(spelled, "solvers") if isinstance(spelled, str) else spelled
    if not _fits(type(parsed)):
        raise ParameterError(
            f"solver must be one of {', '.join(solvers)}, but is {spelled!r}: it does not solve "
            "a loss with a charge on the weights"
        )
    solver: Solver = parsed
    return solver


def _fits(solver: type) -> bool:
    return issubclass(solver, Solver) and solver.solves is Penalised and is_dataclass(solver)


def _check_share(name: str, value: Any) -> None:
    number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if not number or not 0.0 < value < 1.0:
        raise ParameterError(f"{name} must be a share between 0 and 1, but is {value!r}")


def _falling(strengths: ArrayLike) -> NDArray[np.float64]:
    try:
        numbers = np.atleast_1d(np.asarray(strengths, dtype=np.float64))
    except (TypeError, ValueError):
        numbers = np.full(1, np.nan)
    positive = np.isfinite(numbers) & (numbers > 0.0)
    if numbers.ndim != 1 or len(numbers) == 0 or not positive.all():
        raise ParameterError(f"strengths must be numbers above 0, but are {strengths!r}")
    if (np.diff(numbers) > 0.0).any():
        raise ParameterError("strengths must fall, so that each model starts from a sparser one")
    return numbers
