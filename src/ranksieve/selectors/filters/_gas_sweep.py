"""Points of the front by GAS's objective with one balance after another."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from ranksieve.selectors.filters._gas_points import Point, balance_between
from ranksieve.selectors.filters._gas_problem import Indices, Problem, greedy
from ranksieve.selectors.filters._gas_swap import exchanges, starts

Search = Callable[[Problem], Iterator[Indices]]

# Importance that still decides between equally similar sets at the front's lower end.
_ALMOST_NOTHING = 1e-6


def swept_points(
    problem: Problem, n_chosen: int, *, n_points: int, n_restarts: int | None, random_state: int
) -> list[Point]:
    """Return every set met; its search is greedy where `n_restarts` is None, else by swaps.

    The two ends come first: the most importance, and the least similarity. Then each pair of
    neighbours, in the order in which they were found, gives a balance, the slope between
    them, while that finds sets above the line between them, `n_points` searches in all.
    """

    def search(asked: Problem) -> Iterator[Indices]:
        if n_restarts is None:
            yield greedy(asked, n_chosen).chosen
            return
        options = {"n_restarts": n_restarts, "random_state": random_state}
        for start in starts(asked, n_chosen, **options):
            yield from exchanges(asked, start)

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


def _best(asked: Problem, search: Search, met: list[Point]) -> Point:
    found = [Point.of(asked, chosen) for chosen in search(asked)]
    met.extend(found)
    return max(found, key=lambda point: point.importance - asked.balance * point.similarity)


def _steepest(problem: Problem) -> float:
    """Return a balance at which similarity decides, and importance only between equals."""
    importance = float(np.ptp(problem.importance)) if problem.n_features else 0.0
    similarity = float(np.abs(problem.similarity).max(initial=0.0))
    if importance == 0.0 or similarity == 0.0:
        return 1.0
    return importance / similarity / _ALMOST_NOTHING
