"""Pairs of visited documents and neighbours, each with its factor."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ranksieve.selectors.relief._nearest import Nearest, Pairs
from ranksieve.selectors.relief._rules import Rule


@dataclass(frozen=True, eq=False)
class WeighedPairs:
    """Pairs, and for each sum of the rule a row of their factors."""

    pairs: Pairs
    factors: NDArray[np.float64]

    def by_place(self) -> WeighedPairs:
        """Return the pairs in the order of the neighbours in the data."""
        return self._take(np.argsort(self.pairs.neighbours, kind="stable"))

    def within(self, place: slice) -> WeighedPairs:
        """Return the pairs, which are ordered by place, with neighbours in a part of the data."""
        start, stop = np.searchsorted(self.pairs.neighbours, [place.start, place.stop])
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
    own : (visited,) array, places of the visited documents
    centres : (visited,) array, their median score distances
    """

    rule: Rule
    shares: NDArray[np.float64]
    own: NDArray[np.int64]
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
        seen, centres = self.own[pairs.owners], self.centres[pairs.owners]
        return WeighedPairs(pairs, shares * self.rule.gains(seen, pairs.neighbours, centres))
