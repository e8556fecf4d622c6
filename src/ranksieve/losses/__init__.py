"""Losses over the pairs of documents of a query, in score space."""

from ranksieve.losses.base import WEIGHTINGS, PairLoss, PairTotals, Targets
from ranksieve.losses.hinge import HingeLoss
from ranksieve.losses.logistic import LogisticLoss
from ranksieve.losses.squared_hinge import SquaredHingeLoss

__all__ = [
    "WEIGHTINGS",
    "HingeLoss",
    "LogisticLoss",
    "PairLoss",
    "PairTotals",
    "SquaredHingeLoss",
    "Targets",
]
