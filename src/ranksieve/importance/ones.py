"""The same importance for all features: for methods that are to leave it out of account."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import RankingData
from ranksieve.importance.base import Importance
from ranksieve.passes.variation import varying_features


@dataclass(frozen=True)
class OnesImportance(Importance):
    """1 for every feature that orders documents: importance switched off.

    0 for a feature that is constant in every query, as it is never worth selecting. Grades are
    not looked at, so no feature is shown to be better than a random order. In FSMRank the
    importance term is then the sum of |w_i|.

    Notes
    -----
    Cost: one pass over the data, which ends early for features that vary.

    Examples
    --------
    >>> from ranksieve import load
    >>> OnesImportance().scores(load(([[1.0, 5.0], [2.0, 5.0]], [0, 1], [1, 1])))
    array([1., 0.])
    """

    looks_at_grades: ClassVar[bool] = False

    def scores(self, data: RankingData) -> NDArray[np.float64]:
        """Return 1 for features that vary inside a query, else 0."""
        return varying_features(data).astype(np.float64)

    def better_than_random(self, data: RankingData) -> NDArray[np.bool_]:
        """Return False for each feature: nothing is shown without grades."""
        return np.zeros(data.n_features, dtype=bool)
