"""Median score distance from each visited document to its neighbours."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ranksieve.selectors.relief._nearest import Nearest, Overfull, Pairs
from ranksieve.selectors.relief._rules import ScoreRule

Collect = Callable[[Overfull], Pairs]


def median_distances(
    rule: ScoreRule, nearest: Nearest, own: NDArray[np.int64], collect: Collect
) -> NDArray[np.float64]:
    """Return each visited document's median score distance; 0 where it has no neighbours.

    All positions weigh the same. Documents that share the end of an overfull list share the
    weight of the positions left to them, and the median is the weighted one; `collect` finds
    them for some of the visited documents at a time.
    """
    places = nearest.places[:, 0]
    distances = np.where(places >= 0, rule.score_distances(own[:, None], places), np.inf)
    medians = _plain_medians(distances, np.count_nonzero(places >= 0, axis=1))
    for overfull in nearest.overfull():
        tied = collect(overfull)
        tied_distances = rule.score_distances(own[tied.owners], tied.neighbours)
        medians[overfull.which] = _tied_medians(
            overfull, distances[overfull.which], tied.owners, tied_distances
        )
    return medians


def _plain_medians(
    distances: NDArray[np.float64], n_present: NDArray[np.int64]
) -> NDArray[np.float64]:
    ranked = np.sort(distances, axis=1)
    row = np.arange(len(ranked))
    last = np.maximum(n_present, 1)
    middle = 0.5 * (ranked[row, (last - 1) // 2] + ranked[row, last // 2])
    return np.where(n_present > 0, middle, 0.0)


def _tied_medians(
    overfull: Overfull,
    distances: NDArray[np.float64],
    tied_owners: NDArray[np.int64],
    tied_distances: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return weighted medians, with whole numbers as weights.

    With t positions for T tied documents, a tied document weighs t and any other T.
    """
    certain = overfull.lists.certain()[:, 0]
    n_positions = np.count_nonzero(~certain, axis=1)
    n_tied = overfull.lists.n_tied()[:, 0]
    row = np.nonzero(certain)[0]
    tied_row = np.searchsorted(overfull.which, tied_owners)
    return weighted_medians(
        np.concatenate([row, tied_row]),
        np.concatenate([distances[certain], tied_distances]),
        np.concatenate([n_tied[row], n_positions[tied_row]]),
    )


def weighted_medians(
    owners: NDArray[np.int64], values: NDArray[np.float64], weights: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the weighted median of each owner's values; owners are 0, 1, ... without gaps.

    The least value at which the weights add up to half of all; where that is exactly half,
    the middle between it and the next value.

    Examples
    --------
    >>> weighted_medians(np.array([0, 0, 0, 1]), np.array([5., 1, 2, 7]), np.array([2, 1, 1, 3]))
    array([3.5, 7. ])
    """
    order = np.lexsort((values, owners))
    owners, values = owners[order], values[order]
    starts = np.flatnonzero(np.diff(owners, prepend=-1))
    running = np.cumsum(weights[order])
    before = np.concatenate([[0], running])[starts]
    totals = np.diff(np.append(before, running[-1]))
    twice = 2 * (running - before[owners])
    short = np.add.reduceat(twice < totals[owners], starts, dtype=np.int64)
    middle = starts + short
    exact = twice[middle] == totals
    medians: NDArray[np.float64] = 0.5 * (values[middle] + values[middle + exact])
    return medians
