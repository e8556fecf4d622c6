"""Lists of nearest neighbours, and the weight that each neighbour has."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.relief.neighbours import merge_nearest, share_positions

# Pairs of tied documents that are in memory at a time.
_MOST_PAIRS = 1 << 20


@dataclass(frozen=True, eq=False)
class Pairs:
    """Visited documents and their neighbours: index among the visited, and place in the data."""

    owners: NDArray[np.int64]
    neighbours: NDArray[np.int64]

    def plus(self, other: Pairs) -> Pairs:
        """Return the pairs of both."""
        return Pairs(
            np.concatenate([self.owners, other.owners]),
            np.concatenate([self.neighbours, other.neighbours]),
        )


@dataclass(frozen=True, eq=False)
class Nearest:
    """The k nearest documents of each visited document, level by level.

    Attributes
    ----------
    distances : (visited, levels, k) array, rising; infinite where there are fewer than k
    places : (visited, levels, k) array, the places of those documents in the whole data
    beyond : (visited, levels) array
        Documents that are not listed though exactly as near as the last listed one. Then
        the list is overfull: who is listed among those at its last distance is chance.
    """

    distances: NDArray[np.float64]
    places: NDArray[np.int64]
    beyond: NDArray[np.int64]

    @staticmethod
    def empty(n_visited: int, n_levels: int, k: int) -> Nearest:
        """Return lists without a document."""
        shape = (n_visited, n_levels, k)
        return Nearest(
            np.full(shape, np.inf),
            np.full(shape, -1, dtype=np.int64),
            np.zeros(shape[:2], dtype=np.int64),
        )

    def merge(self, other: Nearest) -> Nearest:
        """Return the lists of both parts of the data, in the memory of these."""
        merge_nearest(
            self.distances, self.places, self.beyond, other.distances, other.places, other.beyond
        )
        return self

    def shares(self, profile: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the weight of each listed neighbour, from weights of positions."""
        shares = np.empty_like(self.distances)
        share_positions(self.distances, self.beyond, profile, shares)
        return shares

    def certain(self) -> NDArray[np.bool_]:
        """Return which slots hold a document that is a neighbour, whoever comes first."""
        certain: NDArray[np.bool_] = (self.distances < np.inf) & ~self._at_overfull_end()
        return certain

    def n_tied(self) -> NDArray[np.int64]:
        """Return how many documents share the last distance of overfull lists; 0 for others."""
        listed = np.count_nonzero(self._at_overfull_end(), axis=2)
        tied: NDArray[np.int64] = listed + self.beyond
        return tied

    def overfull(self) -> list[Overfull]:
        """Return the visited documents with overfull lists, in parts of bounded numbers of ties."""
        n_tied = self.n_tied().sum(axis=1)
        which = np.flatnonzero(n_tied)
        part_of = (np.cumsum(n_tied[which]) - n_tied[which]) // _MOST_PAIRS
        parts = np.split(which, np.flatnonzero(np.diff(part_of)) + 1)
        return [self._overfull(part, int(n_tied[part].sum())) for part in parts if len(part)]

    def _overfull(self, which: NDArray[np.int64], n_pairs: int) -> Overfull:
        lists = Nearest(self.distances[which], self.places[which], self.beyond[which])
        return Overfull(which, lists, n_pairs)

    def _at_overfull_end(self) -> NDArray[np.bool_]:
        overfull = self.beyond[:, :, None] > 0
        ends: NDArray[np.bool_] = overfull & (self.distances == self.distances[:, :, -1:])
        return ends


@dataclass(frozen=True, eq=False)
class Overfull:
    """Some visited documents with overfull lists, and how many documents end those lists."""

    which: NDArray[np.int64]
    lists: Nearest
    n_pairs: int
