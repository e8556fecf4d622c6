"""The search behind BestFirst: sets of features as nodes, their values, and the way to the best."""

from __future__ import annotations

import heapq
import warnings
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ranksieve.data import RankingData
from ranksieve.data.canonical import in_content_order
from ranksieve.errors import ConvergenceWarning
from ranksieve.measures import Measure, counting_queries
from ranksieve.rankers import Ascent, Ranker
from ranksieve.rankers.coordinateascent import CoordinateAscent
from ranksieve.selectors.base import constant_features
from ranksieve.selectors.wrappers._rankrfe_estimators import fitted, predicted
from ranksieve.threads import side_by_side, threads

# Values that agree to this many digits are equal.
DIGITS = 12

Subset = tuple[int, ...]


class Nodes(ABC):
    """Sets of features and their values, as far as a search has seen them.

    Attributes
    ----------
    columns : (n_features,) array, where the features are in the data
    values : the value of each set that was visited
    """

    columns: NDArray[np.int64]

    def __init__(self) -> None:
        self.values: dict[Subset, float] = {}

    @property
    def n_features(self) -> int:
        """How many features there are to search."""
        return len(self.columns)

    @abstractmethod
    def visit(self, steps: Sequence[tuple[Subset, Subset | None]]) -> None:
        """Set the values of nodes, each reached from another; of some that may be known."""

    @abstractmethod
    def leave(self, node: Subset) -> None:
        """Do what is worth doing for a node whose neighbours are visited next."""

    @abstractmethod
    def model(self, node: Subset) -> tuple[Any, float]:
        """Return the ranker of a node, for the features in the node's order, and its value."""

    def key(self, node: Subset) -> tuple[float, int, Subset]:
        """Return what sorts nodes: the largest value first, then the smallest set."""
        return -self.values[node], len(node), node


class Ascents(Nodes):
    """Nodes by coordinate ascent: a step along the weight of the feature that is new.

    A node that is left is climbed for a round over all its features first, and the model of a
    subset for as many as it takes.
    """

    def __init__(self, data: RankingData, measure: Measure) -> None:
        super().__init__()
        self._data, self._measure = data, measure
        self._ascent = Ascent.of(data, measure, CoordinateAscent().n_steps)
        self._weights: dict[Subset, NDArray[np.float64]] = {}
        self.columns = self._ascent.columns

    def visit(self, steps: Sequence[tuple[Subset, Subset | None]]) -> None:
        ascent, scores_of = self._ascent, {}
        for node, origin in steps:
            if node in self.values:
                continue
            if origin is None:
                w = np.zeros(self.n_features)
                w[list(node)] = ascent.directions[list(node)]
                self._set(node, w, float(ascent.alone[node[0]]))
                continue
            if origin not in scores_of:
                scores_of[origin] = self._scores(origin, self._weights[origin])
            self._reach(node, origin, scores_of[origin])

    def _reach(self, node: Subset, origin: Subset, scores: NDArray[np.float64]) -> None:
        ascent, w = self._ascent, self._weights[origin]
        if len(node) > len(origin):
            (new,) = set(node).difference(origin)
            w, _, value = ascent.step(w, scores, new, self.values[origin])
        else:
            (gone,) = set(origin).difference(node)
            w, scores = w.copy(), scores - w[gone] * ascent.Z[gone]
            w[gone] = 0.0
            value = ascent.mean(scores)
        self._set(node, w, value)

    def leave(self, node: Subset) -> None:
        features = np.array(node)
        w, value = self._ascent.round(
            self._weights[node], self.values[node], np.random.default_rng(0), features
        )
        self._set(node, w, value)

    def model(self, node: Subset) -> tuple[Any, float]:
        model = CoordinateAscent(self._measure, n_restarts=1)
        columns = self.columns[list(node)]
        model.start_from(self._ascent.weights(self._weights[node])[columns])
        model.fit(self._data.features(columns).gathered())
        return model, model.objective_

    def _scores(self, node: Subset, w: NDArray[np.float64]) -> NDArray[np.float64]:
        features = list(node)
        scores: NDArray[np.float64] = w[features] @ self._ascent.Z[features]
        return scores

    def _set(self, node: Subset, w: NDArray[np.float64], value: float) -> None:
        self._weights[node], self.values[node] = w, round(value, DIGITS)


class Trained(Nodes):
    """Nodes by any ranker, trained at each from the weights of the node before, if it can."""

    def __init__(self, data: RankingData, ranker: Any, measure: Measure) -> None:
        super().__init__()
        varying = np.flatnonzero(~constant_features(data))
        self._own, places = in_content_order(data.features(varying))
        self._ranker, self._measure = ranker, measure
        self._counting = counting_queries(self._own, measure)
        self._models: dict[Subset, Any] = {}
        self.columns = varying[places]

    def visit(self, steps: Sequence[tuple[Subset, Subset | None]]) -> None:
        new = [step for step in steps if step[0] not in self.values]
        # Around all threads: filters of warnings are those of the process.
        with warnings.catch_warnings():
            # A node that learns nothing has the value of a random order.
            warnings.simplefilter("ignore", ConvergenceWarning)
            for (node, _), (model, value) in zip(new, side_by_side(self._train, new), strict=True):
                self._models[node], self.values[node] = model, value

    def leave(self, node: Subset) -> None:
        """Do nothing: the node is trained."""

    def model(self, node: Subset) -> tuple[Any, float]:
        return self._models[node], self.values[node]

    def _train(self, step: tuple[Subset, Subset | None]) -> tuple[Any, float]:
        node, origin = step
        ranker = clone(self._ranker, safe=False)
        if origin is not None and isinstance(ranker, Ranker) and hasattr(ranker, "start_from"):
            before = dict(zip(origin, self._models[origin].coef_, strict=True))
            ranker.start_from(np.array([before.get(f, 0.0) for f in node]))
        part = self._own.features(list(node)).gathered()
        with threads(1):
            model = fitted(ranker, part)
        scores = predicted(model, part)
        values = self._measure.values(part.y, scores, part.query_ptr)[self._counting]
        return model, round(float(values.mean()), DIGITS)


def best_subset(
    nodes: Nodes, left: set[int], patience: int, tol: float, max_size: int | None
) -> Subset:
    """Return the best node of a search among some features."""
    waiting = [nodes.key((f,)) for f in sorted(left)]
    heapq.heapify(waiting)
    best = waiting[0][-1]
    seen: set[Subset] = {(f,) for f in left}
    reached, n_stale = nodes.values[best], 0
    while waiting and n_stale < patience:
        node = heapq.heappop(waiting)[-1]
        nodes.leave(node)
        new = [each for each in _neighbours(node, left, max_size) if each not in seen]
        nodes.visit([(each, node) for each in new])
        seen.update(new)
        for each in new:
            heapq.heappush(waiting, nodes.key(each))
        top = min(nodes.key(each) for each in (node, *new))[-1]
        n_stale += 1
        if nodes.values[top] > reached + tol:
            best, reached, n_stale = top, nodes.values[top], 0
    return best


def _neighbours(node: Subset, left: set[int], max_size: int | None) -> list[Subset]:
    """Return the sets with one feature more or less, each in rising order."""
    smaller = [tuple(f for f in node if f != gone) for gone in node] if len(node) > 1 else []
    if max_size is not None and len(node) >= max_size:
        return smaller
    return smaller + [tuple(sorted((*node, f))) for f in sorted(left.difference(node))]
