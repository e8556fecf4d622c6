"""What selectors may have in common: numbers that depend on the data and a component alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import RankingData
from ranksieve.importance import Importance, as_importance
from ranksieve.measures import Measure
from ranksieve.similarity import Similarity, as_similarity


@dataclass(frozen=True, eq=False)
class SharedComponent:
    """An importance or a similarity of a selector, and how its numbers are computed.

    Two selectors whose components have the same `parameter` and `text` get the same numbers on
    the same data.

    Attributes
    ----------
    parameter : the selector's parameter
    component : what the parameter stands for
    compute : function of the data that returns the numbers, see `numbers`
    """

    parameter: str
    component: Importance | Similarity
    compute: Callable[[RankingData], NDArray[np.float64]]

    def numbers(self, data: RankingData) -> NDArray[np.float64]:
        """Return what the selector uses of the component: one number per feature, or a matrix."""
        return self.compute(data)

    @property
    def text(self) -> str:
        """The component's constructor call."""
        return repr(self.component)

    @classmethod
    def importance(cls, parameter: str, spelled: str | Measure | Importance) -> Self:
        """Return the importance that a text spells, one number per feature."""
        importance = as_importance(spelled)
        return cls(parameter, importance, importance.scores)

    @classmethod
    def similarity(cls, parameter: str, spelled: str | Similarity) -> Self:
        """Return the similarity that a text spells, features by features.

        Examples
        --------
        >>> shared = SharedComponent.similarity("similarity", "kendall")
        >>> shared.parameter, shared.text
        ('similarity', 'KendallSimilarity()')
        """
        similarity = as_similarity(spelled)
        return cls(parameter, similarity, similarity.matrix)
