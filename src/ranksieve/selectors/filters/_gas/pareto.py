"""The Pareto front of total importance against total similarity."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ranksieve.errors import ParameterError
from ranksieve.estimator import check_number
from ranksieve.selectors.filters._gas.points import (
    Point,
    balance_between,
    exact_points,
    not_dominated,
    swept_points,
)
from ranksieve.selectors.filters._gas.search import Indices, Problem

N_POINTS = 21
SOLVERS = ("greedy", "swap", "exact")


@dataclass(frozen=True, eq=False)
class ParetoFront:
    """Sets of equally many features of which none is better in both totals than another.

    Attributes
    ----------
    sets : (points, n_features) array of bool, which features each point chooses
    importance : (points,) array, sum of w_i over the set, rising
    similarity : (points,) array, sum of e_ij over all i != j of the set, rising
    proven : (points,) array of bool
        Whether no set of that size at all is at least as good in both totals and better in
        one, up to the solver's tolerance (1e-6, relative to the largest total).
    """

    sets: NDArray[np.bool_]
    importance: NDArray[np.float64]
    similarity: NDArray[np.float64]
    proven: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.importance)

    @property
    def balance(self) -> float:
        """Slope of the chord between the end points: importance given up for similarity."""
        return balance_between(
            self.importance[0], self.similarity[0], self.importance[-1], self.similarity[-1]
        )

    @property
    def knee(self) -> int:
        """The point furthest from the chord between the end points, on the good side.

        Both axes are scaled to the range between the end points, so the distance is, up to
        a factor, that of importance - balance * similarity from its value at the end points.
        Of equal ones it is that with the least similarity.
        """
        heights = self.importance - self.balance * self.similarity
        slack = 1e-12 * max(1.0, float(np.abs(heights).max()))
        return int(np.flatnonzero(heights >= heights.max() - slack)[0])

    def among(self, places: NDArray[np.int64], n_features: int) -> ParetoFront:
        """Return the front with sets over `n_features`, of which `places` were offered."""
        sets = np.zeros((len(self), n_features), dtype=bool)
        sets[:, places] = self.sets
        return replace(self, sets=sets)


def pareto_front(
    importance: ArrayLike,
    similarity: ArrayLike,
    n_features: int,
    *,
    solver: str = "exact",
    n_points: int = N_POINTS,
    time_limit: float = 60.0,
    n_restarts: int = 10,
    random_state: int = 0,
) -> ParetoFront:
    """Return sets of `n_features` features: the most importance for each amount of similarity.

        maximise sum of w_i   and   minimise sum over i != j of e_ij      over the chosen i, j

    Parameters
    ----------
    importance : (m,) array, the w_i
    similarity : (m, m) symmetric array, the e_ij; its diagonal does not count
    n_features : int, from 1 to m
    solver : {"exact", "swap", "greedy"}
        "exact": the most importance under each of `n_points` limits of the similarity, evenly
        spaced between the end points, and then the least similarity at that importance; and the
        knee. Every point is proven to be Pareto-optimal, unless `time_limit` comes first. The
        front may have more points between these.
        "swap" and "greedy": GAS's objective with at most `n_points` balances, each the slope
        between two neighbours found so far; all sets met that no other one dominates.
    n_points : int, at least 2
    time_limit : float, seconds for "exact", in all; what is left is shared by the problems left
    n_restarts, random_state : as in `GAS`

    Returns
    -------
    ParetoFront

    Notes
    -----
    Cost of "exact": two mixed-integer problems for each limit where the set changes. Of
    "swap" and "greedy": `n_points` searches.

    Examples
    --------
    >>> similarity = [[1.0, 0.9, 0.1], [0.9, 1.0, 0.2], [0.1, 0.2, 1.0]]
    >>> front = pareto_front([0.8, 0.7, 0.3], similarity, 2)
    >>> front.importance, front.similarity
    (array([1.1, 1.5]), array([0.2, 1.8]))
    >>> front.sets.astype(int)
    array([[1, 0, 1],
           [1, 1, 0]])
    """
    problem = Problem.of(np.asarray(importance), np.asarray(similarity), 0.0)
    _check(problem, n_features, solver, n_points, time_limit, n_restarts)
    points = swept_points(
        problem,
        n_features,
        n_points=n_points,
        n_restarts=None if solver == "greedy" else n_restarts,
        random_state=random_state,
    )
    if solver == "exact":
        points = exact_points(problem, n_features, points, n_points=n_points, time_limit=time_limit)
    return _front(not_dominated(points), problem.n_features)


def front_beside(
    problem: Problem, fixed: Indices, free: Indices, n_free: int, **options: Any
) -> ParetoFront:
    """Return the front of sets of `fixed` and `n_free` of the `free` features.

    The similarity c_v of a free feature with the fixed ones counts once a set, whatever else is
    in it. As all sets are equally large, it is spread over their pairs:

        sum of c_v  =  sum over i != j of (c_i + c_j) / (2 (n_free - 1))
    """
    importance, similarity = problem.totals(fixed)
    with_fixed = 2.0 * problem.similarity[np.ix_(free, fixed)].sum(axis=1)
    if n_free == 1 and len(fixed):
        front = _front_of_single_features(problem.importance[free], with_fixed)
    else:
        spread = np.add.outer(with_fixed, with_fixed) / (2.0 * max(n_free - 1, 1))
        inside = problem.similarity[np.ix_(free, free)] + spread
        front = pareto_front(problem.importance[free], inside, n_free, **options)
    front = front.among(free, problem.n_features)
    front.sets[:, fixed] = True
    return replace(
        front, importance=front.importance + importance, similarity=front.similarity + similarity
    )


def _front_of_single_features(
    importance: NDArray[np.float64], similarity: NDArray[np.float64]
) -> ParetoFront:
    points = [
        Point(np.array([feature]), float(importance[feature]), float(similarity[feature]), True)
        for feature in range(len(importance))
    ]
    return _front(not_dominated(points), len(importance))


def _front(points: list[Point], n_features: int) -> ParetoFront:
    sets = np.zeros((len(points), n_features), dtype=bool)
    for row, point in enumerate(points):
        sets[row, point.chosen] = True
    return ParetoFront(
        sets,
        np.array([point.importance for point in points]),
        np.array([point.similarity for point in points]),
        np.array([point.proven for point in points]),
    )


def _check(
    problem: Problem,
    n_features: int,
    solver: str,
    n_points: int,
    time_limit: float,
    n_restarts: int,
) -> None:
    m = problem.n_features
    if problem.importance.ndim != 1 or problem.similarity.shape != (m, m):
        raise ParameterError(
            "importance has one number per feature and similarity is features by features, but "
            f"their shapes are {problem.importance.shape} and {problem.similarity.shape}"
        )
    check_number("n_features", n_features, least=0, integer=True)
    if n_features > m:
        raise ParameterError(f"n_features={n_features} must be at most the {m} features there are")
    if solver not in SOLVERS:
        raise ParameterError(f"solver must be one of {', '.join(SOLVERS)}, but is {solver!r}")
    check_number("n_points", n_points, least=2, integer=True)
    check_number("time_limit", time_limit, above=0)
    check_number("n_restarts", n_restarts, least=0, integer=True)
