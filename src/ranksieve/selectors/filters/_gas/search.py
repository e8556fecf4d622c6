"""What GAS maximises, and its searches: greedy, and by exchanging one feature at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.int64]
# An exchange must gain this much, relative to the weights: rounding alone must not swap for ever.
_LEAST_GAIN = 1e-12


@dataclass(frozen=True, eq=False)
class Problem:
    """Sum of w_i minus balance times the sum over i != j of e_ij, over sets of a given size.

    Attributes
    ----------
    importance : (m,) array, the w_i
    similarity : (m, m) symmetric array, the e_ij; its diagonal is 0
    balance : float
    """

    importance: NDArray[np.float64]
    similarity: NDArray[np.float64]
    balance: float

    @classmethod
    def of(
        cls, importance: NDArray[np.float64], similarity: NDArray[np.float64], balance: float
    ) -> Self:
        """Return the problem for a similarity whose diagonal does not count."""
        without_diagonal = np.array(similarity, dtype=np.float64)
        np.fill_diagonal(without_diagonal, 0.0)
        return cls(np.array(importance, dtype=np.float64), without_diagonal, float(balance))

    @property
    def n_features(self) -> int:
        """Number of features to choose from."""
        return len(self.importance)

    def value(self, chosen: Indices) -> float:
        """Return the objective of a set of features."""
        importance, similarity = self.totals(chosen)
        return importance - self.balance * similarity

    def totals(self, chosen: Indices) -> tuple[float, float]:
        """Return the importance and the similarity of a set: both orders of a pair count."""
        inside = self.similarity[np.ix_(chosen, chosen)]
        return float(self.importance[chosen].sum()), float(inside.sum())

    def weights(self, chosen: Indices) -> NDArray[np.float64]:
        """Return w_v - 2 balance * (sum of e_uv over the chosen u), for every feature v."""
        similar = self.similarity[:, chosen].sum(axis=1)
        weights: NDArray[np.float64] = self.importance - 2.0 * self.balance * similar
        return weights

    def only(self, features: Indices) -> Problem:
        """Return the problem of choosing among some of the features."""
        inside = self.similarity[np.ix_(features, features)]
        return Problem(self.importance[features], inside, self.balance)

    def beside(self, chosen: Indices, free: Indices) -> Problem:
        """Return the problem of choosing among `free` where `chosen` are in every set.

        Its objective is that of the set with `chosen`, less the objective of `chosen` alone.
        """
        inside = self.similarity[np.ix_(free, free)]
        return Problem(self.weights(chosen)[free], inside, self.balance)

    def with_balance(self, balance: float) -> Problem:
        """Return the same features with another balance."""
        return Problem(self.importance, self.similarity, float(balance))


@dataclass(frozen=True, eq=False)
class Solution:
    """A set of features in rising order, its objective, and a proven bound (NaN: none)."""

    chosen: Indices
    objective: float
    bound: float = float("nan")


@dataclass(frozen=True, eq=False)
class Stage:
    """What is left to choose: features that come later only after all others are chosen.

    Attributes
    ----------
    fixed : features that every set has
    free : features to choose from
    n_free : how many of these
    """

    fixed: Indices
    free: Indices
    n_free: int

    @classmethod
    def of(cls, later: NDArray[np.bool_], n_chosen: int) -> Stage:
        early, late = np.flatnonzero(~later), np.flatnonzero(later)
        if n_chosen <= len(early):
            return cls(early[:0], early, n_chosen)
        return cls(early, late, n_chosen - len(early))

    def solved(self, problem: Problem, solve: Callable[[Problem, int], Solution]) -> Solution:
        """Return the solution of the problem from that of what is left of it."""
        part = solve(problem.beside(self.fixed, self.free), self.n_free)
        chosen = np.sort(np.concatenate([self.fixed, self.free[part.chosen]]))
        objective, bound = problem.value(chosen), problem.value(self.fixed) + part.bound
        # A bound that was reached may be below by rounding; none stays NaN.
        return Solution(chosen, objective, objective if bound < objective else bound)


def greedy(problem: Problem, n_chosen: int) -> Solution:
    """Return the set that the greedy search chooses."""
    order, _ = greedy_order(problem.importance, problem.similarity, balance=problem.balance)
    chosen = np.sort(order[:n_chosen])
    return Solution(chosen, problem.value(chosen))


def greedy_order(
    importance: NDArray[np.float64],
    similarity: NDArray[np.float64],
    *,
    balance: float,
    offered: NDArray[np.bool_] | None = None,
    first: NDArray[np.bool_] | None = None,
    later: NDArray[np.bool_] | None = None,
) -> tuple[Indices, NDArray[np.float64]]:
    """Return the order in which GAS chooses, and each feature's weight when it was chosen.

    Features marked in `later` are chosen after those that are not, and among either those
    marked in `first` before the others. Features that are not `offered` come last, with weight
    minus infinity.

    Examples
    --------
    >>> similarity = np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    >>> greedy_order(np.array([0.9, 0.9, 0.5]), similarity, balance=1.0)[0]
    array([0, 2, 1])
    """
    n_features = len(importance)
    weights = importance.astype(np.float64)
    if offered is not None:
        weights[~offered] = -np.inf
    order = np.empty(n_features, dtype=np.int64)
    gains = np.empty(n_features)
    left = np.ones(n_features, dtype=bool)
    turn = _turns(n_features, offered, first, later)
    for step in range(n_features):
        candidates = np.flatnonzero(left & (turn == turn[left].min()))
        chosen = candidates[np.argmax(weights[candidates])]
        order[step], gains[chosen], left[chosen] = chosen, weights[chosen], False
        weights -= 2.0 * balance * similarity[chosen]
    return order, gains


def _turns(
    n_features: int,
    offered: NDArray[np.bool_] | None,
    first: NDArray[np.bool_] | None,
    later: NDArray[np.bool_] | None,
) -> Indices:
    """Return numbers that rise from those chosen before all others to those not offered."""
    turn = np.ones(n_features, dtype=np.int64)
    if later is not None:
        turn[later] = 3
    if first is not None:
        turn[first] -= 1
    if offered is not None:
        turn[~offered] = 4
    return turn


def swap_search(problem: Problem, n_chosen: int, *, n_restarts: int, random_state: int) -> Solution:
    """Return the best local optimum from the greedy set and from random sets.

    No exchange of one chosen feature for one other improves it. The first of equally good
    ones is kept, and the greedy set's comes first, so that it is never below the greedy set.
    """
    best = None
    for start in starts(problem, n_chosen, n_restarts=n_restarts, random_state=random_state):
        end = descend(problem, start)
        if best is None or end.objective > best.objective:
            best = end
    return best or greedy(problem, n_chosen)


def starts(
    problem: Problem, n_chosen: int, *, n_restarts: int, random_state: int
) -> Iterator[Indices]:
    """Yield the greedy set, then random ones, where there is more than one set at all."""
    yield greedy(problem, n_chosen).chosen
    if n_chosen in (0, problem.n_features):
        return
    random = np.random.default_rng(random_state)
    for _ in range(n_restarts):
        yield np.sort(random.choice(problem.n_features, n_chosen, replace=False))


def descend(problem: Problem, chosen: Indices) -> Solution:
    """Return the local optimum that the best exchanges, one after another, lead to."""
    *_, last = exchanges(problem, chosen)
    return Solution(last, problem.value(last))


def exchanges(problem: Problem, chosen: Indices) -> Iterator[Indices]:
    """Yield the set, then that after the best exchange, until no exchange improves it.

    Exchanging i of the set for j gains (weight of j) - (weight of i) + 2 balance e_ij, with
    the weights that the set leaves. Equal gains go to the lower i, then to the lower j.
    """
    inside = np.zeros(problem.n_features, dtype=bool)
    inside[chosen] = True
    least = _LEAST_GAIN * _scale(problem)
    while True:
        chosen, outside = np.flatnonzero(inside), np.flatnonzero(~inside)
        yield chosen
        if len(chosen) == 0 or len(outside) == 0:
            return
        weights = problem.weights(chosen)
        gains = weights[outside] - weights[chosen, None]
        gains += 2.0 * problem.balance * problem.similarity[np.ix_(chosen, outside)]
        leaving, entering = np.unravel_index(np.argmax(gains), gains.shape)
        if gains[leaving, entering] <= least:
            return
        inside[chosen[leaving]], inside[outside[entering]] = False, True


def _scale(problem: Problem) -> float:
    largest = np.abs(problem.similarity).sum(axis=1).max(initial=0.0)
    return float(np.abs(problem.importance).max(initial=0.0) + 2.0 * problem.balance * largest)
