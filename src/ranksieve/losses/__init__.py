"""Losses over the pairs of documents of a query, in score space."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ranksieve import catalog
from ranksieve.losses.base import WEIGHTINGS as WEIGHTINGS
from ranksieve.losses.base import PairLoss as PairLoss
from ranksieve.losses.base import PairTotals as PairTotals
from ranksieve.losses.base import Targets as Targets

if TYPE_CHECKING:
    from ranksieve.losses.hinge import HingeLoss as HingeLoss
    from ranksieve.losses.logistic import LogisticLoss as LogisticLoss
    from ranksieve.losses.squared_hinge import SquaredHingeLoss as SquaredHingeLoss


def __getattr__(name: str) -> Any:
    return catalog.exported(__name__, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *catalog.exported(__name__, "__all__")})
