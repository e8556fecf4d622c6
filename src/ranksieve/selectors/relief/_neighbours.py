"""The nearest documents of each visited document, and who ties for the last position."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.relief.neighbours import (
    find_nearest,
    find_tied,
    merge_nearest,
    share_positions,
)

# Pairs of tied documents that are in memory at a time.
_MOST_PAIRS = 1 << 20
# Visited documents in one call of a kernel: short enough that Ctrl-C is answered.
_STEP = 1024


@dataclass(frozen=True, eq=False)
class Comparison:
    """Which visited documents are compared with which rows, in groups.

    Attributes
    ----------
    rows : (n, p) array of scaled documents; row 0 has the place `first` in the whole data
    levels : (n,) array
    row_ptr, visited_ptr : the rows and the visited documents of each group
    visited : (v, p) array of scaled documents
    positions : (v,) array of their places: none is a neighbour of itself
    squared : bool, whether distances add squares of differences or their sizes
    """

    rows: NDArray[np.float64]
    first: int
    levels: NDArray[np.int64]
    row_ptr: NDArray[np.int64]
    visited: NDArray[np.float64]
    positions: NDArray[np.int64]
    visited_ptr: NDArray[np.int64]
    squared: bool

    def nearest(self, n_levels: int, k: int) -> Nearest:
        """Return the k nearest rows of each visited document and level."""
        lists = Nearest.empty(len(self.positions), n_levels, k)
        for start in range(0, len(self.positions), _STEP):
            part = slice(start, start + _STEP)
            find_nearest(
                self.rows,
                np.int64(self.first),
                self.levels,
                self.row_ptr,
                self.visited[part],
                self.positions[part],
                np.clip(self.visited_ptr - start, 0, len(self.positions[part])),
                self.squared,
                lists.distances[part],
                lists.places[part],
                lists.beyond[part],
            )
        return lists

    def tied(self, overfull: Overfull) -> Pairs:
        """Return the visited documents with the rows at the last distance of overfull lists."""
        part = self._of(overfull.which)
        owners = np.empty(overfull.n_pairs, dtype=np.int64)
        neighbours = np.empty_like(owners)
        n_pairs = find_tied(
            part.rows,
            np.int64(part.first),
            part.levels,
            part.row_ptr,
            part.visited,
            part.positions,
            part.visited_ptr,
            part.squared,
            overfull.lists.distances,
            overfull.lists.beyond,
            owners,
            neighbours,
        )
        return Pairs(overfull.which[owners[:n_pairs]], neighbours[:n_pairs].copy())

    def _of(self, which: NDArray[np.int64]) -> Comparison:
        return replace(
            self,
            visited=self.visited[which],
            positions=self.positions[which],
            visited_ptr=np.searchsorted(which, self.visited_ptr),
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
