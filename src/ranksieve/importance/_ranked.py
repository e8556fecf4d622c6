"""Importances that read each piece once, and share one sort of its features."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import Block, RankingData
from ranksieve.importance.base import Importance, Rating
from ranksieve.kernels.importance.ranked import rank_columns
from ranksieve.kernels.pairs.sums import grade_levels
from ranksieve.passes import run


class RankedPiece:
    """A piece of whole queries with the order of its documents by each feature.

    The orders are made when they are first asked for, and then serve every importance.
    """

    def __init__(self, block: Block) -> None:
        self.block = block
        self.y = np.ascontiguousarray(block.y[block.rows])
        self.query_ptr = block.query_ptr - block.query_ptr[0]

    @cached_property
    def ranked(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Documents of queries by falling value, and ends of equal values: one row per feature."""
        shape = (self.block.n_features, self.block.n_documents)
        order, group_end = np.empty(shape, np.int32), np.empty(shape, np.int32)
        rank_columns(self.block.X, self.block.query_ptr, order, group_end)
        return order, group_end

    @cached_property
    def levels(self) -> NDArray[np.int32]:
        """Level of each document's grade in its query, from 0."""
        return self._levels_and_pairs[0]

    @property
    def n_pairs(self) -> int:
        """Number of pairs with different grades inside queries."""
        return self._levels_and_pairs[1]

    @cached_property
    def n_graded(self) -> int:
        """Number of queries with at least two different grades."""
        return int((np.maximum.reduceat(self.levels, self.query_ptr[:-1]) > 0).sum())

    @cached_property
    def _levels_and_pairs(self) -> tuple[NDArray[np.int32], int]:
        levels = np.empty(len(self.y), dtype=np.int32)
        return levels, int(grade_levels(self.y, self.query_ptr, levels))


class RankedPass(Protocol):
    """As a pass over blocks, but of ranked pieces."""

    def partial(self, piece: RankedPiece) -> Any:
        """Return what the piece contributes."""
        ...

    def combine(self, left: Any, right: Any) -> Any:
        """Return the contribution of both."""
        ...


class RankedImportance(Importance):
    """An importance from one pass over ranked pieces.

    Subclasses write `_pass(data)`, and `_finish(total)` and `_significant(total, data)`, which turn
    the combined contributions into scores, and into which features are better than a random order.
    Several of them cost one sort: see `scores_together`.
    """

    @abstractmethod
    def _pass(self, data: RankingData) -> RankedPass:
        """Return what reads the pieces; raise if the data does not suit."""

    @abstractmethod
    def _finish(self, total: Any) -> NDArray[np.float64]:
        """Return the scores."""

    @abstractmethod
    def _significant(self, total: Any, data: RankingData) -> NDArray[np.bool_]:
        """Return which features are better than a random order (see `_evidence.is_significant`)."""

    def scores(self, data: RankingData) -> NDArray[np.float64]:
        """Return one number per feature; larger is better."""
        return self._finish(self._total(data))

    def better_than_random(self, data: RankingData) -> NDArray[np.bool_]:
        """Return which features are shown to order documents better than a random order does.

        By a test over queries at a level of 0.05; the notes of the class have its formula.
        """
        return self._significant(self._total(data), data)

    def rating(self, data: RankingData) -> Rating:
        """Return scores and `better_than_random` together, from one pass."""
        total = self._total(data)
        scores = self._finish(total)
        return Rating(scores, scores, self._significant(total, data))

    def _total(self, data: RankingData) -> Any:
        return ranked_totals([self], data)[0]


class DirectedImportance(RankedImportance):
    """A ranked importance of each direction of a feature, which scores the better one."""

    @abstractmethod
    def _both(self, total: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the scores of ranking by each feature, and by its negative."""

    def _finish(self, total: Any) -> NDArray[np.float64]:
        return np.maximum(*self._both(total))

    def rating(self, data: RankingData) -> Rating:
        """Return scores, those of falling values, and `better_than_random`, from one pass."""
        total = self._total(data)
        falling, rising = self._both(total)
        return Rating(np.maximum(falling, rising), falling, self._significant(total, data))

    def both_directions(self, data: RankingData) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the scores of ranking by each feature, and by its negative."""
        return self._both(self._total(data))

    def directions(self, data: RankingData) -> NDArray[np.float64]:
        """Return 1 where ranking by the feature is at least as good as by its negative, or -1."""
        upwards, downwards = self.both_directions(data)
        return np.where(upwards >= downwards, 1.0, -1.0)


def ranked_totals(importances: Sequence[RankedImportance], data: RankingData) -> list[Any]:
    """Return what each importance's pass gathers, in one pass over the data."""
    return run_ranked([importance._pass(data) for importance in importances], data)


def run_ranked(passes: Sequence[RankedPass], data: RankingData) -> list[Any]:
    """Return what several passes over ranked pieces gather, with one sort for all."""
    return run(_Together(tuple(passes)), data, label="importance")


@dataclass(frozen=True, eq=False)
class _Together:
    passes: tuple[RankedPass, ...]

    def partial(self, block: Block) -> list[Any]:
        piece = RankedPiece(block)
        return [work.partial(piece) for work in self.passes]

    def combine(self, left: list[Any], right: list[Any]) -> list[Any]:
        return [work.combine(a, b) for work, a, b in zip(self.passes, left, right, strict=True)]
