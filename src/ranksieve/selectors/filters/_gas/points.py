"""Points of the front of importance against similarity: by balances, and by limits."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from ranksieve.progress import report
from ranksieve.selectors.filters._gas.exact import TOLERANCE, PairModel, is_optimal, solve_exactly
from ranksieve.selectors.filters._gas.search import (
    Indices,
    Problem,
    Solution,
    exchanges,
    greedy,
    starts,
)

# Importance that still decides between equally similar sets at the front's lower end.
_ALMOST_NOTHING = 1e-6


@dataclass(frozen=True, eq=False)
class Point:
    """A set of features with its totals, and whether it is proven to be Pareto-optimal."""

    chosen: Indices
    importance: float
    similarity: float
    proven: bool = False

    @classmethod
    def of(cls, problem: Problem, chosen: Indices, *, proven: bool = False) -> Point:
        """Return the point of a set."""
        return cls(chosen, *problem.totals(chosen), proven)


def not_dominated(points: list[Point]) -> list[Point]:
    """Return the points that no other one dominates, by rising importance.

    Of points with equal totals one stays: a proven one, or else the first.
    """
    front: list[Point] = []
    ranked = sorted(points, key=lambda point: (-point.importance, point.similarity, -point.proven))
    for point in ranked:
        if not front or point.similarity < front[-1].similarity:
            front.append(point)
    return front[::-1]


def balance_between(
    low_importance: float, low_similarity: float, high_importance: float, high_similarity: float
) -> float:
    """Return the importance that one unit of similarity buys between two points; 0 if they meet."""
    rise = high_similarity - low_similarity
    return (high_importance - low_importance) / rise if rise > 0.0 else 0.0


Search = Callable[[Problem], Iterator[Indices]]


def swept_points(
    problem: Problem, n_chosen: int, *, n_points: int, n_restarts: int | None, random_state: int
) -> list[Point]:
    """Return every set met; its search is greedy where `n_restarts` is None, else by swaps.

    The two ends come first: the most importance, and the least similarity. Then each pair of
    neighbours, in the order in which they were found, gives a balance, the slope between
    them, while that finds sets above the line between them, `n_points` searches in all.
    """

    def search(balanced: Problem) -> Iterator[Indices]:
        if n_restarts is None:
            yield greedy(balanced, n_chosen).chosen
            return
        options = {"n_restarts": n_restarts, "random_state": random_state}
        for start in starts(balanced, n_chosen, **options):
            yield from exchanges(balanced, start)

    met: list[Point] = []
    high = _best(problem.with_balance(0.0), search, met)
    low = _best(problem.with_balance(_steepest(problem)), search, met)
    open_pairs = [(low, high)]
    for _ in range(n_points - 2):
        if not open_pairs:
            break
        left, right = open_pairs.pop(0)
        open_pairs += _between(problem, left, right, search, met)
    return met


def _between(
    problem: Problem, left: Point, right: Point, search: Search, met: list[Point]
) -> list[tuple[Point, Point]]:
    """Search between two points; return the two pairs to go on with, or none."""
    balance = balance_between(left.importance, left.similarity, right.importance, right.similarity)
    if balance <= 0.0:
        return []
    middle = _best(problem.with_balance(balance), search, met)
    line = left.importance - balance * left.similarity
    height = middle.importance - balance * middle.similarity - line
    if height <= 1e-12 * max(1.0, abs(line)):
        return []
    return [(left, middle), (middle, right)]


def _best(balanced: Problem, search: Search, met: list[Point]) -> Point:
    points = [Point.of(balanced, chosen) for chosen in search(balanced)]
    met.extend(points)
    return max(points, key=lambda point: point.importance - balanced.balance * point.similarity)


def _steepest(problem: Problem) -> float:
    """Return a balance at which similarity decides, and importance only between equals."""
    importance = float(np.ptp(problem.importance)) if problem.n_features else 0.0
    similarity = float(np.abs(problem.similarity).max(initial=0.0))
    if importance == 0.0 or similarity == 0.0:
        return 1.0
    return importance / similarity / _ALMOST_NOTHING


def exact_points(
    problem: Problem, n_chosen: int, swept: list[Point], *, n_points: int, time_limit: float
) -> list[Point]:
    """Return both ends, the knee, and the best set under each limit of the similarity.

    Where the time does not suffice, the best set met so far stands in, not proven.
    """
    if n_chosen <= 1 or n_chosen == problem.n_features:
        return [_without_search(problem, n_chosen)]
    search = _Search(problem, PairModel(problem, n_chosen), list(swept), 2 * n_points + 2)
    search.ends = time.monotonic() + time_limit
    high, low = search.most_important(n_chosen), search.least_similar(n_chosen)
    points = [low, search.knee(low, high, n_chosen), high]
    current = high
    for limit in np.linspace(low.similarity, high.similarity, n_points)[-2:0:-1]:
        # A set that meets the next limit already is its best one too.
        if current.similarity > limit:
            current = search.below(limit)
            points.append(current)
        report("Pareto front", len(points), n_points + 1)
    return points


def _without_search(problem: Problem, n_chosen: int) -> Point:
    best_first = np.argsort(-problem.importance, kind="stable")
    return Point.of(problem, np.sort(best_first[:n_chosen]), proven=True)


@dataclass(eq=False)
class _Search:
    """The model, all sets met, and the time left for the problems left."""

    problem: Problem
    model: PairModel
    met: list[Point]
    n_left: int
    ends: float = 0.0

    def most_important(self, n_chosen: int) -> Point:
        """Return the largest importance, and the least similarity among its sets."""
        ranked = np.sort(self.problem.importance)[::-1]
        last = ranked[n_chosen - 1]
        # Only features as important as the last one can be exchanged.
        surely = (self.problem.importance > last).astype(np.float64)
        perhaps = (self.problem.importance >= last).astype(np.float64)
        if perhaps.sum() == n_chosen:
            self.n_left -= 2
            return self._met(np.flatnonzero(perhaps), proven=True)
        outcome = self.model.maximise(0.0, -1.0, fixed=(surely, perhaps), time_limit=self._share())
        self.n_left -= 1
        return self._best_below(np.inf, outcome.chosen, proven=outcome.proven)

    def least_similar(self, n_chosen: int) -> Point:
        """Return the least similarity, and the largest importance among its sets."""
        flat = Problem(np.zeros(self.problem.n_features), self.problem.similarity, 1.0)
        start = min(self.met, key=lambda point: (point.similarity, -point.importance))
        solved = solve_exactly(
            flat,
            n_chosen,
            start=Solution(start.chosen, flat.value(start.chosen)),
            time_limit=self._share(),
        )
        least = self._met(solved.chosen)
        return self._second(least.similarity, proven=is_optimal(flat, solved))

    def knee(self, low: Point, high: Point, n_chosen: int) -> Point:
        """Return the optimum of GAS's objective whose balance is the slope between the ends."""
        balance = balance_between(low.importance, low.similarity, high.importance, high.similarity)
        balanced = self.problem.with_balance(balance)
        start = max(self.met, key=lambda point: balanced.value(point.chosen))
        solved = solve_exactly(
            balanced,
            n_chosen,
            start=Solution(start.chosen, balanced.value(start.chosen)),
            time_limit=self._share(),
        )
        # With a balance of 0 the ends meet: the front is one point, and its ends are proven.
        return self._met(solved.chosen, proven=balance > 0.0 and is_optimal(balanced, solved))

    def below(self, limit: float) -> Point:
        """Return the most importance within a limit of the similarity, then the least of that."""
        limit += self._slack(limit)
        outcome = self.model.maximise(1.0, 0.0, most_similarity=limit, time_limit=self._share())
        best = self._best_below(limit, outcome.chosen)
        least = self.model.maximise(
            0.0,
            -1.0,
            least_importance=best.importance - self._slack(best.importance),
            most_similarity=limit,
            time_limit=self._share(),
        )
        return self._best_below(limit, least.chosen, proven=outcome.proven and least.proven)

    def _second(self, limit: float, *, proven: bool) -> Point:
        limit += self._slack(limit)
        outcome = self.model.maximise(1.0, 0.0, most_similarity=limit, time_limit=self._share())
        return self._best_below(limit, outcome.chosen, proven=proven and outcome.proven)

    def _best_below(
        self, limit: float, chosen: np.ndarray | None, *, proven: bool = False
    ) -> Point:
        """Return HiGHS's set, or, where it found none or a worse one in time, the best set met."""
        if chosen is not None:
            self._met(chosen, proven=proven)
            if proven:
                return self.met[-1]
        within = [point for point in self.met if point.similarity <= limit]
        return max(within, key=lambda point: (point.importance, -point.similarity))

    def _met(self, chosen: np.ndarray, *, proven: bool = False) -> Point:
        self.met.append(Point.of(self.problem, chosen, proven=proven))
        return self.met[-1]

    def _share(self) -> float:
        share = (self.ends - time.monotonic()) / max(self.n_left, 1)
        self.n_left -= 1
        return max(share, 1e-3)

    def _slack(self, value: float) -> float:
        return TOLERANCE * max(1.0, abs(value)) / 10.0
