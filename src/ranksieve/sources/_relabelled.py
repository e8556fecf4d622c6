"""A fold whose grades are the scores of a ranker that was trained on it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ranksieve.data import RankingData
from ranksieve.rankers import Ranker
from ranksieve.sources.base import StudyFold


@dataclass(frozen=True, eq=False)
class Relabelled:
    """A fold with the scores of a ranker, learnt on its train part, in the place of grades."""

    of: StudyFold = field(repr=False)
    ranker: Ranker

    @property
    def name(self) -> str:
        """The name of the fold."""
        return self.of.name

    @cached_property
    def train(self) -> RankingData:
        """Queries to select and train on."""
        return self._relabelled(self.of.train)

    @cached_property
    def vali(self) -> RankingData | None:
        """Queries to choose on."""
        return None if self.of.vali is None else self._relabelled(self.of.vali)

    @cached_property
    def test(self) -> RankingData:
        """Queries to report on."""
        return self._relabelled(self.of.test)

    @cached_property
    def _model(self) -> Ranker:
        model: Ranker = clone(self.ranker).fit(self.of.train)
        return model

    def _relabelled(self, data: RankingData) -> RankingData:
        return with_grades(data, from_zero(self._model.predict(data), data.query_ptr))


def from_zero(scores: NDArray[np.float64], query_ptr: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the scores less the least one of their query: grades may not be negative.

    Examples
    --------
    >>> from_zero(np.array([-1.0, 2.0, 5.0, 4.0]), np.array([0, 2, 4]))
    array([0., 3., 1., 0.])
    """
    least = np.minimum.reduceat(scores, query_ptr[:-1])
    shifted: NDArray[np.float64] = scores - np.repeat(least, np.diff(query_ptr))
    return shifted


def with_grades(data: RankingData, grades: NDArray[np.float64]) -> RankingData:
    """Return the data with other grades, one per document; features are shared where they can be.

    Examples
    --------
    >>> from ranksieve import load
    >>> with_grades(load(([[1.0], [2.0]], [0, 1], [7, 7])), np.array([0.5, 0.25])).y
    array([0.5 , 0.25])
    """
    blocks = [
        block.compact().with_grades(grades[block.documents].copy()) for block in data.blocks()
    ]
    return RankingData(blocks, data.feature_names, data.scaling, data.tasks)
