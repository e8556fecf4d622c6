"""Who may judge features: rankers and selectors, by text or object, and what outside ones need."""

from __future__ import annotations

import inspect
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ranksieve import catalog
from ranksieve.data import RankingData
from ranksieve.errors import DataError, ParameterError
from ranksieve.estimator import RankingEstimator
from ranksieve.importance import Importance
from ranksieve.importance.permutation import PermutationImportance
from ranksieve.importance.shap import ShapImportance

_FAMILIES = ("rankers", "selectors")
# What queries are called by XGBoost and scikit-learn, LightGBM (documents per query), CatBoost.
_SIZES = "group"
_QUERY_PARAMETERS = ("qid", _SIZES, "group_id")


def as_estimator(spelled: Any) -> Any:
    """Return a new estimator that text spells or that is like an object.

    Examples
    --------
    >>> as_estimator("RankSVM(C=0.1)"), as_estimator("rankfilter")
    (RankSVM(C=0.1), RankFilter())
    """
    if isinstance(spelled, str):
        return catalog.parse(spelled, _family(spelled))
    copy = clone(spelled, safe=False)
    if not isinstance(copy, RankingEstimator):
        _check_outside(copy)
    return copy


def fitted(estimator: Any, data: RankingData) -> Any:
    """Fit an estimator of ours on the data, or one from outside on its arrays; return it."""
    if isinstance(estimator, RankingEstimator):
        return estimator.fit(data)
    counts = np.diff(data.query_ptr)
    # Numbers that rise with the rows: ids may be text, and XGBoost wants them sorted.
    qid = np.repeat(np.arange(data.n_queries), counts)
    name = _query_parameter(estimator)
    estimator.fit(data.X, data.y, **{str(name): counts if name == _SIZES else qid})
    return estimator


def predicted(estimator: Any, data: RankingData) -> NDArray[np.float64]:
    """Return the scores of data with the features that the estimator was fitted on, in order."""
    if not isinstance(estimator, RankingEstimator):
        return np.asarray(estimator.predict(data.X), dtype=np.float64)
    names = estimator.feature_names_
    # Some names are made up, or the caller would have complained.
    if names is not None and data.feature_names != names:
        data = RankingData(list(data.blocks()), names, data.scaling, data.tasks)
    scores: NDArray[np.float64] = estimator.predict(data)
    return scores


class OutsideRanker:
    """An estimator from outside as a ranker of RankingData, for importances that train one."""

    def __init__(self, estimator: Any) -> None:
        self._estimator = estimator

    def fit(self, data: RankingData) -> Self:
        """Fit the estimator on the arrays of the data."""
        fitted(self._estimator, data)
        return self

    def predict(self, data: RankingData) -> NDArray[np.float64]:
        """Return one score per document."""
        return predicted(self._estimator, data)


def with_ranker(importance: Importance, estimator: Any) -> Importance:
    """Return an importance; one that trains a ranker but names none gets the estimator."""
    if isinstance(importance, PermutationImportance | ShapImportance) and importance.ranker is None:
        ours = isinstance(estimator, RankingEstimator)
        return replace(importance, ranker=estimator if ours else OutsideRanker(estimator))
    return importance


def sizes(estimator: Any, n_features: int) -> NDArray[np.float64]:
    """Return how much each feature counts in a fitted estimator: |weight|, or importance."""
    weights = getattr(estimator, "coef_", None)
    values = getattr(estimator, "feature_importances_", None) if weights is None else weights
    if values is None:
        raise ParameterError(
            "an estimator needs weights for its features, coef_ or feature_importances_, once it "
            f"is fitted, but {_name(estimator)} has neither. Take one that is linear or made of "
            "trees, or a selector such as 'RankFilter'."
        )
    numbers = np.asarray(values, dtype=np.float64).ravel()
    if len(numbers) != n_features or not np.isfinite(numbers).all():
        raise DataError(
            f"{_name(estimator)} must give one finite number per feature, but for {n_features} "
            f"features it has numbers of shape {np.shape(values)}, {np.isfinite(numbers).sum()} of "
            "them finite. Scale the features, or choose another estimator."
        )
    return numbers if weights is None else np.abs(numbers)


def _family(text: str) -> str:
    name = text.split("(", 1)[0].strip()
    for family in _FAMILIES:
        if catalog.knows(family, name):
            return family
    names = [entry.class_name for family in _FAMILIES for entry in catalog.entries(family)]
    raise ParameterError(
        f"unknown estimator {name!r}{catalog.suggestion(name, names)} Known rankers and "
        f"selectors: {', '.join(names)}."
    )


def _check_outside(estimator: Any) -> None:
    if isinstance(estimator, type):
        problem = f"is the class {estimator.__name__}: give an object, {estimator.__name__}()"
    elif not callable(getattr(estimator, "fit", None)):
        problem = f"is {estimator!r}"
    else:
        if _query_parameter(estimator) is not None:
            return
        takes = inspect.signature(estimator.fit).parameters
        problem = f"is a {_name(estimator)}, whose fit takes {', '.join(takes)}"
    raise ParameterError(
        "estimator must be text such as 'RankSVM(C=0.1)' or 'RankFilter', a ranker or selector "
        "of ranksieve, or an object with fit(X, y, qid=...), or group=..., that then has coef_ or "
        f"feature_importances_, but {problem}"
    )


def _query_parameter(estimator: Any) -> str | None:
    """Return the parameter by which `fit` takes queries: ids, or LightGBM's sizes; or None."""
    takes = inspect.signature(estimator.fit).parameters
    for name in _QUERY_PARAMETERS:
        if name in takes:
            return name
    return "qid" if any(each.kind is each.VAR_KEYWORD for each in takes.values()) else None


def _name(estimator: Any) -> str:
    return type(estimator).__name__
