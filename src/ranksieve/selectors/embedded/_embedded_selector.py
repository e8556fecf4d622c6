"""What selectors by the weights of a sparse linear model share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from ranksieve.catalog import check_choice
from ranksieve.choices import RULES, FeatureSets
from ranksieve.data import RankingData
from ranksieve.errors import DataError, ParameterError, warn_caller
from ranksieve.estimator import check_number
from ranksieve.measures import Measure, parse_measure
from ranksieve.rankers import CrossValidation, LinearRanker, cross_validated
from ranksieve.selectors.base import Selection, Selector, by_score, constant_features
from ranksieve.selectors.embedded._models import Family, Models, by_size
from ranksieve.solvers import Solution

# What a strength or radius may be besides a number.
BY_FOLDS = "cv"


class EmbeddedSelector(Selector, LinearRanker):
    """A sparse linear ranker; features with a weight are selected.

    The model's strength (or radius) is a number, "cv" for the one that ranks held-out queries
    best, or None: then the one that gives exactly `n_features_to_select` features, or "cv" where
    no number is asked for. With both a strength and a smaller number of features, the largest
    weights are kept without another fit.

    Subclasses name the parameter in `strength_parameter`, and write `_family(data)` and
    `_nearness`.
    """

    strength_parameter: ClassVar[str] = "strength"
    _none_means: ClassVar[str] = "all features with a weight"
    decides_number: ClassVar[bool] = True
    _needs_pairs: ClassVar[bool] = False

    measure: str | Measure
    n_folds: int
    rule: str
    n_strengths: int
    tol: float
    max_iter: int
    random_state: int

    @abstractmethod
    def _family(self, data: RankingData) -> Family:
        """Return the models of the method on data, by the parameter `strength_parameter`."""

    def _strength(self) -> Any:
        """Return the strength as it was given: a number, "cv" or None."""
        return getattr(self, self.strength_parameter)

    @abstractmethod
    def _nearness(self, family: Family, number: float, solution: Solution) -> NDArray[np.float64]:
        """Return how near each weight of 0 is to leaving it, from 0 to 1."""

    def transform(self, X: Any) -> Any:
        """Keep the selected features, in their own order, of a matrix, frame or RankingData."""
        check_is_fitted(self)
        if isinstance(X, RankingData) and self.n_features_ == 0:
            raise DataError(
                f"{type(self).__name__} selected no feature, all weights are 0, and ranking data "
                f"needs at least one. Give another {self.strength_parameter}, or "
                "n_features_to_select."
            )
        return super().transform(X)

    def _select(self, data: RankingData) -> Selection:
        self.check_parameters()
        family = self._settled(self._family(data.gathered()), data)
        number, solution = self._chosen(family, data)
        scores = by_size(solution.weights, self._nearness(family, number, solution))
        self._keep(family, number, solution)
        if self._strength() is None and self.n_features_to_select is not None:
            self._check_number_reached(data, solution.weights)
        order = by_score(scores)
        if self.n_features_to_select is None:
            self.n_features_ = int(np.count_nonzero(solution.weights))
        self._keep_weights(solution, order[: self.n_features_])
        return Selection(order, scores)

    def _keep_weights(self, solution: Solution, selected: NDArray[np.int64]) -> None:
        """Set the weights of the selected features."""
        self.coef_ = np.zeros(len(solution.weights))
        self.coef_[selected] = solution.weights[selected]

    def _settled(self, family: Family, data: RankingData) -> Family:
        """Return the family with what else is chosen by folds; set `cross_validation_` then."""
        return family

    def _chosen(self, family: Family, data: RankingData) -> tuple[float, Solution]:
        """Return the number of the model to take, and the model."""
        strength = self._strength()
        if strength is None and self.n_features_to_select is not None:
            return Models(family).of_size(self.n_features_)
        if strength is None or strength == BY_FOLDS:
            if family.risk.n_pairs == 0:
                # No query has two grades: every strength gives weights of 0.
                return 1.0, family.solve(1.0, None)
            if not hasattr(self, "cross_validation_"):
                self.cross_validation_ = self._cross_validation(family, data)
            strength = self.cross_validation_.chosen
        return float(strength), family.solve(float(strength), None)

    def _cross_validation(self, family: Family, data: RankingData) -> CrossValidation:
        numbers = family.grid(self.n_strengths)
        return self._by_folds(
            data,
            numbers,
            lambda train: self._family(train).solutions(numbers),
            from_first_with_features(family, numbers),
        )

    def _by_folds(
        self,
        data: RankingData,
        numbers: NDArray[np.float64],
        models_of: Callable[[RankingData], Iterable[Solution]],
        eligible: NDArray[np.bool_],
        similarity_strengths: NDArray[np.float64] | None = None,
    ) -> CrossValidation:
        return cross_validated(
            data,
            numbers,
            models_of,
            measure=parse_measure(self.measure),
            n_folds=self.n_folds,
            rule=self.rule,
            random_state=self.random_state,
            eligible=eligible,
            similarity_strengths=similarity_strengths,
            scores_of=self._scores_of_model(),
        )

    def _scores_of_model(self) -> Callable[[RankingData, Any], NDArray[np.float64]] | None:
        """Return how a model scores data on held-out queries; None for its weights alone."""
        return None

    @property
    def feature_weights_(self) -> NDArray[np.float64]:
        """One number per feature whose size says how much the model uses it: `coef_` here."""
        return self.coef_

    def feature_sets(self, data: RankingData) -> FeatureSets:
        """Return what would be kept for each number: a model of its own for each."""
        self.check_parameters()
        if self._strength() is not None:
            return super().feature_sets(data)
        largest = int((~constant_features(data)).sum())
        # A copy makes the models: what they learn of this part of the data is not kept.
        twin = clone(self)
        family = twin._settled(twin._family(data.gathered()), data)
        models = Models(family)

        def of_size(size: int) -> NDArray[np.int64]:
            number, solution = models.of_size(size)
            scores = by_size(solution.weights, twin._nearness(family, number, solution))
            return by_score(scores)[:size]

        return FeatureSets(largest, of_size)

    def _keep(self, family: Family, number: float, solution: Solution) -> None:
        """Set what the solver says about its end, and warn where that is not the optimum."""
        setattr(self, f"{self.strength_parameter}_", number)
        self.objective_, self.gap_ = solution.objective, solution.gap
        self.n_iter_, self.converged_ = solution.n_iter, solution.converged
        self.n_pairs_ = family.risk.n_pairs
        self.trace_ = solution.trace
        if not solution.converged and self._warns():
            remedy = "Raise max_iter" if solution.n_iter >= self.max_iter else "Raise tol"
            warn_caller(
                f"{type(self).__name__} ended after {solution.n_iter} steps with a relative gap of "
                f"{solution.gap:.2g}, above tol={self.tol:g}. {remedy}, or scale the features."
            )

    def _check_number_reached(self, data: RankingData, weights: NDArray[np.float64]) -> None:
        possible = min(self.n_features_, int((~constant_features(data)).sum()))
        if self.n_pairs_ > 0 and np.count_nonzero(weights) < possible:
            warn_caller(
                f"only {np.count_nonzero(weights)} of the {self.n_features_} features that "
                f"{type(self).__name__} selected have a weight, even in the densest model that was "
                "tried. Scale the features, or ask for fewer.",
                UserWarning,
            )

    def _warns(self) -> bool:
        """Tell whether a missed tolerance is worth a warning."""
        return True

    def check_parameters(self) -> None:
        """Raise where a parameter is not valid."""
        strength = self._strength()
        if isinstance(strength, str) and strength != BY_FOLDS:
            raise ParameterError(
                f"{self.strength_parameter} must be a number above 0, 'cv' for the one that ranks "
                f"held-out queries best, or None, but is {strength!r}"
            )
        if strength is not None and not isinstance(strength, str):
            self._check_strength(strength)
        check_choice("rule", self.rule, RULES)
        parse_measure(self.measure)
        check_number("tol", self.tol, above=0)
        check_number("max_iter", self.max_iter, least=1, integer=True)
        check_number("n_folds", self.n_folds, least=2, integer=True)
        check_number("n_strengths", self.n_strengths, least=2, integer=True)
        check_number("random_state", self.random_state, least=0, integer=True)

    def _check_strength(self, value: Any) -> None:
        check_number(self.strength_parameter, value, above=0)


def from_first_with_features(family: Family, numbers: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return True from the first number on whose model has a feature; for all where none has."""
    with_features = (
        index for index, model in enumerate(family.solutions(numbers)) if model.weights.any()
    )
    return np.arange(len(numbers)) >= next(with_features, 0)
