"""Bisecting k-means from many starts: clusters of few rows, as tight as any start finds them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.compile import compiled

_MAX_ITERATIONS = 100
# Squared distances, and sums of them, that differ by less are equal: rounding decides nothing.
_EQUAL = 1e-12


@compiled
def bisect_rows(
    rows: NDArray[np.float64], draws: NDArray[np.float64], labels: NDArray[np.int64]
) -> float:
    """Write the labels of the start with the least sum of squares, and return that sum.

    A start splits the cluster with the largest sum of squares, again and again, each time by the
    best of several runs of k-means with two centres: all runs in every other start, one to three
    in those between, as the best split of a cluster need not lead to the best clusters.
    draws[start, split, run] has two numbers in [0, 1): the first picks a row as a centre, the
    second another one, with a chance that grows with its squared distance. One more cluster than
    splits is made; there are at least as many different rows.
    """
    best = np.inf
    attempt = np.empty(len(rows), dtype=np.int64)
    for start in range(len(draws)):
        n_runs = draws.shape[2] if start % 2 == 0 else min(1 + start // 2 % 3, draws.shape[2])
        total = _bisected(rows, draws[start, :, :n_runs], attempt)
        if total < best - _EQUAL * len(rows):
            best = total
            labels[:] = attempt
    return best


@compiled
def _bisected(
    rows: NDArray[np.float64], draws: NDArray[np.float64], labels: NDArray[np.int64]
) -> float:
    n_splits = len(draws)
    squares = np.zeros(n_splits + 1)
    labels[:] = 0
    members = np.empty(len(rows), dtype=np.int64)
    side, best_side = np.empty((2, len(rows)), dtype=np.bool_)
    sums = np.empty(2)
    squares[0] = np.inf
    for new in range(1, n_splits + 1):
        largest = int(np.argmax(squares))
        n_members = 0
        for row in range(len(rows)):
            if labels[row] == largest:
                members[n_members] = row
                n_members += 1
        least = np.inf
        for run in range(draws.shape[1]):
            _split(rows, members[:n_members], draws[new - 1, run], side, sums)
            if sums[0] + sums[1] < least - _EQUAL * n_members:
                least = sums[0] + sums[1]
                squares[largest], squares[new] = sums[0], sums[1]
                best_side[:n_members] = side[:n_members]
        for position in range(n_members):
            if best_side[position]:
                labels[members[position]] = new
    return squares.sum() if n_splits else 0.0


@compiled
def _split(
    rows: NDArray[np.float64],
    members: NDArray[np.int64],
    draw: NDArray[np.float64],
    side: NDArray[np.bool_],
    sums: NDArray[np.float64],
) -> None:
    """Write which members are on the second of two sides, and each side's sum of squares."""
    centres = np.empty((2, rows.shape[1]))
    centres[0] = rows[members[int(draw[0] * len(members))]]
    centres[1] = rows[_distant(rows, members, centres[0], draw[1])]
    for iteration in range(_MAX_ITERATIONS):
        changed = iteration == 0
        for position in range(len(members)):
            row = rows[members[position]]
            is_second = _distance(row, centres[1]) < _distance(row, centres[0]) - _EQUAL
            changed |= is_second != side[position]
            side[position] = is_second
        if not changed:
            break
        _set_means(rows, members, side, centres)
    sums[:] = 0.0
    for position in range(len(members)):
        which = 1 if side[position] else 0
        sums[which] += _distance(rows[members[position]], centres[which])


@compiled
def _distant(
    rows: NDArray[np.float64], members: NDArray[np.int64], centre: NDArray[np.float64], draw: float
) -> int:
    """Return a member with a chance that is proportional to its squared distance."""
    total = 0.0
    for member in members:
        total += _distance(rows[member], centre)
    left, farthest, most = draw * total, members[0], -1.0
    for member in members:
        distance = _distance(rows[member], centre)
        left -= distance
        if distance > _EQUAL and left < 0.0:
            return int(member)
        if distance > most:
            most, farthest = distance, member
    return int(farthest)


@compiled
def _set_means(
    rows: NDArray[np.float64],
    members: NDArray[np.int64],
    side: NDArray[np.bool_],
    centres: NDArray[np.float64],
) -> None:
    counts = np.zeros(2)
    centres[:] = 0.0
    for position in range(len(members)):
        which = 1 if side[position] else 0
        counts[which] += 1.0
        for column in range(rows.shape[1]):
            centres[which, column] += rows[members[position], column]
    for which in range(2):
        for column in range(rows.shape[1]):
            centres[which, column] /= max(counts[which], 1.0)


@compiled
def _distance(left: NDArray[np.float64], right: NDArray[np.float64]) -> float:
    total = 0.0
    for column in range(len(left)):
        step = left[column] - right[column]
        total += step * step
    return total
