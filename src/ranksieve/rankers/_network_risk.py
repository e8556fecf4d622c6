"""The penalised loss of a network as a function of its weights, one pass over the data a call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import Block, RankingData
from ranksieve.passes import PieceNotes, SumPass, pieces, run
from ranksieve.rankers._network_layers import Network
from ranksieve.rankers._standard import Standard

# Values up to which standardised features are kept rather than computed again in each pass: 32 MB.
_KEPT_VALUES = 1 << 22


class ScoreLoss(NamedTuple):
    """A loss in score space.

    Attributes
    ----------
    targets : what the loss needs of a piece's grades, and how many terms it is a sum of
    value_and_grad : the sum at some scores, and its slopes by score, from scores and targets
    parts_of_one : what makes of the targets of all pieces those that know of each other
    """

    targets: Callable[[Block], tuple[Any, int]]
    value_and_grad: Callable[[NDArray[np.float64], Any], tuple[float, NDArray[np.float64]]]
    parts_of_one: Callable[[dict[int, Any]], dict[int, Any]] = dict


class NetworkRisk:
    """f(w) = mean of the loss's terms + strength / 2 * sum of w^2 over the charged weights."""

    def __init__(
        self,
        data: RankingData,
        loss: ScoreLoss,
        network: Network,
        standard: Standard,
        strength: float,
    ) -> None:
        self._data, self._loss, self._network, self._standard = data, loss, network, standard
        counted = {piece.first_document: loss.targets(piece) for piece in pieces(data)}
        targets = {first: part for first, (part, _) in counted.items()}
        self._targets = PieceNotes(loss.parts_of_one(targets))
        self._share = 1.0 / sum(count for _, count in counted.values())
        self._charges = strength * network.charged
        self._rows = standard.rows
        if data.n_documents * data.n_features <= _KEPT_VALUES and not data.on_workers:
            rows = {piece.first_document: standard.rows(piece) for piece in pieces(data)}
            self._rows = lambda piece: rows[piece.first_document]

    def value_and_grad(self, weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        """Return f and its gradient."""
        work = _LossPass(self._loss, self._targets, self._network, self._rows, weights)
        value, gradient = run(work, self._data, label="")
        charged = self._charges * weights
        return (
            self._share * value + 0.5 * float(charged @ weights),
            self._share * gradient + charged,
        )

    def slopes(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the mean over documents of |slope of the score| by each standardised feature."""
        return run(_SlopePass(self._network, self._rows, weights), self._data) / len(self._data)


@dataclass(frozen=True, eq=False)
class _LossPass(SumPass):
    loss: ScoreLoss
    targets: PieceNotes
    network: Network
    rows: Callable[[Block], NDArray[np.float64]]
    weights: NDArray[np.float64]

    def partial(self, piece: Block) -> tuple[float, NDArray[np.float64]]:
        Z = self.rows(piece)
        scores, hidden = self.network.forward(self.weights, Z)
        value, by_score = self.loss.value_and_grad(scores, self.targets[piece.first_document])
        return value, self.network.backward(self.weights, Z, hidden, by_score)


@dataclass(frozen=True, eq=False)
class _SlopePass(SumPass):
    network: Network
    rows: Callable[[Block], NDArray[np.float64]]
    weights: NDArray[np.float64]

    def partial(self, piece: Block) -> NDArray[np.float64]:
        return self.network.slopes(self.weights, self.rows(piece))
