"""RankSVM in the primal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import RankingData
from ranksieve.errors import DataError
from ranksieve.estimator import DefaultGrid, check_number, decades
from ranksieve.losses import SquaredHingeLoss
from ranksieve.measures import KendallTau, Measure, parse_measure
from ranksieve.problems import RidgePairs
from ranksieve.rankers._cross_validation import CrossValidation, cross_validated
from ranksieve.rankers._linear import LinearRanker
from ranksieve.rankers._solved import SolvedRanker
from ranksieve.rankers.base import queries_with_pairs
from ranksieve.solvers import NewtonCG, Solution

# Decades of C that are tried, from the one at which the loss of the median feature is as curved
# as |w|^2 / 2.
_DECADES = range(-2, 5)
# Relative gap that is small enough to compare rankings by.
_ROUGH = 1e-4
# What C was before folds chose it, in model files that do not say.
_FORMER_C = 1.0


class RankSVM(SolvedRanker, LinearRanker):
    """Linear ranking by the squared hinge over pairs, to the optimum.

        minimise  |w|^2 / 2 + C * sum over queries and pairs i above j of
                  max(0, 1 - (w . x_i - w . x_j))^2

    Parameters
    ----------
    C : float or None
        Weight of the sum over pairs, as in the papers and in scikit-learn's linear SVMs. It
        multiplies a sum: data with more pairs wants a smaller C. None for the one that ranks
        held-out queries best, see Notes.
    tol : float
        Relative gap at which to stop, see `gap_`.
    max_iter : int
        Newton iterations at most.
    measure : str or Measure
        What C is chosen by, where it is None: the best mean over held-out queries, and the
        smallest C among equals.
    n_folds : int
        Folds of the queries; at most one per query.
    random_state : int
        How queries are dealt into folds.
    weighting : {"pairs", "queries"}
        Whether every pair counts the same, so that queries with many pairs count most, or every
        query, see `PairLoss`; the weights of all pairs sum up to their number either way.

    Attributes
    ----------
    coef_ : (n_features,) array, the weights
    C_ : float, the C of the model
    cross_validation_ : CrossValidation, where C was chosen by folds
        The values of C, means and standard errors on held-out queries, the measure, the folds.
    objective_ : float, the objective at `coef_`
    gap_ : float
        A proven bound of (objective - optimum) / objective. The objective is strongly convex
        with constant 1, so objective - optimum <= |gradient|^2 / 2.
    n_iter_ : int
    converged_ : bool
    n_features_in_ : int

    Notes
    -----
    With C=None seven values are tried: 10^-2, 10^-1, ..., 10^4 times C0, the power of ten that is
    nearest to the C at which both terms of the objective are equally curved at w = 0 in the
    median feature,

        2 C0 * sum over pairs of (x_ik - x_jk)^2  =  1    (k the median of features that vary)

    On each fold's other queries they are fitted from small to large, each from the weights
    before it, to a relative gap of 1e-4; then the best is fitted on all data, as RankSVM(C=C_)
    is. Only queries with two grades take part: the others tell no C from another. Where the
    grades do not suit the measure, as real numbers do not suit NDCG's gain, Kendall's tau takes
    its place. With fewer than two such queries, or no feature that varies, there are no folds,
    and C is 10 C0, the middle of the grid (1 where no feature varies). Queries are dealt by
    their ids: their order in the data does not matter.

    A fit with C=None takes about 10 times as long as one with C=1 on OHSUMED, and 8 times on
    MQ2008: a number for C saves that. `tuned` chooses once for many fits. Memory: the queries of a
    fold, a fifth, and the others are copied, one fold at a time.

    No pair is ever built: a query of m documents costs O(m log m), whatever the grades.
    Cost: one pass over the data for each Newton step and each product inside it, tens to
    hundreds in all; float32 features are read as they are, without a copy in float64. A
    feature that does not vary within queries gets weight 0, up to rounding. Features are
    used as given. The optimum is found for raw features of any range, but the penalty is on
    the weights: a feature in small units needs a large one. Scale them per query
    (`ranksieve.data.scale`) where their ranges differ widely.

    The squared hinge is that of "RankSVM-Primal" in Lai et al., FSMRank (2013), after
    Chapelle and Keerthi, Efficient algorithms for ranking with SVMs (2010).

    Examples
    --------
    >>> from ranksieve import RankSVM
    >>> X, y, qid = [[0.0], [1.0], [0.0], [1.0]], [0, 1, 0, 1], [1, 1, 2, 2]
    >>> svm = RankSVM(C=1.0).fit(X, y, qid=qid)
    >>> svm.coef_, svm.converged_
    (array([0.8]), True)
    >>> svm.predict(X)
    array([0. , 0.8, 0. , 0.8])
    """

    C: float | None  # type: ignore[assignment]

    default_grid: ClassVar[DefaultGrid] = {"C": decades(-6, 2)}
    settled_parameters: ClassVar[tuple[str, ...]] = ("C",)

    def __init__(
        self,
        C: float | None = None,
        *,
        tol: float = 1e-6,
        max_iter: int = 100,
        measure: str | Measure = "ndcg@10",
        n_folds: int = 5,
        random_state: int = 0,
        weighting: str = "pairs",
    ) -> None:
        self.C = C
        self.tol = tol
        self.max_iter = max_iter
        self.measure = measure
        self.n_folds = n_folds
        self.random_state = random_state
        self.weighting = weighting

    def tuned(self, data: RankingData) -> Self:
        """Return a copy, not fitted, with a number for C: its own, or the one that folds choose."""
        self.check_parameters()
        copy = super().tuned(data)
        copy.C = self._choose(data)[0]
        return copy.canonical()

    def canonical(self) -> Self:
        """Return a copy in which what chooses C has its defaults where C is a number."""
        copy = super().canonical()
        if self.C is None:
            return copy
        defaults = type(self)().get_params(deep=False)
        copy.set_params(**{name: defaults[name] for name in _CHOOSING})
        return copy

    def _fit(self, data: RankingData) -> None:
        self.check_parameters()
        self.C_, chosen_by = self._choose(data)
        if chosen_by is not None:
            self.cross_validation_ = chosen_by
        problem = self._problem(data.gathered(), self.C_)
        solution = NewtonCG(self.tol, self.max_iter).solve(problem, self._start)
        self.coef_ = solution.weights
        self._keep_ending(solution)

    def _problem(self, data: RankingData, C: float) -> RidgePairs:
        return RidgePairs(data, SquaredHingeLoss(self.weighting), C)

    def _choose(self, data: RankingData) -> tuple[float, CrossValidation | None]:
        """Return the C to take, and how folds chose it, where they did."""
        if self.C is not None:
            return float(self.C), None
        mixed = queries_with_pairs(data)
        if not mixed.any():
            return 1.0, None
        data = (data if mixed.all() else data.queries(mixed)).gathered()
        values = _grid(self._problem(data, 1.0))
        if data.n_queries < 2 or len(values) == 1:
            return float(values[len(values) // 2]), None
        curve = cross_validated(
            data,
            values,
            lambda part: self._path(part, values),
            measure=_suiting(parse_measure(self.measure), data),
            n_folds=self.n_folds,
            rule="best",
            random_state=self.random_state,
        )
        return curve.chosen, curve

    def _path(self, data: RankingData, values: NDArray[np.float64]) -> Iterator[Solution]:
        """Yield the model at each C, started from the one before."""
        problem, solution = self._problem(data, 1.0), None
        for C in values:
            solver = NewtonCG(max(self.tol, _ROUGH), self.max_iter)
            solution = solver.solve(problem.at(C), solution)
            yield solution

    def check_parameters(self) -> None:
        """Raise where a parameter is not valid."""
        if self.C is not None:
            check_number("C", self.C, above=0)
        check_number("tol", self.tol, above=0)
        check_number("max_iter", self.max_iter, least=1, integer=True)
        parse_measure(self.measure)
        check_number("n_folds", self.n_folds, least=2, integer=True)
        check_number("random_state", self.random_state, least=0, integer=True)

    def _set_payload(self, payload: bytes) -> None:
        super()._set_payload(payload)
        if not hasattr(self, "C_"):
            self.C_ = _FORMER_C if self.C is None else float(self.C)


# Parameters that say how C is chosen.
_CHOOSING = ("measure", "n_folds", "random_state")


def _grid(problem: RidgePairs) -> NDArray[np.float64]:
    """Return the values of C to try, for the problem with C = 1: powers of ten, rising."""
    curvatures = problem.loss_curvatures[problem.loss_curvatures > 0.0]
    if len(curvatures) == 0:
        return np.array([1.0])
    # A power of ten: what rounding does to the sum in other blocks does not show in C.
    middle = -round(float(np.log10(np.median(curvatures))))
    return np.array([float(f"1e{middle + step}") for step in _DECADES])


def _suiting(measure: Measure, data: RankingData) -> Measure:
    """Return the measure, or Kendall's tau where it does not take the grades."""
    try:
        measure.check_grades(data.y)
    except DataError:
        return KendallTau()
    return measure
