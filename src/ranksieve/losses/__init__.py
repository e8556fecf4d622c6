"""Losses over the pairs of documents of a query, in score space."""

from ranksieve.losses.base import PairLoss, Targets
from ranksieve.losses.hinge import HingeLoss
from ranksieve.losses.logistic import LogisticLoss
from ranksieve.losses.squared_hinge import SquaredHingeLoss

__all__ = ["HingeLoss", "LogisticLoss", "PairLoss", "SquaredHingeLoss", "Targets"]
