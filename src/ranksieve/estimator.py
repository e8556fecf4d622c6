"""What selectors and rankers share: one door for data, in scikit-learn's manner."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, ClassVar, Self, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted, validate_data

from ranksieve.catalog import suggestion
from ranksieve.data import RankingData, from_arrays
from ranksieve.data.check import check_dense_size, check_row_ids, check_seed
from ranksieve.errors import DataError, ParameterError, warn_caller

_Method = TypeVar("_Method", bound=Callable[..., Any])

# Characters of a text form that is never cut.
_WHOLE = 1_000_000

# Parameter to the values that a comparison of methods tries where it is given none.
DefaultGrid = dict[str, tuple[Any, ...]]


# What queries are called elsewhere.
_SIZES = ("group", "groups", "group_sizes")
_IDS = ("query_id", "query_ids", "group_id", "query", "qids")


def takes_qid(fit: _Method) -> _Method:
    """Let a `fit` say how queries are given where they come as other libraries take them.

    Examples
    --------
    >>> from ranksieve import GAS
    >>> GAS().fit([[1.0], [2.0]], [0, 1], group=[2])
    Traceback (most recent call last):
    ...
    ranksieve.errors.ParameterError: fit takes a query id for each document, not group sizes:
    fit(X, y, qid=np.repeat(np.arange(len(group)), group))
    """

    @wraps(fit)
    def checked(self: Any, *positional: Any, **named: Any) -> Any:
        if len(positional) > 2:
            raise ParameterError(
                "fit takes query ids by their name, an id for each document: fit(X, y, qid=qid)"
            )
        for name in named:
            if name in _SIZES:
                raise ParameterError(
                    "fit takes a query id for each document, not group sizes: "
                    f"fit(X, y, qid=np.repeat(np.arange(len({name})), {name}))"
                )
            if name in _IDS:
                raise ParameterError(
                    f"fit takes query ids, one for each document, as qid and not as {name}: "
                    f"fit(X, y, qid={name})"
                )
        return fit(self, *positional, **named)

    return cast(_Method, checked)


@dataclass(frozen=True)
class Ending:
    """How a fit ended; None for what the method does not say.

    Attributes
    ----------
    converged : whether the tolerance was met, or the optimum proven
    n_iter : steps, rounds or trees
    objective : what was reached
    gap : how far from the optimum that is at most
    bound : proven limit of the objective of all models or sets
    settled : parameters with the numbers that the model was fitted with, given or chosen
    details : further numbers that the method knows of its search, by name
    """

    converged: bool | None = None
    n_iter: int | None = None
    objective: float | None = None
    gap: float | None = None
    bound: float | None = None
    settled: Mapping[str, float] = field(default_factory=dict)
    details: Mapping[str, float] = field(default_factory=dict)


class RankingEstimator(BaseEstimator, metaclass=ABCMeta):
    """An estimator that is fitted on documents of queries.

    `fit` checks and calls `_fit`; subclasses write `_fit` and never override `fit`. `qid` is
    requested by default, so it passes through pipelines and searches once scikit-learn's
    metadata routing is switched on.
    """

    # scikit-learn reads these names as they stand, private mangling included.
    __metadata_request__fit: ClassVar[dict[str, bool]] = {"qid": True}

    default_grid: ClassVar[DefaultGrid] = {}

    # Parameters that are numbers in the fitted model, whether given or chosen by the fit.
    settled_parameters: ClassVar[tuple[str, ...]] = ()

    @takes_qid
    def fit(self, X: Any, y: ArrayLike | None = None, *, qid: ArrayLike | None = None) -> Any:
        """Fit on arrays with one query id per row, or on RankingData alone.

        Parameters
        ----------
        X : matrix or frame of shape (documents, features), or RankingData
        y : grades, one per document; not given with RankingData
        qid : query ids, one per document, rows of a query adjacent; not given with RankingData
        """
        with self._all_or_nothing():
            self._fit(self._check_fit(X, y, qid))
        return self

    @abstractmethod
    def _fit(self, data: RankingData) -> None:
        """Learn from checked data, and set what was learnt."""

    def check_parameters(self) -> None:
        """Raise where a parameter is not valid, as `fit` does before it reads the data.

        Here: nothing is known of the parameters.
        """

    def ending(self) -> Ending:
        """Return how the fit ended, as far as the method says so.

        From the fitted attributes of the same names: `converged_`, `n_iter_`, `objective_`, `gap_`
        and `bound_`; of parameters named in `settled_parameters`, such as "C" with `C_`.
        """
        check_is_fitted(self)
        return Ending(
            converged=fitted_number(self, "converged"),
            n_iter=fitted_number(self, "n_iter"),
            objective=fitted_number(self, "objective"),
            gap=fitted_number(self, "gap"),
            bound=fitted_number(self, "bound"),
            settled=fitted_numbers(self, self.settled_parameters),
        )

    @contextmanager
    def _all_or_nothing(self) -> Iterator[None]:
        """Forget an earlier fit first, and this one where it fails.

        Half of a new fit beside half of an old one would predict nonsense.
        """
        self._forget()
        try:
            yield
        except BaseException:
            self._forget()
            raise

    def _forget(self) -> None:
        private = ("_data_names", "_query_sizes")
        fitted = [name for name in vars(self) if name.endswith("_") or name in private]
        for name in fitted:
            delattr(self, name)

    def _check_fit(self, X: Any, y: ArrayLike | None, qid: ArrayLike | None) -> RankingData:
        if hasattr(self, "random_state"):
            check_seed(self.random_state)
        if isinstance(X, RankingData):
            if y is not None or qid is not None:
                raise ParameterError("RankingData has its own grades and query ids: fit(data)")
            self.n_features_in_ = X.n_features
            self._data_names = X.feature_names
            return X
        matrix, grades = _validated(self, X, y, reset=True)
        try:
            data = from_arrays(matrix, grades, qid, feature_names=_names(self))
        except DataError as error:
            raise _with_door(error) from None
        self._query_sizes = data.query_ids, np.diff(data.query_ptr)
        return data

    def _check_sparse(self, X: Any, y: ArrayLike | None) -> tuple[Any, NDArray[Any]]:
        """Return sparse X, by columns, and y after scikit-learn's checks; it stays sparse."""
        options = {"accept_sparse": ("csc",), "dtype": [np.float64, np.float32], "reset": True}
        try:
            with quiet_sums():
                matrix, grades = validate_data(
                    self, X, y, y_numeric=True, ensure_all_finite=False, **options
                )
        except ValueError as error:
            raise DataError(_without_advice(str(error))) from None
        return matrix, grades

    def warn_of_split_queries(self, qid: ArrayLike) -> None:
        """Warn if queries of `fit` come again with other documents: then these were split.

        Queries of as many documents as in `fit` are taken for the same documents: the score of
        training data is no mistake. Of RankingData nothing is compared: files often have ids that
        count from 1 in each.
        """
        if not hasattr(self, "_query_sizes"):
            return
        ids, sizes = self._query_sizes
        now, sizes_now = np.unique(check_row_ids(qid, np.size(qid)), return_counts=True)
        if now.dtype.kind != ids.dtype.kind:
            return
        _, indices_now, indices_before = np.intersect1d(now, ids, return_indices=True)
        n_split = int(np.count_nonzero(sizes_now[indices_now] != sizes[indices_before]))
        if n_split:
            warn_caller(
                f"{n_split} of the {len(now)} queries were in fit too, with another number of "
                "documents: documents of a query are on both sides, so the score is too good. "
                "Split by query, with GroupKFold and groups=qid; KFold splits documents. Where "
                "they are different queries, give them ids of their own.",
                UserWarning,
            )

    def _check_matrix(self, X: Any) -> NDArray[Any]:
        """Return X for a fitted estimator: as many features as in `fit`, all finite.

        A frame is brought to the order of the features that RankingData named in `fit`.
        """
        columns, names = getattr(X, "columns", None), getattr(self, "_data_names", None)
        if columns is not None and names is not None:
            positions = _positions(tuple(str(name) for name in columns), names, type(self).__name__)
            X = np.asarray(X)[:, positions]
        matrix: NDArray[Any] = _validated(self, X, None, reset=False)
        return matrix

    def canonical(self) -> Self:
        """Return a copy in which parameters without effect have their defaults.

        Two of them that do the same then have the same text. Here: every parameter has an effect.
        """
        copy: Self = clone(self)
        return copy

    @property
    def feature_names_(self) -> tuple[str, ...] | None:
        """Names of the features of `fit`; None where it was given a matrix without names."""
        names = getattr(self, "_data_names", None) or _names(self)
        return None if names is None else tuple(names)

    def restore_features(self, n_features: int, names: Sequence[str] | None) -> None:
        """Set the features of a fit that was made before, such as that of a model file."""
        self.n_features_in_ = n_features
        if names is not None:
            self._data_names = tuple(names)

    def _check_same_features(self, data: RankingData) -> RankingData:
        """Return the data with the features of `fit`, in their order, as far as names are known."""
        names = self.feature_names_
        if data.n_features != self.n_features_in_:
            return self._features_among(data, names)
        if names is None or names == data.feature_names:
            return data
        return data.features(_positions(data.feature_names, names, type(self).__name__))

    def _features_among(self, data: RankingData, names: tuple[str, ...] | None) -> RankingData:
        """Return the features of `fit`, by name, of data that has more."""
        more = data.n_features > self.n_features_in_
        if more and names is not None and names != _made_up(len(names)):
            return data.features(_positions(data.feature_names, names, type(self).__name__))
        remedy = (
            "Give it the features of the fit: data.features(names) takes them by name."
            if more
            else f"Load text with n_features={self.n_features_in_} if its last features are 0."
        )
        raise DataError(
            f"the data has {data.n_features} features, but {type(self).__name__} was "
            f"fitted on {self.n_features_in_}. {remedy}"
        )

    def __repr__(self, N_CHAR_MAX: int = _WHOLE) -> str:
        # scikit-learn would cut a long one, which then could not be read back.
        text: str = super().__repr__(N_CHAR_MAX=N_CHAR_MAX)
        return text

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags


def fitted_number(estimator: Any, name: str) -> Any:
    """Return the fitted attribute `name_` as a plain number; None where it is absent or NaN."""
    value = getattr(estimator, f"{name}_", None)
    if not isinstance(value, bool | int | float | np.number | np.bool_) or np.isnan(value):
        return None
    return value.item() if isinstance(value, np.generic) else value


def fitted_numbers(estimator: Any, names: Iterable[str]) -> dict[str, float]:
    """Return those of the fitted attributes that are numbers."""
    numbers = {name: fitted_number(estimator, name) for name in names}
    return {name: number for name, number in numbers.items() if number is not None}


def decades(first: int, last: int, steps: int = 1) -> tuple[float, ...]:
    """Return powers of ten with three digits, `steps` per decade, for a grid.

    Examples
    --------
    >>> decades(-1, 1), decades(-1, 0, 2)
    ((0.1, 1.0, 10.0), (0.1, 0.316, 1.0))
    """
    exponents = range(first * steps, last * steps + 1)
    return tuple(float(f"{10.0 ** (exponent / steps):.3g}") for exponent in exponents)


def _validated(estimator: Any, X: Any, y: Any, *, reset: bool) -> Any:
    """Run scikit-learn's own checks of shape, names and type; finiteness where nobody else does."""
    options = {"accept_sparse": ("csc", "csr"), "dtype": [np.float64, np.float32], "reset": reset}
    try:
        with quiet_sums():
            if not reset:
                return _dense(validate_data(estimator, X, **options))
            X, y = validate_data(
                estimator, X, y, y_numeric=True, ensure_all_finite=False, **options
            )
    except ValueError as error:
        raise DataError(_without_advice(str(error))) from None
    return _dense(X), y


def quiet_sums() -> Any:
    """Silence numpy where scikit-learn adds all values: near the largest, a sum is no number."""
    return np.errstate(over="ignore", invalid="ignore")


def _without_advice(message: str) -> str:
    """Return scikit-learn's message; for missing values with our remedy in the place of its own."""
    first = message.split("\n", 1)[0]
    if "contains NaN" not in first:
        return message
    return f"{first} Fill missing values first, or load the data with missing='query-minimum'."


def _with_door(error: DataError) -> DataError:
    """Return an error that says where the options go that it advises: `fit` has none."""
    if "sort=True" not in str(error) and "missing=" not in str(error):
        return error
    return DataError(f"{error} Options go to `ranksieve.load((X, y, qid), ...)`; then fit(data).")


def _dense(X: Any) -> Any:
    if not hasattr(X, "toarray"):
        return X
    try:
        check_dense_size(X.shape[0], X.shape[1], X.dtype.itemsize)
    except DataError as error:
        raise DataError(
            f"{error} TopK takes sparse input as it is, a few features at a time."
        ) from None
    return X.toarray(order="F")


def _positions(
    available: tuple[str, ...], required: tuple[str, ...], estimator: str
) -> NDArray[np.int64]:
    """Return where each required name is available; made-up names x0, x1, ... match any."""
    if len(available) == len(required) and _made_up(len(required)) in (available, required):
        return np.arange(len(required))
    positions = {name: position for position, name in enumerate(available)}
    missing = [name for name in required if name not in positions]
    if missing:
        raise DataError(
            f"{estimator} was fitted on a feature {missing[0]!r} that the data does not have"
            f"{suggestion(missing[0], available)} Give it the features of the fit, by the same "
            "names."
        )
    return np.array([positions[name] for name in required], dtype=np.int64)


def _made_up(n_features: int) -> tuple[str, ...]:
    return tuple(f"x{index}" for index in range(n_features))


def _names(estimator: Any) -> list[str] | None:
    names = getattr(estimator, "feature_names_in_", None)
    return None if names is None else [str(name) for name in names]


def check_number(
    name: str,
    value: Any,
    *,
    above: float | None = None,
    least: float | None = None,
    integer: bool = False,
) -> None:
    """Raise unless a parameter is a finite number that is `above` a limit or at `least` one.

    Examples
    --------
    >>> check_number("C", 0, above=0)
    Traceback (most recent call last):
    ...
    ranksieve.errors.ParameterError: C must be a number above 0, but is 0
    """
    kinds: Any = (int, np.integer) if integer else (int, float, np.integer, np.floating)
    if isinstance(value, kinds) and not isinstance(value, bool):
        high_enough = value > above if above is not None else value >= least
        if high_enough and value < np.inf:
            return
    kind = "whole number" if integer else "number"
    limit = f"above {above:g}" if above is not None else f"of at least {least:g}"
    raise ParameterError(f"{name} must be a {kind} {limit}, but is {value!r}")
