"""RankNet."""

from __future__ import annotations

from ranksieve.data import Block
from ranksieve.losses import LogisticLoss, Targets
from ranksieve.rankers._network import NetworkRanker
from ranksieve.rankers._network_risk import ScoreLoss


class RankNet(NetworkRanker):
    """Network."""

    def _loss(self) -> ScoreLoss:
        return ScoreLoss(_pair_targets, LogisticLoss().value_and_grad)


def _pair_targets(piece: Block) -> tuple[Targets, int]:
    targets = Targets.from_grades(piece.y[piece.rows], piece.query_ptr - piece.query_ptr[0])
    return targets, targets.n_pairs
