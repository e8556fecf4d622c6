"""What the rankers share that train boosted trees by another library."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import ThreadpoolController

from ranksieve.catalog import suggestion
from ranksieve.data import RankingData
from ranksieve.errors import DataError, ParameterError, warn_caller
from ranksieve.estimator import check_number
from ranksieve.packages import require
from ranksieve.passes.cluster import Cluster, PartOfWorker, parts_on_workers
from ranksieve.rankers._row_order import in_own_order
from ranksieve.rankers._stopping import StoppingRanker, Watch
from ranksieve.threads import n_threads, threads

# Rows for which waking a second thread costs more than it helps, in predicting.
_FEW_ROWS = 1024
# Documents that are explained at a time: what a library makes of them stays small.
_EXPLAINED_TOGETHER = 1 << 16
# Documents for which a second thread costs more than it helps, in training: threads wait for each
# other many times per tree, and actively, so that a busy machine spends its time on waiting.
_FEW_DOCUMENTS = 100_000
# What is enough to tell sets of features apart, in a search that trains many times.
_QUICK_ROUNDS, _QUICK_RATE, QUICK_LEAVES = 45, 0.1, 15
# From this many documents on 45 rounds at 0.1 are far from a trained model: dropping features of
# noise alone moved NDCG@10 by a standard deviation of 0.010, at 0.3 by 0.001 to 0.002.
_MANY_DOCUMENTS, _FASTEST_RATE = 50_000, 0.3
# Names that all three libraries take as they are.
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_.@/+-]+")
_LARGEST = float(np.finfo(np.float32).max)
# A seed is a whole number of 31 bits in each of the libraries.
_LARGEST_SEED = 2**31 - 1


class TreeRanker(StoppingRanker):
    """Boosted trees of another library behind one interface.

    Subclasses say which library, which of its parameters they set themselves, and how it trains,
    predicts and writes its model. Here: the checks, the order of the rows, threads, errors and
    what is known of a model, trained or read from a file.
    """

    rounds_parameter: ClassVar[str] = "n_estimators"
    # Whether the library trains on data that workers of a cluster have.
    trains_on_workers: ClassVar[bool] = False
    _package: ClassVar[str]
    _title: ClassVar[str]
    # What `params` may not say, and what to say instead.
    _taken: ClassVar[dict[str, str]]

    n_estimators: int
    learning_rate: float
    l2: float | None
    subsample: float
    feature_fraction: float
    objective: str
    params: dict[str, Any] | None
    n_jobs: int | None
    feature_importances_: NDArray[np.float64]
    n_iter_: int

    @abstractmethod
    def _check_objective(self, y: NDArray[np.float64]) -> None:
        """Raise unless the parameters that only this library has, and the grades, will do."""

    @abstractmethod
    def _train(self, library: Any, data: RankingData, watch: Watch | None) -> Any:
        """Return the library's model: all rounds, or those up to the best."""

    @abstractmethod
    def _set_model(self, library: Any, model: Any) -> None:
        """Keep a model, and set n_iter_ and feature_importances_ from it."""

    @abstractmethod
    def _read(self, library: Any, payload: bytes) -> Any:
        """Return the model that `_payload` wrote."""

    def _fit_rounds(self, data: RankingData, watch: Watch | None) -> None:
        self.check_parameters()
        self._check_objective(data.y)
        library = self._library()
        limited = threads(self._n_threads(data.n_documents, least_rows=_FEW_DOCUMENTS))
        with limited, own_threads(self._package), self._refusals(ParameterError):
            if self.trains_on_workers and data.on_workers:
                model = self.train_on(library, *parts_on_workers(data), data.feature_names)
            else:
                model = self._train(library, in_own_order(data), watch)
            self._set_model(library, model)
        if not self.feature_importances_.any():
            warn_caller(
                f"{type(self).__name__} found no split, so all documents score the same "
                f"({data.n_documents} documents). {self._remedy()}"
            )

    def train_on(
        self,
        library: Any,
        cluster: Cluster,
        parts: Mapping[str, Sequence[PartOfWorker]],
        names: tuple[str, ...],
    ) -> Any:
        """Return the library's model of documents that are on the workers of a cluster."""
        raise DataError(f"{type(self).__name__} does not train on the workers of a cluster")

    def _split(self, data: RankingData, validation: Any) -> tuple[RankingData, RankingData | None]:
        if not (self.trains_on_workers and data.on_workers):
            return super()._split(data, validation)
        if validation is not None:
            raise ParameterError(
                f"on the workers of a cluster {type(self).__name__} trains all its rounds: leave "
                f"the validation queries out, and set {self.rounds_parameter}"
            )
        return data, None

    @abstractmethod
    def _scores_after(self, X: NDArray[Any], n_rounds: int) -> NDArray[np.float64]:
        """Return the scores of the first rounds alone."""

    def _scores(self, X: NDArray[Any]) -> NDArray[np.float64]:
        return self._scores_after(X, self.n_iter_)

    @abstractmethod
    def _shap_values(self, X: NDArray[Any]) -> NDArray[Any]:
        """Return what each feature adds to the score of each row, and the base in a last column."""

    def _contributions(self, X: NDArray[Any]) -> NDArray[np.float64]:
        contributions = np.empty((len(X), self.n_features_in_ + 1))
        with own_threads(self._package):
            for start in range(0, len(X), _EXPLAINED_TOGETHER):
                rows = slice(start, start + _EXPLAINED_TOGETHER)
                contributions[rows] = self._shap_values(np.asfortranarray(X[rows]))
        return contributions

    def quick(self, n_documents: int = 0) -> Any:
        """Return a copy with few, small and fast rounds, on one thread, without stopping early.

        Of many documents the rounds are faster still: slow ones would end far from a trained model,
        where sets differ more by chance than by their features.
        """
        copy = super().quick(n_documents)
        rate = _QUICK_RATE if n_documents < _MANY_DOCUMENTS else _FASTEST_RATE
        return copy.set_params(
            n_estimators=min(self.n_estimators, _QUICK_ROUNDS),
            learning_rate=max(self.learning_rate, rate),
            validation_share=None,
            n_jobs=1,
        )

    def staged_predict(self, data: RankingData) -> Iterator[NDArray[np.float64]]:
        """Yield scores after four, five and six sixths of the rounds.

        Not after fewer: models that are not trained enough flatter small sets of features.
        """
        check_is_fitted(self)
        data = self._scaled_alike(self._check_same_features(data))
        X = data.X
        for share in (4, 5, 6):
            yield self._scores_after(X, max(1, self.n_iter_ * share // 6))

    def _set_payload(self, payload: bytes) -> None:
        library = self._library()
        with self._refusals(DataError):
            self._set_model(library, self._read(library, payload))
        if len(self.feature_importances_) != self.n_features_in_:
            raise DataError(
                f"its trees are of {len(self.feature_importances_)} features, but it says that it "
                f"has {self.n_features_in_}"
            )
        with self._refusals(DataError):
            # Some of what a file says a library reads only when it scores.
            self._scores(np.zeros((1, self.n_features_in_)))

    def _n_threads(self, n_rows: int, *, least_rows: int = _FEW_ROWS) -> int:
        """Return how many threads the library uses: one for few rows, unless n_jobs says more."""
        if self.n_jobs is not None:
            return self.n_jobs
        return n_threads() if n_rows >= least_rows else 1

    def _remedy(self) -> str:
        return "Check that the features differ within queries."

    def check_installed(self) -> None:
        """Raise, with the install line, if the library that trains is absent."""
        self._library()

    def _library(self) -> Any:
        return require(self._package, extra=self._package, caller=type(self).__name__)

    def check_parameters(self) -> None:
        """Raise where a parameter is not valid."""
        check_number("n_estimators", self.n_estimators, least=1, integer=True)
        check_number("learning_rate", self.learning_rate, above=0)
        if self.l2 is not None:
            check_number("l2", self.l2, least=0)
        if self.n_jobs is not None:
            check_number("n_jobs", self.n_jobs, least=1, integer=True)
        for name in ("subsample", "feature_fraction"):
            check_number(name, getattr(self, name), above=0)
            if getattr(self, name) > 1:
                raise ParameterError(
                    f"{name} is a share of at most 1, but is {getattr(self, name)!r}"
                )
        if self.random_state > _LARGEST_SEED:
            raise ParameterError(
                f"random_state must be at most {_LARGEST_SEED} for {self._title}, but is "
                f"{self.random_state}"
            )

        if self.params is not None and not isinstance(self.params, dict):
            raise ParameterError(
                f"params must be a dict of {self._title}'s parameters by name, or None, but is "
                f"{self.params!r}"
            )

    def _further(self, library: Any) -> dict[str, Any]:
        """Return the library's further parameters, none of which is set here."""
        params = self.params or {}
        names = {name: self._main_name(library, name) for name in params}
        for name, main_name in names.items():
            if main_name in self._taken:
                raise ParameterError(
                    f"params has {name!r}, which is not for it to set: {self._taken[main_name]}"
                )
        return {names[name]: value for name, value in params.items()}

    def _main_name(self, library: Any, name: str) -> str:
        """Return the name that a library's parameter goes by in `_taken`."""
        return name

    @contextmanager
    def _refusals(self, kind: type[ParameterError] | type[DataError]) -> Iterator[None]:
        """Turn what the library raises into an error of ours, with its reason in one line."""
        try:
            yield
        except Exception as error:
            theirs = type(error).__module__.split(".")[0].lstrip("_") == self._package
            if not theirs:
                raise
            raise kind(f"{self._title} refuses: {_reason(error)}") from None


def check_integer_grades(y: NDArray[np.float64], highest: int, objective: str, remedy: str) -> None:
    """Raise unless grades are whole numbers up to the highest that an objective has a gain for."""
    fractions = y[y != np.floor(y)]
    if len(fractions):
        raise DataError(
            f"objective={objective!r} needs grades that are whole numbers, but one is "
            f"{fractions[0]:g}. Take {remedy}, or round the grades."
        )
    if y.max() > highest:
        raise DataError(
            f"objective={objective!r} takes grades up to {highest}, but the largest grade is "
            f"{y.max():g}: its gain would be 2^{y.max():g} - 1. Take {remedy}, or merge grades."
        )


def unknown_parameters(title: str, unknown: str, names: Any = ()) -> ParameterError:
    """Return the error for a name in `params` that a library does not know."""
    return ParameterError(
        f"params has {unknown!r}, which {title} does not know or use{suggestion(unknown, names)}"
    )


def row_queries(data: RankingData) -> NDArray[np.int64]:
    """Return the number of each document's query: rising, whatever the ids are."""
    return np.repeat(np.arange(data.n_queries), np.diff(data.query_ptr))


def in_single(X: NDArray[Any]) -> NDArray[np.float32]:
    """Return values as float32; those beyond its range become its largest.

    Examples
    --------
    >>> bool(np.isfinite(in_single(np.array([[1e300, -1e300, 2.0]]))).all())
    True
    """
    if X.dtype == np.float32:
        return X
    single: NDArray[np.float32] = np.clip(X, -_LARGEST, _LARGEST).astype(np.float32)
    return single


def plain_names(names: tuple[str, ...]) -> list[str] | None:
    """Return names that every library takes as they are; None where one would be changed.

    Examples
    --------
    >>> plain_names(("bm25", "url.length")), plain_names(("bm 25", "url"))
    (['bm25', 'url.length'], None)
    """
    plain = all(_PLAIN_NAME.fullmatch(name) for name in names)
    return list(names) if plain and len(set(names)) == len(names) else None


def shares(importances: Any) -> NDArray[np.float64]:
    """Return importances that sum to 1, or are all 0."""
    values = np.asarray(importances, dtype=np.float64)
    total = values.sum()
    return values / total if total > 0 else np.zeros(len(values))


@contextmanager
def own_threads(name: str) -> Iterator[None]:
    """Put back the process's numbers of threads, whatever a library makes of them."""
    with _pools(name).limit(limits=None):
        yield


@cache
def _pools(name: str) -> ThreadpoolController:
    # Once for each library, after it is imported: looking for the pools takes 15 ms.
    return ThreadpoolController()


def _reason(error: Exception) -> str:
    """Return what a library says, without where in its sources it says so."""
    lines = str(error).split("Stack trace")[0].split("\n")
    reason = " ".join(line.strip() for line in lines if line.strip())
    return re.sub(r"^(\[[\d:]+\] )?\S*\.(cc|cpp|h|hpp|cu|cuh):\d+: ", "", reason).rstrip(".") + "."
