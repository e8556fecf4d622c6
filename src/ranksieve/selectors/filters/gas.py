"""GAS: important features that are unlike each other."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ranksieve.catalog import suggestion
from ranksieve.choices import FeatureSets
from ranksieve.data import RankingData
from ranksieve.errors import ParameterError, warn_caller
from ranksieve.estimator import DefaultGrid, Ending, check_number, fitted_numbers
from ranksieve.importance import Importance, as_importance
from ranksieve.measures import Measure
from ranksieve.selectors._shared import SharedComponent
from ranksieve.selectors.base import NumberOfFeatures, Selection, Selector, constant_features
from ranksieve.selectors.filters._gas.exact import is_optimal, solve_exactly
from ranksieve.selectors.filters._gas.pareto import SOLVERS, front_beside
from ranksieve.selectors.filters._gas.search import (
    Indices,
    Problem,
    Solution,
    Stage,
    greedy,
    greedy_order,
    swap_search,
)
from ranksieve.selectors.filters._gas.sets import SetProblem, correlations, search_sets
from ranksieve.selectors.filters._unproven import Unproven, check_unproven, comes_later, rated
from ranksieve.similarity import Similarity, as_similarity

__all__ = ["GAS", "greedy_order"]


class GAS(Selector):
    """Features that are important and unlike each other.

        maximise  sum of w_i  -  balance * sum over i != j of e_ij      over the chosen i, j

    where w_i is the importance of feature i and e_ij the similarity of features i and j.
    The paper's greedy search takes the feature with the largest weight and subtracts
    2 * balance * e_ij from the weights of the others, step by step: its sets are nested, so
    one fit serves every number of features, the first k of `order_`. The other solvers find
    better sets for one number; those for different numbers are not nested.

    Parameters
    ----------
    n_features_to_select : int, float, str, Choice or None
        A number, a share between 0 and 1, None for half of the features, or "validation".
    importance : str, Measure or Importance
        A measure's text such as "map" or "ndcg@10" (better of both directions, ties
        averaged), or the name of an importance. "map" is the paper's; take "ndcg@10" where the
        ranker is trained for that, as those of this package are by default.
    similarity : str or Similarity
    explained_by : None, 1, 2 or 3
        None charges the similarity of pairs, as published. A number charges what the chosen
        features explain of each other's order, by as many of them together at most: 2 sees
        redundancy among three features, 3 among four (see the notes). It needs a similarity with
        a sign, "spearman" or "tau-b".
    balance : float
        The paper's c: 0 is `TopK`, and large values prefer unlike features to important ones.
    solver : {"greedy", "swap", "exact"}
        "swap" goes on from the greedy set, and from `n_restarts` random ones, by the best
        exchange of one feature until none improves; the best is kept. "exact" proves the
        optimum by mixed-integer programming (HiGHS).
    trade_off : {"sum", "pareto"}
        "pareto" does without a balance: the front of total importance against total
        similarity is in `front_`, and its knee is selected (see `ParetoFront.knee`).
    orient : bool
        Turn each feature to its better direction before similarities are computed: f and -f
        are then as similar as f is to itself. Without it, as in the paper, f and its mirror image
        -f have the same importance and nothing in common, so that both are chosen early.
    unproven : {"last", "published"}
        "last" offers features whose importance is not shown to be better than that of a random
        order (`Importance.better_than_random`, level 0.05) only after all others are chosen, to
        every solver: where more are asked for, sets have all others, and the best of these beside
        them. "published" treats them like any other, as the paper does. Where no feature is
        shown to be better, both are alike.
    time_limit : float
        Seconds that "exact" may take, for each number of features.
    n_restarts : int
    random_state : int

    Attributes
    ----------
    order_ : all features
        In the order in which they are chosen; unproven features after the others (see
        `unproven`), constant features last. For "swap", "exact" and
        "pareto" the selected ones come first, in greedy order among themselves, and the rest
        as the greedy search goes on from them.
    scores_ : weight of each feature when it was put there: what it added to the objective
    importance_ : (n_features,) array
    similarity_ : (n_features, n_features) array
    better_than_random_ : (n_features,) array of bool, with unproven="last"
    directions_ : (n_features,) array of 1 and -1, with `orient`
    objective_ : float, the objective of the selected features
    greedy_objective_ : float, that of the greedy search's set of the same size
    greedy_shortfall_ : float, how much the greedy search falls short: the difference
    bound_ : float, proven upper bound of the objective of all sets of the size; NaN unless "exact"
    gap_ : float, bound_ - objective_: absolute, in the units of the objective
    converged_ : bool
        For "exact" whether the optimum is proven: `gap_` at most 1e-6 times the largest of 1,
        |objective_|, importances and charges of a pair (for "pareto": all points). Otherwise
        True: the greedy search is done when it ends, swaps end at a local optimum.
    front_ : ParetoFront, with trade_off="pareto"
    balance_ : float
        `balance`, or for "pareto" the slope between the ends of the front: the knee is the
        optimum of the objective with this balance, of which `objective_` and `scores_` are.

    Notes
    -----
    Redundancy of sets: with correlations r_ij within queries (the similarity over the roots of
    its diagonal), explained_by=n charges, in the place of the sum over i != j of e_ij,

        sum over i != j of r_ij^2
        + sum over i of max(0, the largest R^2(i | A) - sum over a in A of r_ia^2)

    over sets A of 2 to n chosen features other than i, where R^2(i | A) is the share of the
    variance of i's ranks within queries that those of A explain together (multiple correlation,
    with one set of weights for all queries), and the sum what they explain one by one. n = 1 is
    GAS with squared correlations. Shares that sum to one, or a difference of two features, are
    explained by two or three others in full and by each of them hardly. What is no weighted sum
    of ranks, such as an exclusive or, is not seen (see `MIQUBO`). "swap" has a form for it;
    "exact" and "pareto" have none for n > 1.

    Equal weights go to the lower index. Where fewer features vary than are asked for, constant
    ones fill up, and the objective and its bounds are those of the features that vary.

    Deviations from the paper: a feature that is constant in every query (of the whole data, or a
    property of the query) is like no other and would be chosen early for it, though it orders
    nothing; it is not offered to any solver and its score is minus infinity. One that varies in
    a few queries is like no other either, and scores as a random order does, which is not much
    below the others in the units of the objective: see `unproven`.

    Cost: that of importance and similarity (O(p^2 sum m^2 / 64) for Kendall's); then O(p^2) for
    "greedy", milliseconds more for "swap". "exact" is exponential, with O(p^2) variables:
    measured on two busy cores, up to 50 s for 36 varying features (OHSUMED) and 20 s for 40
    (MQ2008); with 131 (MSLR) a gap of 3 to 6 per cent is left after 60 s. All features,
    one feature or balance 0 need no search. Redundancy of sets comes from the same matrix:
    O(p^3) for the order with explained_by=2, O(p^4) with 3 (0.1 s and 6 s for 136 features), and
    "swap" O(k^3 p) and O(k^4 p) per exchange of k features.
    Geng, Liu, Qin and Li, Feature selection for ranking, SIGIR 2007; "swap", "exact", "pareto",
    `orient` and `explained_by` answer its section 5.

    Examples
    --------
    >>> from ranksieve import GAS, make_ranking
    >>> data, truth = make_ranking(n_relevant=3, n_redundant=3, n_irrelevant=3, random_state=0)
    >>> gas = GAS(n_features_to_select=3, balance=0.1, solver="exact").fit(data)
    >>> gas.order_.shape, int(gas.get_support().sum()), gas.converged_
    ((9,), 3, True)
    """

    default_grid: ClassVar[DefaultGrid] = {"balance": (0.0, 0.01, 0.03, 0.1, 0.3, 1.0)}
    settled_parameters: ClassVar[tuple[str, ...]] = ("balance",)

    def __init__(
        self,
        n_features_to_select: NumberOfFeatures = None,
        *,
        importance: str | Measure | Importance = "map",
        similarity: str | Similarity = "kendall",
        explained_by: int | None = None,
        balance: float = 0.1,
        solver: Literal["greedy", "swap", "exact"] = "greedy",
        trade_off: Literal["sum", "pareto"] = "sum",
        orient: bool = False,
        unproven: Unproven = "last",
        time_limit: float = 60.0,
        n_restarts: int = 10,
        random_state: int = 0,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.importance = importance
        self.similarity = similarity
        self.explained_by = explained_by
        self.balance = balance
        self.solver = solver
        self.trade_off = trade_off
        self.orient = orient
        self.unproven = unproven
        self.time_limit = time_limit
        self.n_restarts = n_restarts
        self.random_state = random_state

    def _select(self, data: RankingData) -> Selection:
        self.check_parameters()
        return self._search(self._offered(data), self.n_features_)

    def ending(self) -> Ending:
        """Return how the search ended, and what the greedy search would have reached."""
        details = fitted_numbers(self, ("greedy_objective", "greedy_shortfall"))
        return replace(super().ending(), details=details)

    def shared_components(self) -> tuple[SharedComponent, ...]:
        """Return importance and similarity; nothing where features are turned first."""
        if self.orient:
            return ()
        return (
            SharedComponent.importance("importance", self.importance),
            SharedComponent.similarity("similarity", self.similarity),
        )

    def feature_sets(self, data: RankingData) -> FeatureSets:
        """Return what would be kept for each number: a search of its own for each."""
        self.check_parameters()
        twin: GAS = clone(self)
        offered = twin._offered(data)

        def of_size(number: int) -> NDArray[np.int64]:
            return twin._search(offered, number).order[:number]

        return FeatureSets(int(offered.sum()), of_size)

    def _offered(self, data: RankingData) -> NDArray[np.bool_]:
        """Compute importance and similarity; return which features vary within queries."""
        importance = as_importance(self.importance)
        self.importance_, better = rated(importance, data, self.unproven)
        if better is not None:
            self.better_than_random_ = better
        ranked = data
        if self.orient:
            self.directions_ = importance.directions(data)
            ranked = data.turned(self.directions_)
        self.similarity_ = as_similarity(self.similarity).matrix(ranked)
        return ~constant_features(data)

    def _search(self, offered: NDArray[np.bool_], n_features: int) -> Selection:
        """Choose among the offered features, and put all of them into an order."""
        places = np.flatnonzero(offered)
        later = comes_later(getattr(self, "better_than_random_", None), offered)
        stage = Stage.of(later[places], min(n_features, len(places)))
        if self.explained_by is not None and self.explained_by > 1:
            return self._search_sets(places, later[places], stage)
        charged = self.similarity_
        if self.explained_by == 1:
            charged = correlations(self.similarity_) ** 2
        problem = Problem.of(
            self.importance_[places], charged[np.ix_(places, places)], self.balance
        )
        if self.trade_off == "pareto":
            problem, best = self._knee(problem, stage, offered)
        else:
            best = self._best(problem, stage)
        self._keep(problem, best, stage.solved(problem, greedy))
        first = np.zeros(len(offered), dtype=bool)
        first[places[best.chosen]] = True
        order, gains = greedy_order(
            self.importance_,
            charged,
            balance=problem.balance,
            offered=offered,
            first=first,
            later=later,
        )
        return Selection(order, gains)

    def _search_sets(self, places: Indices, later: NDArray[np.bool_], stage: Stage) -> Selection:
        """Choose by what sets of features explain, and put all features into an order."""
        problem = SetProblem(
            self.importance_[places],
            correlations(self.similarity_[np.ix_(places, places)]),
            float(self.balance),
            int(self.explained_by or 1),
        )
        outcome = search_sets(
            problem,
            later,
            stage,
            swap=self.solver == "swap",
            n_restarts=self.n_restarts,
            random_state=self.random_state,
        )
        self._keep(problem, outcome.best, outcome.by_greedy)
        scores = np.full(len(self.importance_), -np.inf)
        scores[places] = outcome.gains
        constant = np.setdiff1d(np.arange(len(scores)), places)
        return Selection(np.concatenate([places[outcome.order], constant]), scores)

    def _best(self, problem: Problem, stage: Stage) -> Solution:
        best = stage.solved(problem, self._solve)
        if self.solver == "exact" and not is_optimal(problem, best):
            warn_caller(
                f"GAS: the optimum for {len(best.chosen)} features is not proven within "
                f"time_limit={self.time_limit:g} s: the objective is {best.objective:.6g}, and no "
                f"set is above {best.bound:.6g}. Raise time_limit, or use solver='swap'."
            )
        return best

    def _solve(self, problem: Problem, n_chosen: int) -> Solution:
        if self.solver == "greedy":
            return greedy(problem, n_chosen)
        best = swap_search(
            problem, n_chosen, n_restarts=self.n_restarts, random_state=self.random_state
        )
        if self.solver == "swap":
            return best
        return solve_exactly(problem, n_chosen, start=best, time_limit=self.time_limit)

    def _knee(
        self, problem: Problem, stage: Stage, offered: NDArray[np.bool_]
    ) -> tuple[Problem, Solution]:
        """Return the problem whose balance is the front's, and the front's knee."""
        front = front_beside(
            problem,
            stage.fixed,
            stage.free,
            stage.n_free,
            solver=self.solver,
            time_limit=self.time_limit,
            n_restarts=self.n_restarts,
            random_state=self.random_state,
        )
        if self.solver == "exact" and not front.proven.all():
            warn_caller(
                f"GAS: {int((~front.proven).sum())} of {len(front)} points of the front are not "
                f"proven within time_limit={self.time_limit:g} s. Raise it, or use solver='swap'."
            )
        self.front_ = front.among(np.flatnonzero(offered), len(offered))
        problem = problem.with_balance(front.balance)
        chosen = np.flatnonzero(front.sets[front.knee])
        value = problem.value(chosen)
        return problem, Solution(chosen, value, value if front.proven[front.knee] else np.nan)

    def _keep(self, problem: Problem | SetProblem, best: Solution, by_greedy: Solution) -> None:
        self.balance_ = problem.balance
        self.objective_ = best.objective
        self.greedy_objective_ = by_greedy.objective
        self.greedy_shortfall_ = best.objective - by_greedy.objective
        self.bound_ = best.bound
        self.gap_ = best.bound - best.objective
        self.converged_ = True
        if self.solver == "exact" and isinstance(problem, Problem):
            proven = self.front_.proven.all() if self.trade_off == "pareto" else None
            self.converged_ = is_optimal(problem, best) if proven is None else bool(proven)

    def check_parameters(self) -> None:
        """Raise where a parameter is not valid."""
        check_number("balance", self.balance, least=0)
        check_number("time_limit", self.time_limit, above=0)
        check_number("n_restarts", self.n_restarts, least=0, integer=True)
        check_number("random_state", self.random_state, least=0, integer=True)
        check_unproven(self.unproven)
        _check_name("solver", self.solver, SOLVERS)
        _check_name("trade_off", self.trade_off, ("sum", "pareto"))
        if not isinstance(self.orient, bool | np.bool_):
            raise ParameterError(f"orient must be True or False, but is {self.orient!r}")
        if self.explained_by is not None:
            self._check_explained_by()

    def _check_explained_by(self) -> None:
        is_whole = isinstance(self.explained_by, int | np.integer)
        if (
            not is_whole
            or isinstance(self.explained_by, bool)
            or self.explained_by not in (1, 2, 3)
        ):
            raise ParameterError(
                f"explained_by must be None, 1, 2 or 3, but is {self.explained_by!r}"
            )
        similarity = as_similarity(self.similarity)
        if similarity.range[0] >= 0.0:
            raise ParameterError(
                f"explained_by={self.explained_by} needs correlations with a sign, "
                f"similarity='spearman' or 'tau-b', but the similarity is {similarity!r}"
            )
        if self.explained_by > 1 and (self.solver == "exact" or self.trade_off == "pareto"):
            raise ParameterError(
                f"explained_by={self.explained_by} charges sets of {self.explained_by + 1} "
                "features, for which solver='exact' and trade_off='pareto' have no model: take "
                "solver='greedy' or 'swap' with trade_off='sum', or explained_by=1"
            )


def _check_name(parameter: str, value: object, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise ParameterError(
            f"{parameter} must be one of {', '.join(map(repr, allowed))}, but is {value!r}"
            f"{suggestion(str(value), allowed)}"
        )
