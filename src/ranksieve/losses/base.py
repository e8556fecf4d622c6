"""What a loss over pairs sees, and what it must give."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranksieve.catalog import check_choice
from ranksieve.kernels.pairs.sums import count_pairs, grade_levels, order_by_level

WEIGHTINGS = ("pairs", "queries")


class PairTotals(NamedTuple):
    """Pairs with different grades, and queries that have some."""

    n_pairs: int
    n_queries: int


@dataclass(frozen=True, eq=False)
class Targets:
    """Grades of documents as levels within their queries: all that a pairwise loss needs.

    Attributes
    ----------
    levels : (n,) array of int32; 0 is the lowest grade of the query
    query_ptr : (queries + 1,) array of int64, offsets that start at 0
    n_pairs : number of pairs with different grades inside queries
    totals : PairTotals or None
        Those of all data, where these are the targets of a part; None where they are all.
    """

    levels: NDArray[np.int32]
    query_ptr: NDArray[np.int64]
    n_pairs: int
    totals: PairTotals | None = None

    @classmethod
    def from_grades(cls, y: NDArray[np.float64], query_ptr: NDArray[np.int64]) -> Targets:
        """Return the targets of grades whose queries are query_ptr[q]:query_ptr[q + 1]."""
        levels = np.empty(len(y), dtype=np.int32)
        n_pairs = grade_levels(y, query_ptr, levels)
        return cls(levels, query_ptr, int(n_pairs))

    @cached_property
    def by_level(self) -> NDArray[np.int32]:
        """Return each query's documents, counted from its first, by rising level."""
        order = np.empty(len(self.levels), dtype=np.int32)
        order_by_level(self.levels, self.query_ptr, order)
        return order

    @cached_property
    def pairs_by_query(self) -> NDArray[np.int64]:
        """Return how many pairs with different grades each query has."""
        n_pairs = np.empty(len(self.query_ptr) - 1, dtype=np.int64)
        count_pairs(self.levels, self.query_ptr, n_pairs)
        return n_pairs

    def query_weights(self, weighting: str) -> NDArray[np.float64]:
        """Return what a pair of each query counts: 1, or the same for each query together.

        Either way the weights of all pairs of the data sum up to the number of pairs.
        """
        return self._weights_of_pairs if weighting == "pairs" else self._weights_of_queries

    def weighted_pairs(self, weighting: str) -> float:
        """Return the sum of the weights of all pairs here."""
        if weighting == "pairs":
            return float(self.n_pairs)
        return float(self._weights_of_queries @ self.pairs_by_query)

    @property
    def own_totals(self) -> PairTotals:
        """Return pairs, and queries with pairs, of these targets alone."""
        return PairTotals(self.n_pairs, int(np.count_nonzero(self.pairs_by_query)))

    @cached_property
    def _weights_of_pairs(self) -> NDArray[np.float64]:
        return np.ones(len(self.query_ptr) - 1)

    @cached_property
    def _weights_of_queries(self) -> NDArray[np.float64]:
        totals = self.totals or self.own_totals
        n_pairs, weights = self.pairs_by_query, np.zeros(len(self.query_ptr) - 1)
        mean = totals.n_pairs / max(totals.n_queries, 1)
        np.divide(mean, n_pairs, out=weights, where=n_pairs > 0)
        return weights


@dataclass(frozen=True)
class PairLoss(ABC):
    """A loss summed over all pairs with different grades inside queries, in score space.

    Losses never see features, and never build the pairs. One with kinks is not `smooth`: its
    gradient is a subgradient, and its product is 0.

    Parameters
    ----------
    weighting : {"pairs", "queries"}
        With "pairs" every pair counts 1, so that queries with many pairs count most. With
        "queries" every query with pairs counts the same: a pair of query q counts

            (pairs of all queries / queries with pairs) / (pairs of q),

        and the loss divided by the number of pairs is the mean over queries of the mean over a
        query's pairs. The weights sum up to the number of pairs, so that C and strengths keep
        their meaning.
    """

    smooth: ClassVar[bool] = True

    weighting: str = "pairs"

    def __post_init__(self) -> None:
        check_choice("weighting", self.weighting, WEIGHTINGS)

    def query_weights(self, targets: Targets) -> NDArray[np.float64]:
        """Return what a pair of each query counts."""
        return targets.query_weights(self.weighting)

    def parts_of_one(self, targets: Mapping[int, Targets]) -> dict[int, Targets]:
        """Return the targets of all parts of some data, with the totals that weights depend on."""
        if self.weighting == "pairs":
            return dict(targets)
        parts = [part.own_totals for part in targets.values()]
        totals = PairTotals(
            sum(part.n_pairs for part in parts), sum(part.n_queries for part in parts)
        )
        return {key: replace(part, totals=totals) for key, part in targets.items()}

    @abstractmethod
    def evaluate(self, scores: NDArray[np.float64], targets: Targets) -> Any:
        """Return the loss at `scores`: an object with value, gradient and product(v).

        In all three the pairs of a query count with its weight, see `query_weights`.
        """

    def value_and_grad(
        self, scores: NDArray[np.float64], targets: Targets
    ) -> tuple[float, NDArray[np.float64]]:
        """Return the sum over pairs, and its gradient by score."""
        at = self.evaluate(scores, targets)
        return at.value, at.gradient

    def dual_value(self, scale: float, value: float, inner: float) -> float:
        """Return a lower bound of the dual value at `scale` times the point dual to some scores.

        `value` is the loss at the scores and `inner` the product of its gradient with them. For
        each pair the conjugate is convex and 0 at 0, so at a scale between 0 and 1 it is at most
        that share of its value, which is inner - value by Fenchel's equality. Losses with more
        to say override this.
        """
        return scale * (value - inner)
