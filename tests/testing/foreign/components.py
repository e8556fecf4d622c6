"""Components of a package that is not ranksieve: a right one and a wrong one of four families."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import comb

import numpy as np

from ranksieve.importance import Importance, as_importance
from ranksieve.measures import Measure
from ranksieve.penalties import Penalty
from ranksieve.selectors import Selection, Selector
from ranksieve.selectors.base import by_score


@dataclass(frozen=True)
class FactorPenalty(Penalty):
    """factor * strength * |w|_1"""

    convex = True
    factor: float = 2.0

    def value(self, w, strength):
        return float(self.factor * strength * np.abs(w).sum())

    def derivative(self, w, strength):
        return np.full(len(w), self.factor * strength)

    def critical_strength(self, gradient):
        return float(np.abs(gradient).max(initial=0.0)) / self.factor


class WrongPenalty(FactorPenalty):
    """The slope without its factor."""

    def derivative(self, w, strength):
        return np.full(len(w), strength)


@dataclass(frozen=True)
class SpreadImportance(Importance):
    """Mean over queries of |mean of the upper half of grades - that of the lower half|."""

    def scores(self, data):
        total = np.zeros(data.n_features)
        X, y, starts = data.X.astype(np.float64), data.y, data.query_ptr
        for start, stop in pairwise(starts):
            upper = y[start:stop] > y[start:stop].mean()
            if upper.any():
                # Sorted, so that the order of rows does not move the last digit of a sum.
                rows = X[start:stop] - X[start:stop].min(axis=0)
                halves = (np.sort(rows[side], axis=0) for side in (upper, ~upper))
                high, low = (half.sum(axis=0) / len(half) for half in halves)
                total += np.abs(high - low)
        return total / data.n_queries


class WrongImportance(SpreadImportance):
    """Prefers features for where they stand."""

    def scores(self, data):
        return super().scores(data) + np.arange(data.n_features)


@dataclass(frozen=True, repr=False)
class Success(Measure):
    """1 where a relevant document is among the first k, else 0."""

    k: int | None = 2

    def _kernel(self, query_ptr):
        return _success, (self._positions(), self.ties, self._no_relevant_value())


class WrongSuccess(Success):
    """Takes averaged ties for those in the order of the rows."""

    def _kernel(self, query_ptr):
        return _success, (self._positions(), "input", self._no_relevant_value())


def _success(y, scores, query_ptr, out, k, ties, no_relevant):
    for query in range(len(out)):
        rows = slice(query_ptr[query], query_ptr[query + 1])
        out[query] = _of_query(y[rows] > 0, scores[rows], min(k, len(y[rows])), ties, no_relevant)


def _of_query(relevant, scores, k, ties, no_relevant):
    if not relevant.any():
        return no_relevant
    if ties != "average":
        worst_first = relevant if ties == "worst" else np.zeros(len(scores))
        return float(relevant[np.lexsort((worst_first, -scores))[:k]].any())
    last = np.sort(scores)[::-1][k - 1]
    if relevant[scores > last].any():
        return 1.0
    tied, among = int((scores == last).sum()), int(relevant[scores == last].sum())
    free = k - int((scores > last).sum())
    return 1.0 - comb(tied - among, free) / comb(tied, free)


class ByPrecision(Selector):
    """Features by their average precision."""

    def __init__(self, *, n_features_to_select=None):
        self.n_features_to_select = n_features_to_select

    def _select(self, data):
        scores = as_importance("map").scores(data)
        return Selection(by_score(scores), scores)


class ByIndex(ByPrecision):
    """Features as they come."""

    def _select(self, data):
        return Selection(np.arange(data.n_features), -np.arange(data.n_features, dtype=float))
