"""MIQUBO: features that tell most about the grade, alone and beside each other."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ranksieve.catalog import check_choice
from ranksieve.choices import FeatureSets
from ranksieve.data import RankingData
from ranksieve.data.check import check_count, check_seed
from ranksieve.errors import warn_caller
from ranksieve.estimator import DefaultGrid, Ending, check_number, fitted_numbers
from ranksieve.selectors.base import (
    NumberOfFeatures,
    Selection,
    Selector,
    by_score,
    constant_features,
)
from ranksieve.selectors.filters._gas.exact import is_optimal, solve_exactly
from ranksieve.selectors.filters._gas.search import (
    Indices,
    Problem,
    Solution,
    greedy,
    greedy_order,
    swap_search,
)
from ranksieve.selectors.filters._information import joint_information

_SOLVERS = ("greedy", "swap", "exact")


class MIQUBO(Selector):
    """The k features that tell most about the grade, each alone and each beside each other.

        maximise  sum of I(X_i; Y)  +  sum over i != j of I(X_i; Y | X_j)     over the chosen i, j

    in bits, where Y is the grade and X_i the bin of feature i over all documents, and

        I(X_i; Y | X_j) = I(X_i, X_j; Y) - I(X_j; Y)

    A copy of X_j adds nothing beside it, and two features that only tell something together, such
    as the two halves of an exclusive or, tell each other's share: no importance of single
    features sees that. This is the objective of `GAS` with the importance I(X_i; Y), the balance 1
    and the negative similarity -I(X_i; Y | X_j), its mean over both orders of i and j, so that
    GAS's solvers serve.

    Parameters
    ----------
    n_features_to_select : int, float, str, Choice or None
        k: a number, a share between 0 and 1, None for half of the features, or "validation". No
        term is negative, so that more features are always better, and the objective itself has no
        number: k is a constraint.
    n_bins : int
        Bins of about equal frequency over all documents, 2 at least; equal values are never
        separated, so there may be fewer.
    solver : {"greedy", "swap", "exact"}
        "greedy" adds the feature with the largest gain: its sets are nested. "swap" goes on from
        that set, and from `n_restarts` random ones, by the best exchange of one feature until none
        improves; "exact" proves the optimum by mixed-integer programming. Sets of these two for
        different numbers are not nested.
    time_limit : float, seconds that "exact" may take
    n_restarts : int
    random_state : int

    Attributes
    ----------
    order_ : all features
        The selected ones first, in greedy order among themselves, then the others as the greedy
        search goes on from them; constant features last.
    scores_ : what each feature added to the objective when it was put there; minus infinity for
        constant features
    information_ : (n_features,) array, I(X_i; Y)
    conditional_information_ : (n_features, n_features) array, I(X_i; Y | X_j) in row i, column j
    objective_ : float, of the selected features
    greedy_objective_, greedy_shortfall_ : float, that of the greedy set, and the difference
    bound_, gap_ : float, proven bound of all sets of the size, less the objective; NaN unless
        "exact"
    converged_ : bool, for "exact" whether the optimum is proven

    Notes
    -----
    Equal gains go to the lower index; features are searched in the order of I(X_i; Y), so that the
    order of columns decides nothing else. Features that are constant in every query are not
    offered: they order nothing, though one that differs between queries may tell something.
    Queries play no part. Grades must be whole numbers.

    Noise takes nothing away: I(X_j; Y | noise) is I(X_j; Y), so that noise is worth more than a
    copy. Estimates from n documents are too high by about (bins_i - 1)(grades - 1) bins_j /
    (2 n ln 2) bits, the more the more bins: features of many values gain by that, and few bins are
    better with little data. There is no `unproven`: half of an exclusive or is not shown to
    be better than a random order, alone.

    Cost: a sort of each column, n p^2 / 2 counts (n documents, p features) and p^2 / 2 tables of
    bins x bins x grades, whose size is checked; then milliseconds for "greedy" and "swap". "exact"
    is exponential, as in `GAS`.
    Cuts come from whole columns, counts from a pass over blocks.
    Ferrari Dacrema et al., Towards feature selection for ranking and classification exploiting
    quantum annealers, SIGIR 2022; the task of QuantumCLEF.

    Examples
    --------
    >>> from ranksieve import MIQUBO, load
    >>> rng = np.random.default_rng(0)
    >>> X = rng.integers(0, 2, size=(400, 4)).astype(float)
    >>> y = (X[:, 1] != X[:, 3]).astype(int)                    # neither says anything alone
    >>> sorted(MIQUBO(2).fit(load((X, y, np.arange(400) // 10))).order_[:2].tolist())
    [1, 3]
    """

    default_grid: ClassVar[DefaultGrid] = {"n_bins": (3, 5, 10)}

    def __init__(
        self,
        n_features_to_select: NumberOfFeatures = None,
        *,
        n_bins: int = 5,
        solver: Literal["greedy", "swap", "exact"] = "swap",
        time_limit: float = 60.0,
        n_restarts: int = 10,
        random_state: int = 0,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_bins = n_bins
        self.solver = solver
        self.time_limit = time_limit
        self.n_restarts = n_restarts
        self.random_state = random_state

    def check_parameters(self) -> None:
        """Raise where a parameter is not valid."""
        check_count("n_bins", self.n_bins, 2)
        check_choice("solver", self.solver, _SOLVERS)
        check_number("time_limit", self.time_limit, above=0)
        check_number("n_restarts", self.n_restarts, least=0, integer=True)
        check_seed(self.random_state)

    def ending(self) -> Ending:
        """Return how the search ended, and what the greedy search would have reached."""
        details = fitted_numbers(self, ("greedy_objective", "greedy_shortfall"))
        return replace(super().ending(), details=details)

    def feature_sets(self, data: RankingData) -> FeatureSets:
        """Return what would be kept for each number: a search of its own for each."""
        twin: MIQUBO = clone(self)
        offered = twin._offered(data)

        def of_size(number: int) -> Indices:
            return twin._search(offered, number).order[:number]

        return FeatureSets(len(offered), of_size)

    def _select(self, data: RankingData) -> Selection:
        return self._search(self._offered(data), self.n_features_)

    def _offered(self, data: RankingData) -> Indices:
        """Compute the information; return the features that vary in queries, the best first."""
        self.check_parameters()
        joint = joint_information(data, n_bins=self.n_bins, caller=type(self).__name__)
        self.information_ = np.diag(joint).copy()
        self.conditional_information_ = np.maximum(joint - self.information_, 0.0)
        best_first = by_score(self.information_)
        offered: Indices = best_first[~constant_features(data)[best_first]]
        return offered

    def _search(self, offered: Indices, n_features: int) -> Selection:
        """Choose among the offered features, and put all of them into an order."""
        beside = self.conditional_information_[np.ix_(offered, offered)]
        similarity: NDArray[np.float64] = -0.5 * (beside + beside.T)
        problem = Problem.of(self.information_[offered], similarity, 1.0)
        n_chosen = min(n_features, len(offered))
        best = self._solve(problem, n_chosen)
        self._keep(problem, best, greedy(problem, n_chosen))
        first = np.zeros(len(offered), dtype=bool)
        first[best.chosen] = True
        order, gains = greedy_order(
            problem.importance, problem.similarity, balance=1.0, first=first
        )
        scores = np.full(len(self.information_), -np.inf)
        scores[offered] = gains
        constant = np.setdiff1d(np.arange(len(scores)), offered)
        return Selection(np.concatenate([offered[order], constant]), scores)

    def _solve(self, problem: Problem, n_chosen: int) -> Solution:
        if self.solver == "greedy":
            return greedy(problem, n_chosen)
        best = swap_search(
            problem, n_chosen, n_restarts=self.n_restarts, random_state=self.random_state
        )
        if self.solver == "swap":
            return best
        best = solve_exactly(problem, n_chosen, start=best, time_limit=self.time_limit)
        if not is_optimal(problem, best):
            warn_caller(
                f"MIQUBO: the optimum for {n_chosen} features is not proven within "
                f"time_limit={self.time_limit:g} s: the objective is {best.objective:.6g}, and no "
                f"set is above {best.bound:.6g}. Raise time_limit, or use solver='swap'."
            )
        return best

    def _keep(self, problem: Problem, best: Solution, by_greedy: Solution) -> None:
        self.objective_ = best.objective
        self.greedy_objective_ = by_greedy.objective
        self.greedy_shortfall_ = best.objective - by_greedy.objective
        self.bound_ = best.bound
        self.gap_ = best.bound - best.objective
        self.converged_ = self.solver != "exact" or is_optimal(problem, best)
