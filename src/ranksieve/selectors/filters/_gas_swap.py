"""Local search for GAS: exchange one feature at a time, from several starts."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ranksieve.selectors.filters._gas_problem import Indices, Problem, Solution, greedy

# An exchange must gain this much, relative to the weights: rounding alone must not swap for ever.
_LEAST_GAIN = 1e-12


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
        chosen, others = np.flatnonzero(inside), np.flatnonzero(~inside)
        yield chosen
        if len(chosen) == 0 or len(others) == 0:
            return
        weights = problem.weights(chosen)
        gains = weights[others] - weights[chosen, None]
        gains += 2.0 * problem.balance * problem.similarity[np.ix_(chosen, others)]
        leaving, entering = np.unravel_index(np.argmax(gains), gains.shape)
        if gains[leaving, entering] <= least:
            return
        inside[chosen[leaving]], inside[others[entering]] = False, True


def _scale(problem: Problem) -> float:
    largest = np.abs(problem.similarity).sum(axis=1).max(initial=0.0)
    return float(np.abs(problem.importance).max(initial=0.0) + 2.0 * problem.balance * largest)
