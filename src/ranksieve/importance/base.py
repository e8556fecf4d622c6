"""The one interface of importances."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import Block, RankingData


@dataclass(frozen=True, eq=False)
class Rating:
    """What an importance says about each feature.

    Attributes
    ----------
    scores : (n_features,) array, larger is better
    falling : (n_features,) array
        Scores of ranking by falling values alone; `scores` where both directions count alike.
    better_than_random : (n_features,) array of bool
    """

    scores: NDArray[np.float64]
    falling: NDArray[np.float64]
    better_than_random: NDArray[np.bool_]


class Importance(ABC):
    """How much each feature, taken alone, says about the grades.

    `looks_at_grades` is False for what is the same whatever the grades are, `looks_alone` for
    what a feature is worth beside the others: copies share it there.
    """

    looks_at_grades: ClassVar[bool] = True
    looks_alone: ClassVar[bool] = True

    @abstractmethod
    def scores(self, data: RankingData) -> NDArray[np.float64]:
        """Return one number per feature; larger is better."""

    def better_than_random(self, data: RankingData) -> NDArray[np.bool_]:
        """Return which features are shown to order documents better than a random order does.

        At a level of 0.05: about one in twenty features of noise is taken for better. Features
        that are constant in every query never are.

        This default holds for any importance. A feature is better if it scores more than with
        the grades shuffled within queries, 19 times (of 20 numbers that are alike, the first is
        the largest in 5 per cent of the cases), and if it varies, as the grades do, in at least
        six queries (the signs of five differences are all alike by chance in 6 per cent of the
        cases). Shuffles have a fixed seed; where a feature is close to the limit, the order of
        rows may decide.
        Cost: 20 times that of `scores`, and a copy of the data where it is a view. The
        importances of this package have tests of their own, at the cost of one pass.
        """
        from ranksieve.importance._shuffles import beyond_shuffles

        return beyond_shuffles(self.scores, data)

    def random_order(self, data: RankingData) -> float:
        """Return what a random order of the documents scores: the score of a constant feature.

        Examples
        --------
        >>> from ranksieve import load
        >>> from ranksieve.importance import MeasureImportance
        >>> data = load(([[1.0], [2.0], [3.0]], [2, 0, 0], [1, 1, 1]))
        >>> round(MeasureImportance("map").random_order(data), 4)  # (1 + 1/2 + 1/3) / 3
        0.6111
        """
        constant = np.zeros((data.n_documents, 1), dtype=data.dtype, order="F")
        block = Block(constant, data.y, data.query_ptr, data.query_ids)
        return float(self.scores(RankingData([block], ["constant"]))[0])

    def rating(self, data: RankingData) -> Rating:
        """Return scores and `better_than_random` together, in one pass where that is possible."""
        scores = self.scores(data)
        return Rating(scores, scores, self.better_than_random(data))

    def directions(self, data: RankingData) -> NDArray[np.float64]:
        """Return 1 for each feature that ranks better by falling value, -1 by rising value.

        By the share of rightly ordered pairs, where the importance itself knows no direction.
        """
        from ranksieve.importance.pair_error import PairErrorImportance

        return PairErrorImportance().directions(data)
