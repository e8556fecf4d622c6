"""The rounds of an elimination: judge what is left, drop the worst, again."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ranksieve.data import RankingData
from ranksieve.errors import ParameterError
from ranksieve.importance import Importance
from ranksieve.progress import report, silent
from ranksieve.rankers import Ranker
from ranksieve.selectors.base import Selection, by_score, constant_features
from ranksieve.selectors.wrappers._rankrfe_estimators import fitted, sizes


class Judge(Protocol):
    """Puts the features that are left into an order."""

    n_fits: int

    def best_first(self, data: RankingData, left: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the features `left`, given in rising order, from best to worst."""


class RankerJudge:
    """By the size of weights or importances of a ranker trained on what is left.

    A ranker with `start_from`, such as `RankSVM`, starts from the weights of the round before.
    """

    def __init__(self, ranker: Any) -> None:
        self._ranker = ranker
        self._weights: NDArray[np.float64] | None = None
        self.n_fits = 0

    def best_first(self, data: RankingData, left: NDArray[np.int64]) -> NDArray[np.int64]:
        """Train on the features `left`."""
        ranker = clone(self._ranker, safe=False)
        warm = isinstance(ranker, Ranker) and hasattr(ranker, "start_from")
        if warm and self._weights is not None:
            ranker.start_from(self._weights[left])
        self.n_fits += 1
        numbers = sizes(fitted(ranker, only(data, left)), len(left))
        if warm:
            self._weights = np.zeros(data.n_features)
            self._weights[left] = ranker.coef_
        return left[by_score(numbers)]


class SelectorJudge:
    """By the order in which a selector puts what is left."""

    def __init__(self, selector: Any) -> None:
        self._selector = selector
        if "n_features_to_select" in selector.get_params(deep=False):
            # One feature asked for, so that a method that stops at the number goes all the way.
            # A sparse ranker would become one of a single feature: it keeps its own strength.
            number = None if isinstance(selector, Ranker) else 1
            selector.set_params(n_features_to_select=number)
        self.n_fits = 0

    def best_first(self, data: RankingData, left: NDArray[np.int64]) -> NDArray[np.int64]:
        """Run the selector on the features `left`."""
        self.n_fits += 1
        order: NDArray[np.int64] = clone(self._selector).fit(only(data, left)).order_
        return left[order]


class ImportanceJudge:
    """By an importance of what is left; its own trainings are no fits of the estimator."""

    n_fits = 0

    def __init__(self, importance: Importance) -> None:
        self._importance = importance

    def best_first(self, data: RankingData, left: NDArray[np.int64]) -> NDArray[np.int64]:
        """Score the features `left`."""
        return left[by_score(self._importance.scores(only(data, left)))]


class NoJudge:
    """All features are alike: where there is nothing to learn."""

    n_fits = 0

    def best_first(self, data: RankingData, left: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the features as they are."""
        return left


def eliminate(judge: Judge, data: RankingData, step: int | float) -> Selection:
    """Return the features, the last to go first, with the round in which each went."""
    constant = constant_features(data)
    left, gone = np.flatnonzero(~constant), [np.flatnonzero(constant)]
    while len(left) > 1:
        report("eliminating", data.n_features - len(left), data.n_features)
        with silent():
            best_first = judge.best_first(data, left)
        n_kept = len(left) - number_to_drop(step, len(left))
        gone.append(best_first[n_kept:])
        left = np.sort(best_first[:n_kept])
    report("eliminating", data.n_features, data.n_features)
    gone.append(left)
    rounds = np.empty(data.n_features)
    for number, features in enumerate(gone):
        rounds[features] = number
    return Selection(np.concatenate(gone[::-1]).astype(np.int64), rounds)


def number_to_drop(step: int | float, n_left: int) -> int:
    """Return how many of the features that are left go in a round: one stays at least.

    Examples
    --------
    >>> [number_to_drop(3, n) for n in (10, 4, 3, 2)]
    [3, 3, 2, 1]
    >>> [number_to_drop(0.3, n) for n in (100, 10, 5, 2)]
    [30, 3, 2, 1]
    """
    if isinstance(step, float | np.floating):
        # To the nearest number, halves up. 0.29 * 50 is a little less than 14.5.
        step = max(1, int(np.floor(step * n_left + 0.5 + 1e-9)))
    return min(int(step), n_left - 1)


def check_step(step: Any) -> None:
    """Raise unless a step is a whole number of features or a share of them."""
    if isinstance(step, int | np.integer) and not isinstance(step, bool) and step >= 1:
        return
    if isinstance(step, float | np.floating) and 0.0 < step < 1.0:
        return
    raise ParameterError(
        "step must be a whole number of features of at least 1, or a share of the features that "
        f"are left, between 0 and 1, but is {step!r}"
    )


def only(data: RankingData, features: NDArray[np.int64]) -> RankingData:
    """Return the data with some features; a copy that is read many times, but not of all."""
    if len(features) == data.n_features:
        return data
    return data.features(features).gathered()
