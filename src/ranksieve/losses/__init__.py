"""Losses over the pairs of documents of a query, in score space."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ranksieve.lazy import lazy_names

if TYPE_CHECKING:
    from ranksieve.losses.base import WEIGHTINGS as WEIGHTINGS
    from ranksieve.losses.base import PairLoss as PairLoss
    from ranksieve.losses.base import PairTotals as PairTotals
    from ranksieve.losses.base import Targets as Targets
    from ranksieve.losses.hinge import HingeLoss as HingeLoss
    from ranksieve.losses.logistic import LogisticLoss as LogisticLoss
    from ranksieve.losses.squared_hinge import SquaredHingeLoss as SquaredHingeLoss

__all__ = [
    "WEIGHTINGS",
    "HingeLoss",
    "LogisticLoss",
    "PairLoss",
    "PairTotals",
    "SquaredHingeLoss",
    "Targets",
]

__getattr__ = lazy_names(__name__)
