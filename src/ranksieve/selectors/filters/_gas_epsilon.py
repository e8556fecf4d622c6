"""Points of the front that are proven Pareto-optimal, by limits of the similarity."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from ranksieve.progress import report
from ranksieve.selectors.filters._gas_exact import TOLERANCE, is_optimal, solve_exactly
from ranksieve.selectors.filters._gas_model import PairModel
from ranksieve.selectors.filters._gas_points import Point, balance_between
from ranksieve.selectors.filters._gas_problem import Problem, Solution


def exact_points(
    problem: Problem, n_chosen: int, known: list[Point], *, n_points: int, time_limit: float
) -> list[Point]:
    """Return both ends, the knee, and the best set under each limit of the similarity.

    Where the time does not suffice, the best set met so far stands in, not proven.
    """
    if n_chosen <= 1 or n_chosen == problem.n_features:
        return [_without_search(problem, n_chosen)]
    search = _Search(problem, PairModel(problem, n_chosen), list(known), 2 * n_points + 2)
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
        found = self.model.maximise(0.0, -1.0, fixed=(surely, perhaps), time_limit=self._share())
        self.n_left -= 1
        return self._best_below(np.inf, found.chosen, proven=found.proven)

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
        asked = self.problem.with_balance(balance)
        start = max(self.met, key=lambda point: asked.value(point.chosen))
        solved = solve_exactly(
            asked,
            n_chosen,
            start=Solution(start.chosen, asked.value(start.chosen)),
            time_limit=self._share(),
        )
        # With a balance of 0 the ends meet: the front is one point, and its ends are proven.
        return self._met(solved.chosen, proven=balance > 0.0 and is_optimal(asked, solved))

    def below(self, limit: float) -> Point:
        """Return the most importance within a limit of the similarity, then the least of that."""
        limit += self._slack(limit)
        found = self.model.maximise(1.0, 0.0, most_similarity=limit, time_limit=self._share())
        best = self._best_below(limit, found.chosen)
        least = self.model.maximise(
            0.0,
            -1.0,
            least_importance=best.importance - self._slack(best.importance),
            most_similarity=limit,
            time_limit=self._share(),
        )
        return self._best_below(limit, least.chosen, proven=found.proven and least.proven)

    def _second(self, limit: float, *, proven: bool) -> Point:
        limit += self._slack(limit)
        found = self.model.maximise(1.0, 0.0, most_similarity=limit, time_limit=self._share())
        return self._best_below(limit, found.chosen, proven=proven and found.proven)

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
