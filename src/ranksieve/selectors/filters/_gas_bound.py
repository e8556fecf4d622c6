"""An upper bound of GAS's objective over all sets of a size, without a search."""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray

from ranksieve.selectors.filters._gas_problem import Indices, Problem

_MAX_ITERATIONS = 250
# Steps without progress until they are made shorter, and how much shorter.
_PATIENCE, _SHORTER, _SHORTEST = 15, 0.6, 1e-3
# Bounds this close, relative to their size, are equal.
_CLOSE = 1e-9
# Share of the last direction that is kept: subgradients alone zigzag.
_MEMORY = 0.7


def lagrangian_bound(
    problem: Problem, n_chosen: int, *, reached: float, time_limit: float = np.inf
) -> float:
    """Return an upper bound of the objective of every set of `n_chosen` features.

    The charge 2 balance e_ij of a pair is split between its features, a_ij to i and a_ji to
    j, halves at first. Feature i of a set then adds at most

        u_i = w_i - (sum of the n - 1 smallest a_ij over j)

    so the n largest u_i add up to a bound, for every split. Splits are improved by steps along
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
    return float(max(bound, reached))


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
