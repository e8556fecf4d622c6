"""A loss over pairs as a function of the weights of a linear model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import Block, RankingData
from ranksieve.errors import DataError
from ranksieve.kernels.pairs.curvature import add_curvature
from ranksieve.kernels.pairs.sums import add_pair_spreads
from ranksieve.losses import PairLoss, Targets
from ranksieve.losses.squared_hinge import SquaredHingeAtScores
from ranksieve.passes import Pass, PieceNotes, SumPass, pieces, run
from ranksieve.problems._piece_products import piece_gradient, piece_scores

Partial = TypeVar("Partial")

# Of how much data a rough Hessian is made, at least.
_SAMPLE_DOCUMENTS, _SAMPLE_PER_FEATURE, _SAMPLE_QUERIES = 50_000, 400, 300

# Values up to which passes run here and now.
_SMALL_DATA = 1 << 20


class PairRisk:
    """f(w) = mean over pairs of loss(X w), one pass over the data a call.

    With a loss whose `weighting` is "queries", the mean over queries that have pairs of the mean
    over a query's pairs.

    Notes
    -----
    `value_and_grad` and `product` each read the features once: a piece's scores, its loss
    and its share of the gradient are made while the piece is in the cache. Between passes
    only score-space vectors are kept, a few numbers per document. Without any pair with
    different grades, f is 0.
    """

    def __init__(self, data: RankingData, loss: PairLoss) -> None:
        self._data, self._loss = data, loss
        # A pass over little data takes less time than cutting it again.
        small = data.n_documents * data.n_features <= _SMALL_DATA
        self._blocks = list(data.blocks()) if small else None
        self._targets = PieceNotes(self._piece_targets(self._blocks or pieces(data)))
        # The loss of each piece at the point that was tried last, and at the one to go on from.
        self._tried = PieceNotes()
        self._accepted = PieceNotes()
        self._last: tuple[NDArray[np.float64], float, NDArray[np.float64]] | None = None
        self.n_weights = data.n_features
        self.n_pairs: int = sum(targets.n_pairs for targets in self._targets.values())
        self._share = 1.0 / (self._weight_of_pairs() or 1.0)
        self.sampling = _sampling(data)
        spreads = self._run(self._spread_pass())
        _check_size(spreads, data)
        # The diagonal of the squared hinge's Hessian at zero, where every pair is violated.
        self.curvatures = 2.0 * self._share * np.maximum(spreads, 0.0)

    def value_and_grad(self, w: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        """Return f(w) and its gradient; at the last point again without a pass."""
        if self._last is None or not np.array_equal(w, self._last[0]):
            self._tried = PieceNotes()
            value, gradient = self._run(_LossPass(self._loss, self._targets, w, self._tried))
            self._last = w.copy(), self._share * value, self._share * gradient
        return self._last[1], self._last[2].copy()

    def accept(self) -> None:
        """Let `product` and `hessian` refer to the last point."""
        self._accepted = self._tried

    def product(self, v: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the generalised Hessian of f times v."""
        product: NDArray[np.float64] = self._run(_ProductPass(self._accepted, v))
        return self._share * product

    def hessian(self, features: NDArray[np.int64], stride: int = 1) -> NDArray[np.float64]:
        """Return the rows and columns of the generalised Hessian that belong to `features`.

        With a stride of s, one query in s stands for all.
        """
        work = _HessianPass(self._loss, self._targets, self._accepted, features, stride)
        total, n_pairs = self._run(work)
        upper: NDArray[np.float64] = np.triu(total) / (n_pairs if n_pairs > 0.0 else 1.0)
        return upper + np.triu(upper, 1).T

    def dual_value(self, scale: float, value: float, inner: float) -> float:
        """Return a lower bound of the dual value, see `PairLoss.dual_value`."""
        return self._loss.dual_value(scale, value, inner)

    def _piece_targets(self, parts: Iterable[Block]) -> Mapping[int, Any]:
        """Return what the loss needs of the grades of each part, by its first document."""
        return self._loss.parts_of_one(_targets(parts))

    def _weight_of_pairs(self) -> float:
        """Return the sum of what all pairs count."""
        return float(self.n_pairs)

    def _spread_pass(self) -> Pass[NDArray[np.float64]]:
        """Return what sums squared differences of features over pairs as they count."""
        return _SpreadPass(self._loss, self._targets)

    def _run(self, work: Pass[Partial]) -> Partial:
        if not self._blocks:
            return run(work, self._data, label="")
        return reduce(work.combine, map(work.partial, self._blocks))


def _check_size(spreads: NDArray[np.float64], data: RankingData) -> None:
    too_large = np.flatnonzero(~np.isfinite(spreads))
    if len(too_large):
        raise DataError(
            "squares of features, summed over pairs, must be finite, but those of "
            f"{len(too_large)} of {data.n_features} features are not "
            f"(first: {data.feature_names[too_large[0]]!r}). Scale the features first."
        )


def _sampling(data: RankingData) -> int:
    """Return how many queries one may stand for, so that enough documents and queries are left."""
    documents = data.n_documents // max(_SAMPLE_DOCUMENTS, _SAMPLE_PER_FEATURE * data.n_features)
    return int(max(1, min(documents, data.n_queries // _SAMPLE_QUERIES)))


def _targets(parts: Iterable[Block]) -> dict[int, Targets]:
    return {
        part.first_document: Targets.from_grades(
            part.y[part.rows], part.query_ptr - part.query_ptr[0]
        )
        for part in parts
    }


@dataclass(frozen=True, eq=False)
class _SpreadPass(SumPass):
    loss: PairLoss
    targets: PieceNotes

    def partial(self, piece: Block) -> NDArray[np.float64]:
        targets = self.targets[piece.first_document]
        levels, query_ptr = targets.levels, targets.query_ptr
        spreads, weights = np.zeros(piece.n_features), self.loss.query_weights(targets)
        add_pair_spreads(piece.X, piece.rows.start, levels, query_ptr, weights, spreads)
        return spreads


@dataclass(frozen=True, eq=False)
class _LossPass(SumPass):
    loss: PairLoss
    targets: PieceNotes
    w: NDArray[np.float64]
    points: PieceNotes

    def partial(self, piece: Block) -> tuple[float, NDArray[np.float64]]:
        point = self.loss.evaluate(piece_scores(piece, self.w), self.targets[piece.first_document])
        # Each piece writes its own entry, so threads do not meet.
        self.points[piece.first_document] = point
        return point.value, piece_gradient(piece, point.gradient)


@dataclass(frozen=True, eq=False)
class _ProductPass(SumPass):
    points: PieceNotes
    v: NDArray[np.float64]

    def partial(self, piece: Block) -> NDArray[np.float64]:
        return piece_gradient(
            piece, self.points[piece.first_document].product(piece_scores(piece, self.v))
        )


@dataclass(frozen=True, eq=False)
class _HessianPass(SumPass):
    loss: PairLoss
    targets: PieceNotes
    points: PieceNotes
    features: NDArray[np.int64]
    stride: int

    def partial(self, piece: Block) -> tuple[NDArray[np.float64], float]:
        point = self.points[piece.first_document]
        total = np.zeros((len(self.features), len(self.features)))
        if isinstance(point, SquaredHingeAtScores):
            return total, self._add_squared_hinge(piece, point, total)
        for row, feature in enumerate(self.features):
            column = piece.X[piece.rows, feature].astype(np.float64)
            total[row] = piece_gradient(piece, point.product(column))[self.features]
        return total, self.targets[piece.first_document].weighted_pairs(self.loss.weighting)

    def _add_squared_hinge(
        self, piece: Block, point: SquaredHingeAtScores, total: NDArray[np.float64]
    ) -> float:
        targets = self.targets[piece.first_document]
        n_pairs = add_curvature(
            piece.X,
            piece.rows.start,
            self.features,
            point.scores,
            targets.levels,
            targets.query_ptr,
            point.order,
            point.weights,
            self.stride,
            total,
        )
        total *= 2.0
        return float(n_pairs)
