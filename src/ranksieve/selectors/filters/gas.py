"""GAS: important features that are unlike each other."""

from __future__ import annotations

import warnings
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ranksieve.catalog import suggestion
from ranksieve.choices import FeatureSets
from ranksieve.data import RankingData
from ranksieve.errors import ConvergenceWarning, ParameterError
from ranksieve.estimator import DefaultGrid, check_number
from ranksieve.importance import Importance, as_importance
from ranksieve.measures import Measure
from ranksieve.selectors.base import NumberOfFeatures, Selection, Selector, constant_features
from ranksieve.selectors.filters._gas_exact import is_optimal, solve_exactly
from ranksieve.selectors.filters._gas_front import SOLVERS, pareto_front
from ranksieve.selectors.filters._gas_problem import Problem, Solution, greedy, greedy_order
from ranksieve.selectors.filters._gas_swap import swap_search
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
        averaged), or the name of an importance.
    similarity : str or Similarity
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
        are then as similar as f is to itself.
    time_limit : float
        Seconds that "exact" may take, for each number of features.
    n_restarts : int
    random_state : int

    Attributes
    ----------
    order_ : all features
        In the order in which they are chosen; constant features last. For "swap", "exact" and
        "pareto" the selected ones come first, in greedy order among themselves, and the rest
        as the greedy search goes on from them.
    scores_ : weight of each feature when it was put there: what it added to the objective
    importance_ : (n_features,) array
    similarity_ : (n_features, n_features) array
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
    Equal weights go to the lower index. Where fewer features vary than are asked for, constant
    ones fill up, and the objective and its bounds are those of the features that vary.

    A feature that is constant in every query (of the
    whole data, or a property of the query) is like no other and would be chosen early for
    it, though it orders nothing; it is not offered to any solver and its score is minus
    infinity (a deviation from the paper).

    Cost: that of importance and similarity (O(p^2 sum m^2 / 64) for Kendall's); then O(p^2) for
    "greedy", milliseconds more for "swap". "exact" is exponential, with O(p^2) variables:
    measured on two busy cores, up to 50 s for 36 varying features (OHSUMED) and 20 s for 40
    (MQ2008); with 131 (MSLR) a gap of 3 to 6 per cent is left after 60 s. All features,
    one feature or balance 0 need no search.
    Geng, Liu, Qin and Li, Feature selection for ranking, SIGIR 2007; "swap", "exact", "pareto"
    and `orient` answer its section 5.

    Examples
    --------
    >>> from ranksieve import GAS, make_ranking
    >>> data, truth = make_ranking(n_relevant=3, n_redundant=3, n_irrelevant=3, random_state=0)
    >>> gas = GAS(n_features_to_select=3, balance=0.1, solver="exact").fit(data)
    >>> gas.order_.shape, int(gas.get_support().sum()), gas.converged_
    ((9,), 3, True)
    """

    default_grid: ClassVar[DefaultGrid] = {"balance": (0.0, 0.01, 0.03, 0.1, 0.3, 1.0)}

    def __init__(
        self,
        n_features_to_select: NumberOfFeatures = None,
        *,
        importance: str | Measure | Importance = "map",
        similarity: str | Similarity = "kendall",
        balance: float = 0.1,
        solver: Literal["greedy", "swap", "exact"] = "greedy",
        trade_off: Literal["sum", "pareto"] = "sum",
        orient: bool = False,
        time_limit: float = 60.0,
        n_restarts: int = 10,
        random_state: int = 0,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.importance = importance
        self.similarity = similarity
        self.balance = balance
        self.solver = solver
        self.trade_off = trade_off
        self.orient = orient
        self.time_limit = time_limit
        self.n_restarts = n_restarts
        self.random_state = random_state

    def _select(self, data: RankingData) -> Selection:
        self._check_parameters()
        return self._search(self._offered(data), self.n_features_)

    def _sets(self, data: RankingData) -> FeatureSets:
        self._check_parameters()
        twin: GAS = clone(self)
        offered = twin._offered(data)

        def of_size(number: int) -> NDArray[np.int64]:
            return twin._search(offered, number).order[:number]

        return FeatureSets(int(offered.sum()), of_size)

    def _offered(self, data: RankingData) -> NDArray[np.bool_]:
        """Compute importance and similarity; return which features vary within queries."""
        importance = as_importance(self.importance)
        self.importance_ = importance.scores(data)
        ranked = data
        if self.orient:
            self.directions_ = importance.directions(data)
            ranked = data.turned(self.directions_)
        self.similarity_ = as_similarity(self.similarity).matrix(ranked)
        return ~constant_features(data)

    def _search(self, offered: NDArray[np.bool_], n_features: int) -> Selection:
        """Choose among the offered features, and put all of them into an order."""
        places = np.flatnonzero(offered)
        n_chosen = min(n_features, len(places))
        problem = Problem.of(
            self.importance_[places], self.similarity_[np.ix_(places, places)], self.balance
        )
        if self.trade_off == "pareto":
            problem, found = self._knee(problem, n_chosen, offered)
        else:
            found = self._best(problem, n_chosen)
        self._keep(problem, found, greedy(problem, n_chosen))
        first = np.zeros(len(offered), dtype=bool)
        first[places[found.chosen]] = True
        order, gains = greedy_order(
            self.importance_,
            self.similarity_,
            balance=problem.balance,
            offered=offered,
            first=first,
        )
        return Selection(order, gains)

    def _best(self, problem: Problem, n_chosen: int) -> Solution:
        if self.solver == "greedy":
            return greedy(problem, n_chosen)
        found = swap_search(
            problem, n_chosen, n_restarts=self.n_restarts, random_state=self.random_state
        )
        if self.solver == "swap":
            return found
        found = solve_exactly(problem, n_chosen, start=found, time_limit=self.time_limit)
        if not is_optimal(problem, found):
            _warn(
                f"the optimum for {n_chosen} features is not proven within "
                f"time_limit={self.time_limit:g} s: the objective is {found.objective:.6g}, and no "
                f"set is above {found.bound:.6g}. Raise time_limit, or use solver='swap'."
            )
        return found

    def _knee(
        self, problem: Problem, n_chosen: int, offered: NDArray[np.bool_]
    ) -> tuple[Problem, Solution]:
        """Return the problem whose balance is the front's, and the front's knee."""
        front = pareto_front(
            problem.importance,
            problem.similarity,
            n_chosen,
            solver=self.solver,
            time_limit=self.time_limit,
            n_restarts=self.n_restarts,
            random_state=self.random_state,
        )
        if self.solver == "exact" and not front.proven.all():
            _warn(
                f"{int((~front.proven).sum())} of {len(front)} points of the front are not proven "
                f"within time_limit={self.time_limit:g} s. Raise it, or use solver='swap'."
            )
        self.front_ = front.among(np.flatnonzero(offered), len(offered))
        problem = problem.with_balance(front.balance)
        chosen = np.flatnonzero(front.sets[front.knee])
        value = problem.value(chosen)
        return problem, Solution(chosen, value, value if front.proven[front.knee] else np.nan)

    def _keep(self, problem: Problem, found: Solution, by_greedy: Solution) -> None:
        self.balance_ = problem.balance
        self.objective_ = found.objective
        self.greedy_objective_ = by_greedy.objective
        self.greedy_shortfall_ = found.objective - by_greedy.objective
        self.bound_ = found.bound
        self.gap_ = found.bound - found.objective
        self.converged_ = True
        if self.solver == "exact":
            proven = self.front_.proven.all() if self.trade_off == "pareto" else None
            self.converged_ = is_optimal(problem, found) if proven is None else bool(proven)

    def _check_parameters(self) -> None:
        check_number("balance", self.balance, least=0)
        check_number("time_limit", self.time_limit, above=0)
        check_number("n_restarts", self.n_restarts, least=0, whole=True)
        check_number("random_state", self.random_state, least=0, whole=True)
        _check_name("solver", self.solver, SOLVERS)
        _check_name("trade_off", self.trade_off, ("sum", "pareto"))
        if not isinstance(self.orient, bool | np.bool_):
            raise ParameterError(f"orient must be True or False, but is {self.orient!r}")


def _check_name(parameter: str, value: object, known: tuple[str, ...]) -> None:
    if value not in known:
        raise ParameterError(
            f"{parameter} must be one of {', '.join(map(repr, known))}, but is {value!r}"
            f"{suggestion(str(value), known)}"
        )


def _warn(what: str) -> None:
    warnings.warn(f"GAS: {what}", ConvergenceWarning, stacklevel=7)
