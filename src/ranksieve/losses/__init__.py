"""Losses over the pairs of documents of a query, in score space."""

from ranksieve.losses.base import PairLoss, Targets
from ranksieve.losses.squared_hinge import SquaredHingeLoss

__all__ = ["PairLoss", "SquaredHingeLoss", "Targets"]
