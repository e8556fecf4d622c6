"""GAS with redundancy of sets: what two or three chosen features explain of another together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranksieve.selectors.filters._gas.search import Indices, Solution, Stage

Numbers = NDArray[np.float64]
# Features that explain each other up to this share are copies: what one of them says is all.
_COPIES = 1e-8
# An exchange must gain this much, relative to the weights: rounding alone must not swap for ever.
_LEAST_GAIN = 1e-12


def correlations(matrix: Numbers) -> Numbers:
    """Return products of features with each other as correlations: 1 on the diagonal.

    A feature that is constant in some queries has less than 1 with itself there.

    Examples
    --------
    >>> correlations(np.array([[0.25, 0.25], [0.25, 1.0]]))
    array([[1. , 0.5],
           [0.5, 1. ]])
    """
    lengths = np.sqrt(np.maximum(np.diag(matrix), 0.0))
    products = np.outer(lengths, lengths)
    scaled = np.zeros_like(matrix, dtype=np.float64)
    np.divide(matrix, products, out=scaled, where=products > 0.0)
    np.fill_diagonal(scaled, 1.0)
    return np.clip(scaled, -1.0, 1.0)


def beyond_two(ia: Numbers, ib: Numbers, ab: Numbers) -> Numbers:
    """Return what a and b explain of i together beyond what each explains alone; at least 0.

    R^2 = (r_ia^2 + r_ib^2 - 2 r_ia r_ib r_ab) / (1 - r_ab^2), less r_ia^2 + r_ib^2.

    Examples
    --------
    >>> beyond_two(np.array([0.5]), np.array([-0.5]), np.array([0.5])).round(12)     # i = a - b
    array([0.5])
    """
    free = 1.0 - ab * ab
    one_by_one = ia * ia + ib * ib
    explained = one_by_one - 2.0 * ia * ib * ab
    return _excess(explained, free, one_by_one)


def beyond_three(
    ia: Numbers, ib: Numbers, ic: Numbers, ab: Numbers, ac: Numbers, bc: Numbers
) -> Numbers:
    """Return what a, b and c explain of i together beyond what each explains alone."""
    free = 1.0 + 2.0 * ab * ac * bc - ab * ab - ac * ac - bc * bc
    explained = (
        ia * ia * (1.0 - bc * bc)
        + ib * ib * (1.0 - ac * ac)
        + ic * ic * (1.0 - ab * ab)
        + 2.0 * ia * ib * (ac * bc - ab)
        + 2.0 * ia * ic * (ab * bc - ac)
        + 2.0 * ib * ic * (ab * ac - bc)
    )
    return _excess(explained, free, ia * ia + ib * ib + ic * ic)


def _excess(explained: Numbers, free: Numbers, one_by_one: Numbers) -> Numbers:
    """Return the share explained, explained / free, less what single features explain."""
    share = np.zeros(np.broadcast(explained, free).shape)
    np.divide(explained, free, out=share, where=free > _COPIES)
    return np.maximum(np.minimum(share, 1.0) - one_by_one, 0.0)


@dataclass(frozen=True, eq=False)
class SetProblem:
    """Sum of w_i less balance times what the features of a set explain of each other.

        sum over i != j of r_ij^2
        + sum over i of the largest R^2(i | A) - (sum over a in A of r_ia^2), or 0,
                     over sets A of 2 to `n_explaining` other features of the set

    Attributes
    ----------
    importance : (m,) array, the w_i
    correlation : (m, m) array, the r_ij, with a positive semidefinite matrix
    balance : float
    n_explaining : 1, 2 or 3
    """

    importance: Numbers
    correlation: Numbers
    balance: float
    n_explaining: int

    def value(self, chosen: Indices) -> float:
        """Return the objective of a set of features."""
        return State.of(self, chosen).value


class State:
    """A set that grows, and what each other feature would add to the objective.

    Attributes
    ----------
    chosen : features of the set
    value : its objective
    """

    def __init__(self, problem: SetProblem) -> None:
        m = len(problem.importance)
        self._problem = problem
        self.chosen: list[int] = []
        self.value = 0.0
        self._by_pairs = np.zeros(m)
        # Beyond pairs: of a feature by the set; of a chosen one by the others, and by sets with v.
        self._of = np.zeros(m)
        self._inside = np.zeros(m)
        self._with = np.zeros((m, m))

    @classmethod
    def of(cls, problem: SetProblem, chosen: Indices) -> State:
        """Return the state of a set."""
        state = cls(problem)
        for feature in chosen:
            state.add(int(feature), state.gains()[feature])
        return state

    def gains(self) -> Numbers:
        """Return what adding each feature adds to the objective; of no use for chosen ones."""
        rows = self.chosen
        more = np.maximum(self._with[rows] - self._inside[rows, None], 0.0).sum(axis=0)
        charge = 2.0 * self._by_pairs + self._of + more
        gains: Numbers = self._problem.importance - self._problem.balance * charge
        return gains

    def add(self, x: int, gain: float) -> None:
        """Add a feature, which gains as much."""
        r, rows = self._problem.correlation, self.chosen
        self._inside[rows] = np.maximum(self._inside[rows], self._with[rows, x])
        self._inside[x] = self._of[x]
        if self._problem.n_explaining >= 2 and rows:
            self._add_twos(x)
        if self._problem.n_explaining >= 3 and rows:
            self._add_threes(x)
        self._by_pairs += r[x] ** 2
        self.chosen = [*rows, x]
        self.value += float(gain)

    def _add_twos(self, x: int) -> None:
        r, rows = self._problem.correlation, self.chosen
        to_x, chosen_to_x = r[x][None, :], r[rows, x][:, None]
        self._raise(self._of, beyond_two(to_x, r[rows], chosen_to_x).max(axis=0))
        self._with[rows] = np.maximum(self._with[rows], beyond_two(r[rows], chosen_to_x, to_x))
        self._raise(self._with[x], beyond_two(to_x, chosen_to_x, r[rows]).max(axis=0))

    def _add_threes(self, x: int) -> None:
        """As for two, with each u of the set as the third: arrays of chosen by all features."""
        r, rows = self._problem.correlation, self.chosen
        to_x, chosen_to_x = r[x][None, :], r[rows, x][:, None]
        for u in rows:
            to_u, chosen_to_u = r[u][None, :], r[rows, u][:, None]
            of_all = beyond_three(to_x, to_u, r[rows], r[x, u], chosen_to_x, chosen_to_u)
            of_chosen = beyond_three(r[rows], chosen_to_x, chosen_to_u, to_x, to_u, r[x, u])
            of_x = beyond_three(to_x, r[x, u], chosen_to_x, to_u, r[rows], chosen_to_u)
            # u itself is neither another member beside u, nor explained by u.
            itself = rows.index(u)
            of_all[itself] = of_chosen[itself] = of_x[itself] = 0.0
            self._raise(self._of, of_all.max(axis=0))
            self._with[rows] = np.maximum(self._with[rows], of_chosen)
            self._raise(self._with[x], of_x.max(axis=0))

    @staticmethod
    def _raise(numbers: Numbers, to: Numbers) -> None:
        np.maximum(numbers, to, out=numbers)


class SetOutcome(NamedTuple):
    """The best set, the greedy one, and the order of all features with what each gained."""

    best: Solution
    by_greedy: Solution
    order: Indices
    gains: Numbers


def search_sets(
    problem: SetProblem,
    later: NDArray[np.bool_],
    stage: Stage,
    *,
    swap: bool,
    n_restarts: int,
    random_state: int,
) -> SetOutcome:
    """Return the greedy set or, with `swap`, the best end of exchanges from it and random ones.

    Features marked in `later` are chosen after all that are not.
    """
    order, gains = greedy_sets(problem, 2 * later)
    chosen = np.sort(order[: len(stage.fixed) + stage.n_free])
    by_greedy = Solution(chosen, problem.value(chosen))
    if not swap:
        return SetOutcome(by_greedy, by_greedy, order, gains)
    best = by_greedy
    for start in _starts(chosen, stage, n_restarts, random_state):
        end = _descend(problem, np.sort(start), stage.fixed)
        best = end if end.objective > best.objective else best
    turn = 2 * later + 1
    turn[best.chosen] -= 1
    return SetOutcome(best, by_greedy, *greedy_sets(problem, turn))


def greedy_sets(problem: SetProblem, turn: Indices) -> tuple[Indices, Numbers]:
    """Return the order of the best single steps, those with a lower turn first, and their gains."""
    state = State(problem)
    left = np.ones(len(turn), dtype=bool)
    gained = np.zeros(len(turn))
    while left.any():
        candidates = np.flatnonzero(left & (turn == turn[left].min()))
        gains = state.gains()
        best = int(candidates[np.argmax(gains[candidates])])
        gained[best], left[best] = gains[best], False
        state.add(best, gains[best])
    return np.array(state.chosen, dtype=np.int64), gained


def _starts(chosen: Indices, stage: Stage, n_restarts: int, random_state: int) -> Iterator[Indices]:
    """Yield the greedy set, then random ones, where there is more than one set at all."""
    yield chosen
    if stage.n_free in (0, len(stage.free)):
        return
    random = np.random.default_rng(random_state)
    for _ in range(n_restarts):
        drawn = random.choice(stage.free, stage.n_free, replace=False)
        yield np.concatenate([stage.fixed, drawn])


def _descend(problem: SetProblem, chosen: Indices, fixed: Indices) -> Solution:
    """Exchange one feature for another as long as the best exchange improves the set."""
    least = _LEAST_GAIN * float(np.abs(problem.importance).sum() + problem.balance * len(chosen))
    value = problem.value(chosen)
    while True:
        entered = _best_exchange(problem, chosen, fixed)
        if entered is None or entered[0] <= value + least:
            return Solution(chosen, value)
        value, chosen = entered


def _best_exchange(
    problem: SetProblem, chosen: Indices, fixed: Indices
) -> tuple[float, Indices] | None:
    """Return the best set that differs in one feature, with its objective; equal ones by index."""
    outside = np.setdiff1d(np.arange(len(problem.importance)), chosen)
    best: tuple[float, Indices] | None = None
    for leaving in np.setdiff1d(chosen, fixed):
        state = State.of(problem, chosen[chosen != leaving])
        values = state.value + state.gains()[outside]
        if len(outside) and (best is None or values.max() > best[0]):
            entering = outside[np.argmax(values)]
            changed = np.sort(np.append(chosen[chosen != leaving], entering))
            best = float(values.max()), changed
    return best
