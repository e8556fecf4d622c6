"""Folds of queries, dealt out more than once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Folds:
    """Queries dealt into folds, one or more times over.

    Every query is in one fold of each repeat. Folds are numbered through: those of the first
    repeat first.

    Attributes
    ----------
    of_query : (n_repeats, n_queries) array of int64

    Examples
    --------
    >>> folds = Folds(np.array([[0, 1, 0, 1], [2, 2, 3, 3]]))
    >>> folds.n_folds, folds.per_repeat, folds.repeat(3)
    (4, 2, 1)
    >>> folds.members(3)
    array([False, False,  True,  True])
    >>> folds.others(2)
    array([3])
    """

    of_query: NDArray[np.int64]

    @classmethod
    def dealt(cls, n_queries: int, n_folds: int, n_repeats: int, random_state: int) -> Folds:
        """Return folds at random: queries are in an order of their own."""
        of_query = np.empty((n_repeats, n_queries), dtype=np.int64)
        for repeat in range(n_repeats):
            seed = random_state if repeat == 0 else [random_state, repeat]
            order = np.random.default_rng(seed).permutation(n_queries)
            for fold, part in enumerate(np.array_split(order, n_folds)):
                of_query[repeat, part] = repeat * n_folds + fold
        return cls(of_query)

    @property
    def n_repeats(self) -> int:
        """How often the queries are dealt out."""
        return len(self.of_query)

    @property
    def n_queries(self) -> int:
        """Number of queries."""
        return int(self.of_query.shape[1])

    @property
    def n_folds(self) -> int:
        """Number of folds of all repeats."""
        return int(self.of_query.max()) + 1

    @property
    def per_repeat(self) -> int:
        """Number of folds of one repeat."""
        return self.n_folds // self.n_repeats

    def repeat(self, fold: int) -> int:
        """Return the repeat that a fold is of."""
        return fold // self.per_repeat

    def members(self, fold: int) -> Mask:
        """Return which queries are in a fold."""
        inside: Mask = self.of_query[self.repeat(fold)] == fold
        return inside

    def others(self, fold: int) -> NDArray[np.int64]:
        """Return the folds of the same repeat without the fold: they share no query with it."""
        first = self.repeat(fold) * self.per_repeat
        same = np.arange(first, first + self.per_repeat)
        others: NDArray[np.int64] = same[same != fold]
        return others

    def among(self, queries: Mask, n_queries: int, random_state: int) -> Folds:
        """Return folds of more queries: these stay where they are, the others are dealt out."""
        of_query = np.empty((self.n_repeats, n_queries), dtype=np.int64)
        others = self.dealt(int((~queries).sum()), self.per_repeat, self.n_repeats, random_state)
        of_query[:, queries] = self.of_query
        of_query[:, ~queries] = others.of_query
        return Folds(of_query)
