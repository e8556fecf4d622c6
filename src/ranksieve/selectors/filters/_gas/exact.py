"""GAS's problem to the proven optimum: a bound of all sets, and HiGHS on what it leaves open."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranksieve.selectors.filters._gas.search import Indices, Problem, Solution
from ranksieve.threads import side_by_side

_MAX_ITERATIONS = 250
# Steps without progress until they are made shorter, and how much shorter.
_PATIENCE, _SHORTER, _SHORTEST = 15, 0.6, 1e-3
# Bounds this close, relative to their size, are equal.
_CLOSE = 1e-9
# Share of the last direction that is kept: subgradients alone zigzag.
_MEMORY = 0.7
Limits = tuple[NDArray[np.float64], NDArray[np.float64]]
# Gap up to which a set counts as optimal, relative to the largest number of the problem.
TOLERANCE = 1e-6


def solve_exactly(
    problem: Problem, n_chosen: int, *, start: Solution, time_limit: float
) -> Solution:
    """Return the better of HiGHS's set and `start`, with a proven bound of all objectives.

    HiGHS takes no start through scipy. The objective of `start` bounds the search in another
    way: a feature whose every set is proven to be worse is left out of the model, and one
    without which every set is worse is fixed in it. (As a constraint on the objective it made
    HiGHS slower on nearly every problem measured.)
    """
    easy = _easy(problem, n_chosen)
    if easy is not None:
        return easy
    ends = time.monotonic() + time_limit
    bound = lagrangian_bound(problem, n_chosen, reached=start.objective, time_limit=time_limit)
    first = Solution(start.chosen, start.objective, bound.value)
    if is_optimal(problem, first):
        return first
    worse = start.objective - tolerance(problem, start.objective)
    left = np.flatnonzero(bound.with_feature >= worse)
    needed = (bound.without_feature[left] < worse).astype(np.float64)
    outcome = PairModel(problem.only(left), n_chosen).maximise(
        1.0,
        -problem.balance,
        fixed=(needed, np.ones(len(left))),
        time_limit=ends - time.monotonic(),
    )
    chosen = start.chosen
    if outcome.chosen is not None and problem.value(left[outcome.chosen]) > start.objective:
        chosen = left[outcome.chosen]
    objective = problem.value(chosen)
    return Solution(chosen, objective, max(min(bound.value, outcome.bound), objective))


def is_optimal(problem: Problem, solution: Solution) -> bool:
    """Return whether the gap is within the tolerance; not where no bound is known."""
    return solution.bound - solution.objective <= tolerance(problem, solution.objective)


def tolerance(problem: Problem, value: float) -> float:
    """Return the gap up to which a value counts as reached."""
    largest = np.abs(problem.importance).max(initial=0.0)
    charged = 2.0 * problem.balance * np.abs(problem.similarity).max(initial=0.0)
    return TOLERANCE * float(max(1.0, abs(value), largest, charged))


def _easy(problem: Problem, n_chosen: int) -> Solution | None:
    """Return the optimum where no search is needed: all features, one, or nothing charged."""
    if n_chosen == problem.n_features:
        chosen = np.arange(n_chosen, dtype=np.int64)
    elif n_chosen <= 1 or problem.balance == 0.0:
        best_first = np.argsort(-problem.importance, kind="stable")
        chosen = np.sort(best_first[:n_chosen]).astype(np.int64)
    else:
        return None
    value = problem.value(chosen)
    return Solution(chosen, value, value)


class Bound(NamedTuple):
    """A bound of all sets, and for each feature one of the sets with it and of those without."""

    value: float
    with_feature: NDArray[np.float64]
    without_feature: NDArray[np.float64]


def lagrangian_bound(
    problem: Problem, n_chosen: int, *, reached: float, time_limit: float = np.inf
) -> Bound:
    """Return upper bounds of the objective of every set of `n_chosen` features.

    The charge 2 balance e_ij of a pair is split between its features, a_ij to i and a_ji to
    j, halves at first. Feature i of a set then adds at most

        u_i = w_i - (sum of the n - 1 smallest a_ij over j)

    so the n largest u_i add up to a bound, for every split; with feature i in the set, or
    without it, other sums of u bound the rest. Splits are improved by steps along
    subgradients, towards the bound of the linear relaxation with symmetric pairs; `reached`,
    the objective of a known set, sets their length.
    """
    split = problem.balance * problem.similarity
    np.fill_diagonal(split, np.inf)
    bound, best_split, direction = np.inf, split, np.zeros_like(split)
    length, stalled, ends = 1.0, 0, time.monotonic() + time_limit
    for _ in range(_MAX_ITERATIONS):
        value, partners = _bound_of(problem.importance, split, n_chosen)
        stalled = 0 if value < bound - _CLOSE * max(1.0, abs(value)) else stalled + 1
        if value < bound:
            bound, best_split = value, split
        if stalled > _PATIENCE:
            length, stalled, split = _SHORTER * length, 0, best_split
            direction = np.zeros_like(split)
        direction = _MEMORY * direction + (1.0 - _MEMORY) * (partners - partners.T)
        square = float((direction**2).sum()) / 2.0
        done = bound - reached <= _CLOSE * max(1.0, abs(reached)) or length < _SHORTEST
        if done or square == 0.0 or time.monotonic() > ends:
            break
        split = split + length * (value - reached) / square * direction
    return Bound(
        float(max(bound, reached)), *_bounds_by_feature(problem.importance, best_split, n_chosen)
    )


def _bound_of(
    importance: NDArray[np.float64], split: NDArray[np.float64], n_chosen: int
) -> tuple[float, NDArray[np.float64]]:
    """Return the bound of a split, and which partners (columns) the features of it (rows) take."""
    least: Indices = np.argpartition(split, n_chosen - 2, axis=1)[:, : n_chosen - 1]
    most = importance - np.take_along_axis(split, least, axis=1).sum(axis=1)
    chosen = np.argpartition(-most, n_chosen - 1)[:n_chosen]
    partners = np.zeros_like(split)
    partners[chosen[:, None], least[chosen]] = 1.0
    return float(most[chosen].sum()), partners


def _bounds_by_feature(
    importance: NDArray[np.float64], split: NDArray[np.float64], n_chosen: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the bounds of a split over the sets that have a feature, and that lack it."""
    smallest = np.partition(split, n_chosen - 2, axis=1)[:, : n_chosen - 1]
    most = importance - smallest.sum(axis=1)
    falling = -np.sort(-most)
    last, next_best = falling[n_chosen - 1], falling[n_chosen]
    total = falling[:n_chosen].sum()
    # One that is not among the largest takes the place of the last of them, and so on.
    return total + np.minimum(most - last, 0.0), total - np.maximum(most - next_best, 0.0)


@dataclass(frozen=True, eq=False)
class PairModel:
    """Sets of `n_chosen` features, with a variable for each feature and for each pair.

        x_i in {0, 1},  sum of x = n,  z_ij <= x_i,  z_ij <= x_j,  z_ij >= x_i + x_j - 1,
        sum over j of z_ij = (n - 1) x_i                                    for pairs i < j

    The z are continuous: where the x are 0 or 1, z_ij is x_i x_j, whatever the signs of the
    similarities. The last line is implied then, and tightens the relaxation. O(m^2)
    variables and rows, four entries per pair.
    """

    problem: Problem
    n_chosen: int

    def maximise(
        self,
        importance: float,
        similarity: float,
        *,
        least_importance: float = -np.inf,
        most_similarity: float = np.inf,
        fixed: Limits | None = None,
        time_limit: float,
    ) -> Outcome:
        """Maximise importance * (total importance) + similarity * (total similarity).

        Limits of the two totals are constraints; `fixed` has limits of each x, from below and
        from above.
        """
        from scipy.optimize import Bounds, LinearConstraint, milp

        gains = importance * self._importance + similarity * self._similarity
        # The tolerances of HiGHS are absolute: bring the largest coefficient to 1.
        scale = float(np.abs(gains).max(initial=0.0)) or 1.0
        totals = np.vstack([self._importance, self._similarity])
        limits = ([least_importance, -np.inf], [np.inf, most_similarity])
        is_limited = np.array([np.isfinite(least_importance), np.isfinite(most_similarity)])
        constraints = [LinearConstraint(*self._rows)]
        if is_limited.any():
            low, high = np.array(limits)[:, is_limited]
            constraints.append(LinearConstraint(totals[is_limited], low, high))
        options = {
            "integrality": np.repeat([1, 0], [self.problem.n_features, len(self._pairs[0])]),
            "bounds": Bounds(*self._limits(fixed)),
            "constraints": constraints,
            "options": {"time_limit": max(time_limit, 1e-3), "mip_rel_gap": 0.0},
        }
        # In a thread of its own: HiGHS would not answer Ctrl-C until its time is up.
        (result,) = side_by_side(lambda costs: milp(costs, **options), [-gains / scale])
        bound = result.get("mip_dual_bound")
        if bound is None or not np.isfinite(bound):
            bound = -np.inf
        return Outcome(self._set(result.x), -float(bound) * scale, result.status == 0)

    def _set(self, values: NDArray[np.float64] | None) -> Indices | None:
        if values is None:
            return None
        largest = np.argsort(-values[: self.problem.n_features], kind="stable")
        return np.sort(largest[: self.n_chosen]).astype(np.int64)

    def _limits(self, fixed: Limits | None) -> Limits:
        n_features, n_pairs = self.problem.n_features, len(self._pairs[0])
        low, high = fixed or (np.zeros(n_features), np.ones(n_features))
        return np.append(low, np.zeros(n_pairs)), np.append(high, np.ones(n_pairs))

    @cached_property
    def _pairs(self) -> tuple[Indices, Indices]:
        first, second = np.triu_indices(self.problem.n_features, 1)
        return first, second

    @cached_property
    def _importance(self) -> NDArray[np.float64]:
        return np.append(self.problem.importance, np.zeros(len(self._pairs[0])))

    @cached_property
    def _similarity(self) -> NDArray[np.float64]:
        both_orders = 2.0 * self.problem.similarity[self._pairs]
        return np.append(np.zeros(self.problem.n_features), both_orders)

    @cached_property
    def _rows(self) -> tuple[Any, NDArray[np.float64], NDArray[np.float64]]:
        from scipy import sparse

        n_features, n_pairs = self.problem.n_features, len(self._pairs[0])
        row, ones = np.arange(n_pairs), np.ones(n_pairs)
        first, second = (
            sparse.csr_array((ones, (row, ends)), shape=(n_pairs, n_features))
            for ends in self._pairs
        )
        both, pair = first + second, sparse.eye_array(n_pairs, format="csr")
        matrix = sparse.block_array(
            [
                [-first, pair],
                [-second, pair],
                [both, -pair],
                [(1 - self.n_chosen) * sparse.eye_array(n_features), both.T],
                [sparse.csr_array(np.ones((1, n_features))), None],
            ],
            format="csc",
        )
        low = [np.full(3 * n_pairs, -np.inf), np.zeros(n_features), np.array([self.n_chosen])]
        high = [np.zeros(2 * n_pairs), ones, np.zeros(n_features), np.array([self.n_chosen])]
        return matrix, np.concatenate(low), np.concatenate(high)


@dataclass(frozen=True, eq=False)
class Outcome:
    """HiGHS's set (None: none found in time), its proven bound, and whether it is the optimum."""

    chosen: Indices | None
    bound: float
    proven: bool
