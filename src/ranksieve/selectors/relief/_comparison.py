"""Visited documents against the documents of a piece."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.relief.neighbours import find_nearest, find_tied
from ranksieve.selectors.relief._nearest import Nearest, Overfull, Pairs

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
    own : (v,) array of their places: none is a neighbour of itself
    squared : bool, whether distances add squares of differences or their sizes
    """

    rows: NDArray[np.float64]
    first: int
    levels: NDArray[np.int64]
    row_ptr: NDArray[np.int64]
    visited: NDArray[np.float64]
    own: NDArray[np.int64]
    visited_ptr: NDArray[np.int64]
    squared: bool

    def nearest(self, n_levels: int, k: int) -> Nearest:
        """Return the k nearest rows of each visited document and level."""
        found = Nearest.empty(len(self.own), n_levels, k)
        for start in range(0, len(self.own), _STEP):
            part = slice(start, start + _STEP)
            find_nearest(
                self.rows,
                np.int64(self.first),
                self.levels,
                self.row_ptr,
                self.visited[part],
                self.own[part],
                np.clip(self.visited_ptr - start, 0, len(self.own[part])),
                self.squared,
                found.distances[part],
                found.places[part],
                found.beyond[part],
            )
        return found

    def tied(self, overfull: Overfull) -> Pairs:
        """Return the visited documents with the rows at the last distance of overfull lists."""
        some = self._of(overfull.which)
        owners = np.empty(overfull.n_pairs, dtype=np.int64)
        neighbours = np.empty_like(owners)
        n_pairs = find_tied(
            some.rows,
            np.int64(some.first),
            some.levels,
            some.row_ptr,
            some.visited,
            some.own,
            some.visited_ptr,
            some.squared,
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
            own=self.own[which],
            visited_ptr=np.searchsorted(which, self.visited_ptr),
        )
