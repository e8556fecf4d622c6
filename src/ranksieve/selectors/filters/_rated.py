"""What filters share that weigh the importance of features against their similarity."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import RankingData
from ranksieve.importance import Importance, as_importance
from ranksieve.measures import Measure
from ranksieve.selectors._shared import SharedComponent
from ranksieve.selectors.base import Selector, by_score, constant_features
from ranksieve.selectors.filters._unproven import Unproven, check_unproven, comes_later, rated
from ranksieve.similarity import Similarity, as_similarity

Indices = NDArray[np.int64]
# Equal similarities must compare equal after sums in another order: ties go to the lower index.
_DECIMALS = 12


class RatedSelector(Selector):
    """A filter with the parameters `importance`, `similarity` and `unproven`."""

    importance: str | Measure | Importance
    similarity: str | Similarity
    unproven: Unproven

    def shared_components(self) -> tuple[SharedComponent, ...]:
        """Return importance and similarity."""
        return (
            SharedComponent.importance("importance", self.importance),
            SharedComponent.similarity("similarity", self.similarity),
        )

    def check_parameters(self) -> None:
        """Raise where a parameter is not valid."""
        check_unproven(self.unproven)

    def _rate(self, data: RankingData) -> tuple[Indices, Indices]:
        """Compute importance and similarity; return the features that vary within queries.

        First those that are offered first, then those that are not shown to be better than a
        random order (see `unproven`); both by index.
        """
        self.check_parameters()
        self.importance_, better = rated(as_importance(self.importance), data, self.unproven)
        if better is not None:
            self.better_than_random_ = better
        matrix: NDArray[np.float64] = np.abs(as_similarity(self.similarity).matrix(data))
        self.similarity_ = matrix.round(_DECIMALS)
        varies = ~constant_features(data)
        later = comes_later(better, varies)
        return np.flatnonzero(varies & ~later), np.flatnonzero(later)


def most(scores: NDArray[np.float64], features: Indices) -> int:
    """Return the feature with the largest score, of equal ones the first."""
    return int(features[np.argmax(scores[features])])


def least(scores: NDArray[np.float64], features: Indices) -> int:
    """Return the feature with the smallest score, of equal ones the first."""
    return int(features[np.argmin(scores[features])])


def without(features: Indices, feature: int) -> Indices:
    """Return the features less one of them."""
    remaining: Indices = features[features != feature]
    return remaining


def and_the_others(order: Indices, scores: NDArray[np.float64]) -> Indices:
    """Return an order of all features: first the ones in `order`, then by falling score.

    Examples
    --------
    >>> and_the_others(np.array([2, 0]), np.array([0.1, 0.2, 0.3, 0.4]))
    array([2, 0, 3, 1])
    """
    ranked = by_score(scores)
    return np.concatenate([order, ranked[~np.isin(ranked, order)]]).astype(np.int64)
