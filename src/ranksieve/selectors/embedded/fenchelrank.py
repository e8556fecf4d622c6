"""FenchelRank: the least loss over pairs with weights of a bounded sum."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ranksieve.catalog import check_choice
from ranksieve.data import RankingData
from ranksieve.estimator import DefaultGrid, decades
from ranksieve.losses import SquaredHingeLoss
from ranksieve.measures import Measure
from ranksieve.penalties import Charge
from ranksieve.problems import PairRisk
from ranksieve.selectors.base import NumberOfFeatures
from ranksieve.selectors.embedded._embedded_selector import EmbeddedSelector
from ranksieve.selectors.embedded._models import Family
from ranksieve.solvers import FrankWolfe, Penalised, ProximalNewton, Solution

_STEPS = ("pairwise", "away", "plain")
# The largest radius is that of the l1 problem at this share of the critical strength.
_DENSE, _DENSE_SEARCHED = 1e-3, 1e-6
_SMALLEST_RADIUS = 1e-3


class FenchelRank(EmbeddedSelector):
    """The features that a linear ranker with a bounded sum of |weights| needs, and the ranker.

        minimise  mean over pairs i above j of max(0, 1 - (w . x_i - w . x_j))^2
        subject to  sum |w_j| <= radius

    The same models as `SparseRankSVM("l1")`, by the size of their weights in place of a
    strength, found by Frank-Wolfe: each step moves weight to the feature with the largest gradient.

    Parameters
    ----------
    radius : float, "cv" or None
        A number above 0; "cv" for the one that ranks held-out queries best; None for the one
        that gives exactly `n_features_to_select` features, or "cv" where no number is asked for.
    n_features_to_select : int, float, "validation", Validation or None
        A number, a share between 0 and 1, chosen on validation queries, or None for all
        features with a weight. With a radius given as well, the largest weights are kept,
        without another fit.
    steps : {"pairwise", "away", "plain"}
        "plain" are the paper's, which never return a weight to 0 and converge slowly.
    measure, n_folds, rule, n_strengths : how "cv" chooses, as in `SparseRankSVM`; `n_strengths`
        is the number of radii
    tol : float, the relative gap to reach
    max_iter : int, steps at most
    random_state : int, how queries are dealt into folds
    weighting : {"pairs", "queries"}
        With "queries" the mean is over queries of the mean over a query's pairs, so that queries
        with many pairs do not count more.

    Attributes
    ----------
    coef_ : (n_features,) array, the weights of the selected features; 0 elsewhere
    order_ : features by falling |weight|, then the others by falling |gradient|; constant
        features last
    scores_ : |weight|, or |gradient| over the largest one, minus 1
    radius_ : float
    objective_, gap_, n_iter_, converged_ : how the solver ended; the gap is relative
    cross_validation_ : CrossValidation, where the radius was chosen by "cv"
    trace_ : Trace, objective and gap by step and second
    n_pairs_ : int

    Notes
    -----
    Cost: a few passes over the data per step, and a few steps. Lai, Pan, Liu, Lin and Wu, Sparse
    learning-to-rank via an efficient primal-dual algorithm, IEEE Transactions on Computers 2013.

    Examples
    --------
    >>> from ranksieve import FenchelRank, make_ranking
    >>> data, truth = make_ranking(100, n_relevant=3, n_redundant=0, n_irrelevant=6)
    >>> fenchel = FenchelRank(radius=1.0).fit(data)
    >>> fenchel.get_support(indices=True).tolist() == truth.relevant.tolist()
    True
    >>> round(float(np.abs(fenchel.coef_).sum()), 6)
    1.0
    """

    strength_parameter: ClassVar[str] = "radius"

    default_grid: ClassVar[DefaultGrid] = {"radius": decades(-1, 2, 4)}

    def __init__(
        self,
        radius: float | str | None = None,
        *,
        n_features_to_select: NumberOfFeatures = None,
        steps: str = "pairwise",
        measure: str | Measure = "ndcg@10",
        n_folds: int = 5,
        rule: str = "best",
        n_strengths: int = 50,
        tol: float = 1e-7,
        max_iter: int = 1000,
        random_state: int = 0,
        weighting: str = "pairs",
    ) -> None:
        self.radius = radius
        self.n_features_to_select = n_features_to_select
        self.steps = steps
        self.measure = measure
        self.n_folds = n_folds
        self.rule = rule
        self.n_strengths = n_strengths
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.weighting = weighting

    def _family(self, data: RankingData) -> Family:
        searched = self.radius is None and self.n_features_to_select is not None
        solver = FrankWolfe(tol=self.tol, max_iter=self.max_iter, steps=self.steps)
        densest = _DENSE_SEARCHED if searched else _DENSE
        return _RadiusFamily(PairRisk(data, SquaredHingeLoss(self.weighting)), solver, densest)

    def _nearness(self, family: Family, number: float, solution: Solution) -> NDArray[np.float64]:
        _, gradient = family.risk.value_and_grad(solution.weights)
        sizes: NDArray[np.float64] = np.abs(gradient)
        largest = float(sizes.max(initial=0.0))
        return sizes / largest if largest > 0.0 else sizes

    def check_parameters(self) -> None:
        """Raise where a parameter is not valid."""
        super().check_parameters()
        check_choice("steps", self.steps, _STEPS)


class _RadiusFamily(Family):
    """Models by the sum of their |weights|."""

    def __init__(self, risk: PairRisk, solver: FrankWolfe, densest: float) -> None:
        self.risk, self._solver, self._densest = risk, solver, densest

    def solve(self, number: float, start: Solution | None) -> Solution:
        """Return the solution at a radius."""
        return replace(self._solver, radius=number).solve(self.risk, start)

    def grid(self, n_numbers: int) -> NDArray[np.float64]:
        """Return radii up to the size of a dense solution of the l1 problem."""
        _, gradient = self.risk.value_and_grad(np.zeros(self.risk.n_weights))
        strength = self._densest * float(np.abs(gradient).max(initial=0.0))
        if strength == 0.0:
            return np.geomspace(_SMALLEST_RADIUS, 1.0, n_numbers)
        charge = Charge(np.full(self.risk.n_weights, strength))
        dense = ProximalNewton(1e-3).solve(Penalised(self.risk, charge))
        largest = float(np.abs(dense.weights).sum())
        if not 0.0 < _SMALLEST_RADIUS * largest < np.inf:
            return np.geomspace(_SMALLEST_RADIUS, 1.0, n_numbers)
        return np.geomspace(_SMALLEST_RADIUS * largest, largest, n_numbers)
