"""The one interface of selectors."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from ranksieve.choices import Choice, FeatureSets, ValidationCurve, as_choice, choice_names
from ranksieve.data import RankingData
from ranksieve.errors import ParameterError
from ranksieve.estimator import Ending, RankingEstimator, fitted_numbers, quiet_sums
from ranksieve.passes.variation import varying_features
from ranksieve.selectors._display import Displayed
from ranksieve.selectors._shared import SharedComponent

NumberOfFeatures = int | float | str | Choice | None


@dataclass(frozen=True, eq=False)
class Selection:
    """What a method found: all features from best to worst, and a number for each."""

    order: NDArray[np.int64]
    scores: NDArray[np.float64]


class Selector(Displayed, SelectorMixin, RankingEstimator):
    """A method that puts features into an order and keeps the first of them.

    Subclasses write `_select(data)` and take `n_features_to_select`: a whole number, a share
    between 0 and 1, None for half of the features, rounded up, or a choice made on data:
    "validation", or `ranksieve.choices.Validation` with its details. Those whose sets are
    not nested write `feature_sets(data)` too; those with an importance or a similarity that
    others may have in common with them, `shared_components()`.

    Attributes
    ----------
    order_ : (n_features,) array
        A permutation of all features, best first. Features that are constant in every
        query come last: they cannot order documents by themselves.
    scores_ : (n_features,) array, the method's own number for each feature
    n_features_ : int, how many are selected
    validation_ : ValidationCurve
        Where the number was chosen on validation queries: how each number did there.
    n_features_in_ : int
    """

    _none_means: ClassVar[str] = "half of the features"

    # Whether n_features_to_select=None lets the data decide, in place of taking half.
    decides_number: ClassVar[bool] = False

    # The parameter that makes a method's models sparser or denser, where it has one.
    strength_parameter: ClassVar[str | None] = None

    n_features_to_select: NumberOfFeatures

    @abstractmethod
    def _select(self, data: RankingData) -> Selection:
        """Return an order of all features, with scores."""

    def shared_components(self) -> tuple[SharedComponent, ...]:
        """Return the parts of the selector whose numbers depend on the data alone.

        Whoever runs many selectors on the same data computes each of them once, see
        `SharedComponent`. Here: none.
        """
        return ()

    def strength_on_path(self) -> float | None:
        """Return where the model is on a path of models that differ in their strength alone.

        None where there is no such path, or no number is given for the strength. Selectors with
        equal parameters but for `strength_parameter` share one call of `path`.
        """
        return None

    def ending(self) -> Ending:
        """Return how the fit ended, with the strength of the model where the method has one."""
        ending = super().ending()
        if self.strength_parameter is None:
            return ending
        strength = fitted_numbers(self, (self.strength_parameter,))
        return replace(ending, settled={**ending.settled, **strength})

    def feature_sets(self, data: RankingData) -> FeatureSets:
        """Return what would be kept for each number: here the head of one order.

        Nothing is set: what `self` has learnt stays as it is.
        """
        # One feature asked for, so that a method that stops at the number goes all the way.
        order = clone(self).set_params(n_features_to_select=1).fit(data).order_
        return FeatureSets(int((~constant_features(data)).sum()), lambda number: order[:number])

    def _fit(self, data: RankingData) -> None:
        choice = as_choice(self.n_features_to_select)
        if choice is None:
            self.n_features_ = number_to_select(
                self.n_features_to_select, data.n_features, none_means=self._none_means
            )
        else:
            self.validation_ = self._validate(choice, data)
            self.n_features_ = self.validation_.chosen
        selection = self._select(data)
        self.order_ = constant_last(selection.order, constant_features(data))
        self.scores_ = selection.scores

    def _validate(self, choice: Choice, data: RankingData) -> ValidationCurve:
        training, aside = choice.split(data)
        validation = self._check_same_features(aside)
        return choice.choose(self.feature_sets(training), training, validation)

    def transform(self, X: Any) -> Any:
        """Keep the selected features, in their own order, of a matrix, frame or RankingData."""
        if isinstance(X, RankingData):
            check_is_fitted(self)
            return self._check_same_features(X).features(self.get_support(indices=True))
        with quiet_sums():
            return super().transform(X)

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[Any]:
        """Return the names of the selected features, in their own order."""
        check_is_fitted(self)
        if input_features is None and hasattr(self, "_data_names"):
            named = np.asarray(self._data_names, dtype=object)
            chosen: NDArray[Any] = named[self.get_support()]
            return chosen
        names: NDArray[Any] = super().get_feature_names_out(input_features)
        return names

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        mask = np.zeros(self.n_features_in_, dtype=bool)
        mask[self.order_[: self.n_features_]] = True
        return mask


def number_to_select(
    requested: Any, n_features: int, *, none_means: str = "half of the features"
) -> int:
    """Return how many features `n_features_to_select` asks for.

    Examples
    --------
    >>> number_to_select(3, 10), number_to_select(0.25, 10), number_to_select(None, 5)
    (3, 3, 3)
    >>> number_to_select(0.07, 100)
    7
    """
    if requested is None:
        return (n_features + 1) // 2
    if isinstance(requested, int | np.integer) and not isinstance(requested, bool):
        if 1 <= requested <= n_features:
            return int(requested)
        raise ParameterError(
            f"n_features_to_select={requested} must be between 1 and the number of features, "
            f"{n_features}"
        )
    if isinstance(requested, float | np.floating) and 0.0 < requested < 1.0:
        # A share such as 0.07 is not exact: 0.07 * 100 is a little more than 7.
        return max(1, int(np.ceil(requested * n_features - 1e-9)))
    choices = " or ".join(repr(name) for name in choice_names())
    raise ParameterError(
        f"n_features_to_select must be a whole number, a share between 0 and 1, {choices}, or "
        f"None for {none_means}, but is {requested!r}"
    )


def by_score(scores: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return features from the highest score to the lowest; equal ones by index."""
    return np.argsort(-scores, kind="stable").astype(np.int64)


def constant_features(data: RankingData) -> NDArray[np.bool_]:
    """Return which features have one value in each query, and so cannot order its documents."""
    constant: NDArray[np.bool_] = ~varying_features(data)
    return constant


def constant_last(order: NDArray[np.int64], constant: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Move constant features to the end, keeping the order otherwise.

    Examples
    --------
    >>> constant_last(np.array([2, 0, 1]), np.array([False, False, True]))
    array([0, 1, 2])
    """
    last = constant[order]
    return np.concatenate([order[~last], order[last]])
