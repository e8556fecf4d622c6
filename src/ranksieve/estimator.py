"""What selectors and rankers share: one door for data, in scikit-learn's manner."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from ranksieve.data import RankingData, from_arrays
from ranksieve.errors import DataError, ParameterError


class RankingEstimator(BaseEstimator):
    """An estimator that is fitted on documents of queries.

    `fit` checks and calls `_fit`; subclasses write `_fit` and never override `fit`. `qid` is
    requested by default, so it passes through pipelines and searches once scikit-learn's
    metadata routing is switched on.
    """

    # scikit-learn reads these names as they stand, private mangling included.
    __metadata_request__fit: ClassVar[dict[str, bool]] = {"qid": True}

    def fit(self, X: Any, y: ArrayLike | None = None, *, qid: ArrayLike | None = None) -> Any:
        """Fit on arrays with one query id a row, or on RankingData alone.

        Parameters
        ----------
        X : matrix or frame of shape (documents, features), or RankingData
        y : grades, one a document; not given with RankingData
        qid : query ids, one a document, rows of a query adjacent; not given with RankingData
        """
        data = self._check_fit(X, y, qid)
        self._fit(data)
        return self

    def _fit(self, data: RankingData) -> None:
        raise NotImplementedError

    def _check_fit(self, X: Any, y: ArrayLike | None, qid: ArrayLike | None) -> RankingData:
        if isinstance(X, RankingData):
            if y is not None or qid is not None:
                raise ParameterError("RankingData has its own grades and query ids: fit(data)")
            self.n_features_in_ = X.n_features
            self.__dict__.pop("feature_names_in_", None)
            self._data_names = X.feature_names
            return X
        self.__dict__.pop("_data_names", None)
        matrix, grades = _validated(self, X, y, reset=True)
        return from_arrays(matrix, grades, qid, feature_names=_names(self))

    def _check_matrix(self, X: Any) -> NDArray[Any]:
        """Return X for a fitted estimator: as many features as in `fit`, all finite."""
        matrix: NDArray[Any] = _validated(self, X, None, reset=False)
        return matrix

    def _check_same_features(self, data: RankingData) -> RankingData:
        if data.n_features != self.n_features_in_:
            raise DataError(
                f"the data has {data.n_features} features, but {type(self).__name__} was "
                f"fitted on {self.n_features_in_}"
            )
        return data

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags


def _validated(estimator: Any, X: Any, y: Any, *, reset: bool) -> Any:
    """Run scikit-learn's own checks of shape, names and type; finiteness where nobody else does."""
    options = {"accept_sparse": ("csc", "csr"), "dtype": [np.float64, np.float32], "reset": reset}
    try:
        if not reset:
            return _dense(validate_data(estimator, X, **options))
        X, y = validate_data(estimator, X, y, y_numeric=True, ensure_all_finite=False, **options)
    except ValueError as error:
        raise DataError(str(error)) from None
    return _dense(X), y


def _dense(X: Any) -> Any:
    return X.toarray(order="F") if hasattr(X, "toarray") else X


def _names(estimator: Any) -> list[str] | None:
    names = getattr(estimator, "feature_names_in_", None)
    return None if names is None else [str(name) for name in names]


def check_number(
    name: str, value: Any, *, above: float | None = None, least: float | None = None
) -> None:
    """Raise unless a parameter is a finite number that is `above` a limit or at `least` one.

    Examples
    --------
    >>> check_number("C", 0, above=0)
    Traceback (most recent call last):
    ...
    ranksieve.errors.ParameterError: C must be a number above 0, but is 0
    """
    is_number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if is_number and np.isfinite(value):
        if (above is None or value > above) and (least is None or value >= least):
            return
    limit = f" above {above:g}" if above is not None else ""
    limit += f" of at least {least:g}" if least is not None else ""
    raise ParameterError(f"{name} must be a number{limit}, but is {value!r}")
