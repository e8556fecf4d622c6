"""How much each feature says alone, and how far features differ in it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import RankingData
from ranksieve.importance import Importance, MeasureImportance, as_importance
from ranksieve.measures import Measure, parse_measure

# Shares of the best feature's gain over a random order: below the first a feature is as good
# as none; a median below the second means that effects vary largely. On OHSUMED, which the GAS
# paper calls equally effective, the median is 0.8; on MQ2008 and MSLR it is 0.3.
NEAR_RANDOM = 0.1
LARGE_SPREAD = 0.5


@dataclass(frozen=True, eq=False)
class ImportanceFacts:
    """Importance of features in their better direction, beside that of a random order.

        gain(f) = score(f) - score of a constant feature

    A constant feature scores what a random order scores. Median, worst and counts are over
    the features that order documents at all.

    Attributes
    ----------
    name : str, the measure or importance
    scores : (p,) array of float, each feature in its better direction
    directions : (p,) array of int
        1 if documents with high values come first, -1 if those with low values do, 0 for a
        feature that orders nothing.
    random : float
    best, median, worst : float; NaN where no feature orders documents
    median_gain : float, the median's gain as a share of the best one's; NaN without a gain
    n_near_random : int, features with at most a tenth of the best one's gain
    alone : bool
        Whether features are judged one by one; False for what they are worth to a model of all,
        where those that are constant in each query are permuted across queries.
    """

    name: str
    scores: NDArray[np.float64]
    directions: NDArray[np.int64]
    random: float
    best: float
    median: float
    worst: float
    median_gain: float
    n_near_random: int
    alone: bool = True

    @classmethod
    def of(
        cls,
        data: RankingData,
        orders: NDArray[np.bool_],
        *,
        importance: str | Measure | Importance = "map",
    ) -> Self:
        """Return the facts of data; `orders` tells which features order documents.

        Examples
        --------
        >>> from ranksieve import load
        >>> data = load(([[1.0, 3.0], [2.0, 3.0], [3.0, 3.0]], [2, 0, 0], [1, 1, 1]))
        >>> facts = ImportanceFacts.of(data, np.array([True, False]))
        >>> facts.scores, facts.directions, facts.random
        (array([1.        , 0.61111111]), array([-1,  0]), 0.6111111111111112)
        """
        chosen = as_importance(importance)
        scores, directions = _scores_and_directions(chosen, data)
        random = chosen.random_order(data)
        used = scores[orders]
        best, median, worst = (
            (float(used.max()), float(np.median(used)), float(used.min()))
            if len(used)
            else (np.nan, np.nan, np.nan)
        )
        gain = best - random
        return cls(
            _name(chosen),
            scores,
            np.where(orders, directions, 0.0).astype(np.int64),
            random,
            best,
            median,
            worst,
            median_gain=(median - random) / gain if gain > 0 else np.nan,
            n_near_random=int((used - random <= NEAR_RANDOM * max(gain, 0.0)).sum()),
            alone=chosen.looks_alone,
        )

    @cached_property
    def order(self) -> NDArray[np.int64]:
        """Features from the highest score to the lowest, those that order nothing last."""
        places = np.lexsort((-self.scores, self.directions == 0))
        return places.astype(np.int64)

    @property
    def varies_largely(self) -> bool:
        """Whether the median feature has less than half of the best one's gain."""
        return bool(self.median_gain < LARGE_SPREAD)


def _scores_and_directions(
    importance: Importance, data: RankingData
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    if isinstance(importance, MeasureImportance):
        falling, rising = importance.both_directions(data)
        return np.maximum(falling, rising), np.where(falling >= rising, 1.0, -1.0)
    return importance.scores(data), importance.directions(data)


def _name(importance: Importance) -> str:
    if isinstance(importance, MeasureImportance):
        return str(parse_measure(importance.measure))
    return repr(importance)
