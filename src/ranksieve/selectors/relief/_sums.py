"""The sums of a rule over all visited documents and their neighbours, for both scopes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import Block, RankingData
from ranksieve.kernels.relief.rows import add_differences
from ranksieve.passes import SumPass, run
from ranksieve.selectors.relief._neighbours import Comparison, Nearest, Overfull, Pairs
from ranksieve.selectors.relief._scaling import Ranges
from ranksieve.selectors.relief._weights import (
    Collect,
    Rule,
    ScoreRule,
    WeighedPairs,
    Weighing,
    median_distances,
)

Floats = NDArray[np.float64]

# Listed neighbours, of all levels, that one step inside a piece keeps.
_MOST_LISTED = 1 << 20


@dataclass(frozen=True, eq=False)
class Sums:
    """Sums over pairs: of factor * |difference| for each feature, and of the factors."""

    features: NDArray[np.float64]
    factors: NDArray[np.float64]

    @staticmethod
    def zero(n_sums: int, n_features: int) -> Sums:
        """Return sums over no pairs."""
        return Sums(np.zeros((n_sums, n_features)), np.zeros(n_sums))

    def add(self, comparison: Comparison, weighed: WeighedPairs) -> None:
        """Add pairs of a comparison's visited documents and its rows."""
        add_differences(
            comparison.rows,
            np.int64(comparison.first),
            comparison.visited,
            weighed.pairs.owners,
            weighed.pairs.neighbours,
            weighed.factors,
            self.features,
        )
        self.factors[:] += weighed.factors.sum(axis=1)

    def __add__(self, other: Sums) -> Sums:
        """Return the sums over both sets of pairs."""
        return Sums(self.features + other.features, self.factors + other.factors)


@dataclass(frozen=True, eq=False)
class Task:
    """What is computed: the rule, the visited documents by place, and the distance."""

    rule: Rule
    visited: NDArray[np.int64]
    ranges: Ranges
    squared: bool

    @property
    def k(self) -> int:
        """Number of neighbours."""
        return len(self.rule.profile)

    def visited_in(self, piece: Block) -> NDArray[np.int64]:
        """Return the places of visited documents in a piece."""
        start, stop = np.searchsorted(self.visited, [piece.documents.start, piece.documents.stop])
        return self.visited[start:stop]

    def centres(self, nearest: Nearest, positions: NDArray[np.int64], collect: Collect) -> Floats:
        """Return the visited documents' median score distances, where the rule needs them."""
        if isinstance(self.rule, ScoreRule) and self.rule.centred:
            return median_distances(self.rule, nearest, positions, collect)
        return np.zeros(len(positions))


def sums_in_queries(task: Task, data: RankingData) -> Sums:
    """Return the sums where neighbours are documents of the same query: one pass."""
    return run(_QueriesPass(task), data, label="neighbours")


def sums_over_all(task: Task, data: RankingData) -> Sums:
    """Return the sums where neighbours are any documents: a few passes over the data."""
    rows = np.concatenate(run(_VisitedPass(task), data, label="visited documents"))
    nearest = run(_NearestPass(task, rows), data, label="neighbours")

    def tied(overfull: Overfull) -> Pairs:
        return run(_TiedPass(task, rows, overfull), data, label="ties")

    centres = task.centres(nearest, task.visited, tied)
    weighing = Weighing(task.rule, nearest.shares(task.rule.profile), task.visited, centres)
    listed = weighing.listed(nearest).by_place()
    work = _SumsPass(task, rows, weighing, listed, nearest.overfull())
    return run(work, data, label="weights")


@dataclass(frozen=True)
class _QueriesPass(SumPass):
    """All steps at once, since a query's documents are all in its piece."""

    task: Task

    def partial(self, piece: Block) -> Sums:
        rows, places = self.task.ranges.rows(piece), self.task.visited_in(piece)
        sums = Sums.zero(self.task.rule.n_sums, piece.n_features)
        step = max(1, _MOST_LISTED // (self.task.rule.n_levels * self.task.k))
        for start in range(0, len(places), step):
            self._add(piece, rows, places[start : start + step], sums)
        return sums

    def _add(self, piece: Block, rows: Floats, positions: NDArray[np.int64], sums: Sums) -> None:
        rule, row_ptr = self.task.rule, piece.query_ptr - piece.query_ptr[0]
        first = piece.documents.start
        comparison = Comparison(
            rows,
            first,
            rule.levels[piece.documents],
            row_ptr,
            rows[positions - first],
            positions,
            np.searchsorted(positions, row_ptr + first),
            self.task.squared,
        )
        nearest = comparison.nearest(rule.n_levels, self.task.k)
        centres = self.task.centres(nearest, positions, comparison.tied)
        weighing = Weighing(rule, nearest.shares(rule.profile), positions, centres)
        sums.add(comparison, weighing.listed(nearest))
        for overfull in nearest.overfull():
            sums.add(comparison, weighing.tied(comparison.tied(overfull)))


@dataclass(frozen=True)
class _VisitedPass:
    task: Task

    def partial(self, piece: Block) -> list[Floats]:
        return [self.task.ranges.rows(piece, self.task.visited_in(piece))]

    def combine(self, left: list[Floats], right: list[Floats]) -> list[Floats]:
        left.extend(right)
        return left


@dataclass(frozen=True, eq=False)
class _AcrossPass:
    """Every visited document against every document of a piece."""

    task: Task
    visited: Floats

    def comparison(self, piece: Block) -> Comparison:
        return Comparison(
            self.task.ranges.rows(piece),
            piece.documents.start,
            self.task.rule.levels[piece.documents],
            np.array([0, piece.n_documents]),
            self.visited,
            self.task.visited,
            np.array([0, len(self.visited)]),
            self.task.squared,
        )


@dataclass(frozen=True, eq=False)
class _NearestPass(_AcrossPass):
    def partial(self, piece: Block) -> Nearest:
        return self.comparison(piece).nearest(self.task.rule.n_levels, self.task.k)

    def combine(self, left: Nearest, right: Nearest) -> Nearest:
        return left.merge(right)


@dataclass(frozen=True, eq=False)
class _TiedPass(_AcrossPass):
    overfull: Overfull

    def partial(self, piece: Block) -> Pairs:
        return self.comparison(piece).tied(self.overfull)

    def combine(self, left: Pairs, right: Pairs) -> Pairs:
        return left.plus(right)


@dataclass(frozen=True, eq=False)
class _SumsPass(SumPass, _AcrossPass):
    weighing: Weighing
    listed: WeighedPairs
    overfull: list[Overfull]

    def partial(self, piece: Block) -> Sums:
        comparison = self.comparison(piece)
        sums = Sums.zero(self.task.rule.n_sums, piece.n_features)
        sums.add(comparison, self.listed.within(piece.documents))
        for overfull in self.overfull:
            sums.add(comparison, self.weighing.tied(comparison.tied(overfull)))
        return sums
