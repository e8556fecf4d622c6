"""Importances and similarities that are computed once for all selectors of a fold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import RankingData
from ranksieve.importance import Importance, as_importance
from ranksieve.selectors import Selector
from ranksieve.selectors.filters.fsscpr import preference_scores
from ranksieve.similarity import Doubled, Similarity, as_similarity

# Parameter of a selector to how it is computed.
COMPUTED: dict[str, Callable[[Any, RankingData], NDArray[np.float64]]] = {
    "importance": lambda spelled, data: as_importance(spelled).scores(data),
    "similarity": lambda spelled, data: as_similarity(spelled).matrix(data),
    "preference": lambda spelled, data: preference_scores(as_importance(spelled), data),
}
_TEXT: dict[str, Callable[[Any], str]] = {
    "importance": lambda spelled: repr(as_importance(spelled)),
    "similarity": lambda spelled: repr(as_similarity(spelled)),
    "preference": lambda spelled: repr(as_importance(spelled)),
}

# From a parameter's name, its text and its value to the numbers.
LookUp = Callable[[str, str, Any], NDArray[np.float64]]


@dataclass(frozen=True, eq=False)
class Known(Importance, Similarity):
    """Numbers that were computed before, in the place of what computes them.

    Of other data, such as the rest of the queries in cross-validation, they are computed.
    """

    numbers: NDArray[np.float64]
    spelled: Any
    train: RankingData

    def scores(self, data: RankingData) -> NDArray[np.float64]:
        """Return the importance of each feature."""
        return self.numbers if self._is_of(data) else as_importance(self.spelled).scores(data)

    def better_than_random(self, data: RankingData) -> NDArray[np.bool_]:
        """Return which features the importance itself finds better than a random order."""
        return as_importance(self.spelled).better_than_random(data)

    def matrix(self, data: RankingData) -> NDArray[np.float64]:
        """Return the similarity of features."""
        return self.numbers if self._is_of(data) else as_similarity(self.spelled).matrix(data)

    def _is_of(self, data: RankingData) -> bool:
        """Tell whether data is what the numbers were computed of, by its content."""
        if data is self.train:
            return True
        # Hashing reads all values, and few parts have as many documents.
        same_size = data.n_documents == self.train.n_documents
        return same_size and data.fingerprint == self.train.fingerprint

    def __sklearn_clone__(self) -> Self:
        # A value that never changes need not be copied, nor the data that it holds.
        return self

    def doubled(self, data: RankingData, matrix: NDArray[np.float64] | None = None) -> Doubled:
        """Return what the similarity itself says, which may have to be measured."""
        return as_similarity(self.spelled).doubled(
            data, self.matrix(data) if matrix is None else matrix
        )


def with_known(selector: Selector, look_up: LookUp, train: RankingData) -> Selector:
    """Return the selector with what `look_up` knows of `train` in the place of its components."""
    if getattr(selector, "orient", False):
        return selector  # it asks its importance for directions too, and turns the features
    parameters = selector.get_params(deep=False)
    given = {name: parameters[name] for name in COMPUTED if name in parameters}
    found = {
        name: Known(look_up(name, _TEXT[name](spelled), spelled), spelled, train)
        for name, spelled in given.items()
    }
    changed: Selector = selector.set_params(**found)
    return changed


def components(selector: Selector) -> set[tuple[str, str]]:
    """Return parameter and text of the components that a selector shares with others."""
    if getattr(selector, "orient", False):
        return set()
    parameters = selector.get_params(deep=False)
    return {(name, _TEXT[name](parameters[name])) for name in COMPUTED if name in parameters}
