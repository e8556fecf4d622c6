"""Local search for GAS: exchange one feature at a time, from several starts."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ranksieve.selectors.filters._gas_problem import Indices, Problem, Solution, greedy

# An exchange must gain this much, relative to the weights: rounding alone must not swap for ever.
_LEAST_GAIN = 1e-12


def swap_search(
    problem: Problem, n_chosen: int, *, n_restarts: int, random_state: int
) -> Solution:
    """Return the best local optimum from the greedy set and from random sets.

    No exchange of one chosen feature for one other improves it. The first of equally good
    ones is kept, and the greedy set's comes first, so that it is never below the greedy set.
    """
    ends = local_optima(problem, n_chosen, n_restarts=n_restarts, random_state=random_state)
    best = next(ends)
    for end in ends:
        if end.objective > best.objective:
            best = end
    return best


def local_optima(
    problem: Problem, n_chosen: int, *, n_restarts: int, random_state: int
) -> Iterator[Solution]:
    """Yield where the descents end: first that of the greedy set, then of random sets."""
    yield descend(problem, greedy(problem, n_chosen).chosen)
    if n_chosen in (0, problem.n_features):
        return
    random = np.random.default_rng(random_state)
    for _ in range(n_restarts):
        start = random.choice(problem.n_features, n_chosen, replace=False)
        yield descend(problem, np.sort(start))


def descend(problem: Problem, chosen: Indices) -> Solution:
    """Return the set after the best exchange, again and again, until none improves.

    Exchanging i of the set for j gains (weight of j) - (weight of i) + 2 balance e_ij, with
    the weights that the set leaves. Equal gains go to the lower i, then to the lower j.
    """
    inside = np.zeros(problem.n_features, dtype=bool)
    inside[chosen] = True
    least = _LEAST_GAIN * _scale(problem)
    while True:
        chosen, others = np.flatnonzero(inside), np.flatnonzero(~inside)
        if len(chosen) == 0 or len(others) == 0:
            break
        weights = problem.weights(chosen)
        gains = weights[others] - weights[chosen, None]
        gains += 2.0 * problem.balance * problem.similarity[np.ix_(chosen, others)]
        leaving, entering = np.unravel_index(np.argmax(gains), gains.shape)
        if gains[leaving, entering] <= least:
            break
        inside[chosen[leaving]], inside[others[entering]] = False, True
    return Solution(chosen, problem.value(chosen))


def _scale(problem: Problem) -> float:
    largest = np.abs(problem.similarity).sum(axis=1).max(initial=0.0)
    return float(np.abs(problem.importance).max(initial=0.0) + 2.0 * problem.balance * largest)
