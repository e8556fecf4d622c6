"""Half the squared norm of the weights plus a loss of the scores that they give."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import Block, RankingData
from ranksieve.errors import DataError
from ranksieve.losses import PairLoss, Targets
from ranksieve.passes import Pass, PieceNotes, SumPass, pieces, run
from ranksieve.problems._piece_products import piece_gradient, piece_scores

Partial = TypeVar("Partial")
MakeTargets = Callable[[NDArray[np.float64], NDArray[np.int64]], Any]

# Values up to which passes run here and now.
_SMALL_DATA = 1 << 20


class ScoreLoss(Protocol):
    """A convex, nonnegative loss of the scores of whole queries, summed over queries.

    Every `PairLoss` is one. `targets` is what the loss needs of the grades.
    """

    def value_and_grad(
        self, scores: NDArray[np.float64], targets: Any
    ) -> tuple[float, NDArray[np.float64]]:
        """Return the loss, and a subgradient by score."""
        ...


class RidgeScores:
    """f(w) = |w|^2 / 2 + factor * sum over queries of loss(X w).

    Parameters
    ----------
    data : RankingData
    loss : ScoreLoss
    factor : float, the weight of the sum
    targets : callable
        Makes of grades and offsets (which start at 0) what the loss calls targets.

    Notes
    -----
    `value_and_grad` reads the features once. `along` reads them once for as many points of a
    line as are asked for: the scores there are a sum of two vectors.
    """

    strong_convexity = 1.0

    def __init__(
        self,
        data: RankingData,
        loss: ScoreLoss,
        factor: float,
        targets: MakeTargets = Targets.from_grades,
    ) -> None:
        self._data, self._loss, self._factor = data, loss, factor
        # A pass over little data takes less time than cutting it again.
        small = data.n_documents * data.n_features <= _SMALL_DATA
        self._blocks = list(data.blocks()) if small else None
        by_piece = {
            part.first_document: targets(part.y[part.rows], part.query_ptr - part.query_ptr[0])
            for part in self._blocks or pieces(data)
        }
        if isinstance(loss, PairLoss):
            by_piece = loss.parts_of_one(by_piece)
        self._targets = PieceNotes(by_piece)
        self.n_weights = data.n_features
        self.n_documents = data.n_documents

    def value_and_grad(self, w: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        """Return f(w) and a subgradient."""
        value, slope = self._run(_LossPass(self._loss, self._targets, w))
        gradient = w + self._factor * slope
        with np.errstate(over="ignore", invalid="ignore"):
            finite = np.isfinite(gradient @ gradient)
        if not finite:
            raise DataError(
                "the squared length of the loss's gradient must be finite, but features as large "
                "as these make it overflow. Scale the features first, or lower C."
            )
        return 0.5 * float(w @ w) + self._factor * value, gradient

    def along(
        self, w: NDArray[np.float64], direction: NDArray[np.float64]
    ) -> Callable[[float], tuple[float, float]]:
        """Return t -> value and slope of f at w + t direction, without reading features again."""
        scores, change = PieceNotes(), PieceNotes()
        self._run(_ScoresPass(w, direction, scores, change))
        constant, linear = 0.5 * float(w @ w), float(w @ direction)
        square = float(direction @ direction)

        def at(t: float) -> tuple[float, float]:
            value, slope = self._run(_LinePass(self._loss, self._targets, scores, change, t))
            ridge = constant + t * linear + 0.5 * t * t * square
            return ridge + self._factor * value, linear + t * square + self._factor * slope

        return at

    def _run(self, work: Pass[Partial]) -> Partial:
        if not self._blocks:
            return run(work, self._data, label="")
        return reduce(work.combine, map(work.partial, self._blocks))


@dataclass(frozen=True, eq=False)
class _LossPass(SumPass):
    loss: ScoreLoss
    targets: PieceNotes
    w: NDArray[np.float64]

    def partial(self, piece: Block) -> tuple[float, NDArray[np.float64]]:
        targets = self.targets[piece.first_document]
        value, by_score = self.loss.value_and_grad(piece_scores(piece, self.w), targets)
        return value, piece_gradient(piece, by_score)


@dataclass(frozen=True, eq=False)
class _ScoresPass:
    w: NDArray[np.float64]
    direction: NDArray[np.float64]
    scores: PieceNotes
    change: PieceNotes

    def partial(self, piece: Block) -> None:
        # Each piece writes its own entry, so threads do not meet.
        self.scores[piece.first_document] = piece_scores(piece, self.w)
        self.change[piece.first_document] = piece_scores(piece, self.direction)

    def combine(self, left: None, right: None) -> None:
        return None


@dataclass(frozen=True, eq=False)
class _LinePass(SumPass):
    loss: ScoreLoss
    targets: PieceNotes
    scores: PieceNotes
    change: PieceNotes
    t: float

    def partial(self, piece: Block) -> tuple[float, float]:
        change = self.change[piece.first_document]
        scores = self.scores[piece.first_document] + self.t * change
        value, by_score = self.loss.value_and_grad(scores, self.targets[piece.first_document])
        return value, float(by_score @ change)
