"""The one interface of choices."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ranksieve.choices._curve import ValidationCurve
from ranksieve.data import RankingData


@dataclass(frozen=True, eq=False)
class FeatureSets:
    """What a selector would keep for each number of features.

    Attributes
    ----------
    largest : int, the largest number worth trying: features that are not constant
    of_size : function from a number to the indices of that many features
    least : int, the smallest number worth trying
    """

    largest: int
    of_size: Callable[[int], NDArray[np.int64]]
    least: int = 1


@dataclass(frozen=True, repr=False)
class Choice(ABC):
    """How many features a selector keeps, decided on data: a value with named parameters.

    Choices are frozen dataclasses; `repr` is the constructor call.
    """

    @abstractmethod
    def split(self, data: RankingData) -> tuple[RankingData, RankingData]:
        """Return the part of the data to select and train on, and the part to decide on."""

    @abstractmethod
    def choose(
        self, sets: FeatureSets, training: RankingData, validation: RankingData
    ) -> ValidationCurve:
        """Return how each number of features does; its `chosen` is the number to keep."""

    def __sklearn_clone__(self) -> Self:
        # A value that never changes need not be copied, nor the data that it may hold.
        return self

    def __repr__(self) -> str:
        changed = [
            f"{field.name}={_literal(getattr(self, field.name))}"
            for field in fields(self)
            if getattr(self, field.name) is not field.default
            and getattr(self, field.name) != field.default
        ]
        return f"{type(self).__name__}({', '.join(changed)})"


def _literal(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) and '"' not in value else repr(value)
