"""What a neighbour adds to the weights: its share of the positions times the rule's gain."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ranksieve.selectors.relief._neighbours import Nearest, Overfull, Pairs

Collect = Callable[[Overfull], Pairs]


@dataclass(frozen=True, eq=False)
class Rule(ABC):
    """A method in terms of pairs: sums over pairs of  share * gain * |x_j - neighbour_j|.

    Attributes
    ----------
    levels : (n_documents,) array; nearest neighbours are sought in each level
    n_levels : int
    profile : (k,) array of the weights of positions, from the nearest on, before they are
        brought to the sum 1 over the neighbours that there are
    n_sums : how many sums, each with its gain
    centred : whether the gain needs the median score distance of the visited document
    """

    levels: NDArray[np.int64]
    n_levels: int
    profile: NDArray[np.float64]

    n_sums: ClassVar[int] = 1
    centred: ClassVar[bool] = False

    @abstractmethod
    def gains(
        self,
        seen: NDArray[np.int64],
        neighbours: NDArray[np.int64],
        centres: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Return a row of gains per sum, for pairs of places; `centres` are medians of `seen`."""


@dataclass(frozen=True, eq=False)
class LevelRule(Rule):
    """The gain is that of a pair of levels: gain_of[level of x, level of the neighbour]."""

    gain_of: NDArray[np.float64]

    def gains(
        self,
        seen: NDArray[np.int64],
        neighbours: NDArray[np.int64],
        centres: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Return one row."""
        gains: NDArray[np.float64] = self.gain_of[self.levels[seen], self.levels[neighbours]]
        return gains[None]


@dataclass(frozen=True, eq=False)
class ScoreRule(Rule):
    """Gains from the distance of two documents' scores; all documents are of one level."""

    scores: NDArray[np.float64]

    def score_distances(
        self, seen: NDArray[np.int64], neighbours: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Return |score of one - score of the other|."""
        distances: NDArray[np.float64] = np.abs(self.scores[seen] - self.scores[neighbours])
        return distances


@dataclass(frozen=True, eq=False)
class RegressionRule(ScoreRule):
    """RReliefF's sums: of the differences, and of those times the share of the score range."""

    score_range: float

    n_sums: ClassVar[int] = 2

    def gains(
        self,
        seen: NDArray[np.int64],
        neighbours: NDArray[np.int64],
        centres: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Return a row of ones, and score distances as shares of the range."""
        distances = self.score_distances(seen, neighbours)
        relative = distances / self.score_range if self.score_range > 0 else distances
        return np.stack([np.ones(len(seen)), relative])


@dataclass(frozen=True, eq=False)
class SignificanceRule(ScoreRule):
    """RankWrapper's rank significance: score distance less the median of the neighbours."""

    centred: ClassVar[bool] = True

    def gains(
        self,
        seen: NDArray[np.int64],
        neighbours: NDArray[np.int64],
        centres: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Return one row."""
        return (self.score_distances(seen, neighbours) - centres)[None]


def median_distances(
    rule: ScoreRule, nearest: Nearest, positions: NDArray[np.int64], collect: Collect
) -> NDArray[np.float64]:
    """Return each visited document's median score distance; 0 where it has no neighbours.

    All positions weigh the same. Documents that share the end of an overfull list share the
    weight of the positions left to them, and the median is the weighted one; `collect` finds
    them for some of the visited documents at a time.
    """
    places = nearest.places[:, 0]
    distances = np.where(places >= 0, rule.score_distances(positions[:, None], places), np.inf)
    medians = _plain_medians(distances, np.count_nonzero(places >= 0, axis=1))
    for overfull in nearest.overfull():
        tied = collect(overfull)
        tied_distances = rule.score_distances(positions[tied.owners], tied.neighbours)
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


@dataclass(frozen=True, eq=False)
class WeighedPairs:
    """Pairs, and for each sum of the rule a row of their factors."""

    pairs: Pairs
    factors: NDArray[np.float64]

    def by_place(self) -> WeighedPairs:
        """Return the pairs in the order of the neighbours in the data."""
        return self._take(np.argsort(self.pairs.neighbours, kind="stable"))

    def within(self, rows: slice) -> WeighedPairs:
        """Return the pairs, which are ordered by place, with neighbours in a part of the data."""
        start, stop = np.searchsorted(self.pairs.neighbours, [rows.start, rows.stop])
        return self._take(slice(int(start), int(stop)))

    def _take(self, which: slice | NDArray[np.int64]) -> WeighedPairs:
        pairs = Pairs(self.pairs.owners[which], self.pairs.neighbours[which])
        return WeighedPairs(pairs, np.ascontiguousarray(self.factors[:, which]))


@dataclass(frozen=True, eq=False)
class Weighing:
    """What weighs a neighbour: its share of the positions times the gain of the rule.

    Attributes
    ----------
    shares : (visited, levels, k) array of the listed neighbours' shares
    positions : (visited,) array, places of the visited documents
    centres : (visited,) array, their median score distances
    """

    rule: Rule
    shares: NDArray[np.float64]
    positions: NDArray[np.int64]
    centres: NDArray[np.float64]

    def listed(self, nearest: Nearest) -> WeighedPairs:
        """Return the neighbours that the lists name, except those that tie at overfull ends."""
        certain = nearest.certain()
        pairs = Pairs(np.nonzero(certain)[0], nearest.places[certain])
        return self._weighed(pairs, self.shares[certain])

    def tied(self, pairs: Pairs) -> WeighedPairs:
        """Return neighbours that tie at overfull ends; each has the last position's share."""
        levels = self.rule.levels[pairs.neighbours]
        return self._weighed(pairs, self.shares[pairs.owners, levels, -1])

    def _weighed(self, pairs: Pairs, shares: NDArray[np.float64]) -> WeighedPairs:
        seen, centres = self.positions[pairs.owners], self.centres[pairs.owners]
        return WeighedPairs(pairs, shares * self.rule.gains(seen, pairs.neighbours, centres))
