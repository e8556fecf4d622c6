"""Rankers that are trained in rounds, and keep the round that is best on validation queries."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from ranksieve.data import RankingData, from_arrays, set_aside
from ranksieve.errors import DataError, ParameterError
from ranksieve.estimator import check_number, takes_qid
from ranksieve.measures import Measure, counting_queries, parse_measure
from ranksieve.progress import silent
from ranksieve.rankers.base import Ranker, has_pairs
from ranksieve.threads import side_by_side, threads


class StoppingRanker(Ranker):
    """A ranker that is trained in rounds; subclasses write `_fit_rounds(data, watch)`.

    Validation queries are those given to `fit`, or else `validation_share` of the training
    queries, chosen by `random_state`. With them, the model is that of the round that is best
    by `measure`, and training ends `patience` rounds after it; without them, all rounds count.

    Subclasses have the parameters measure, validation_share, patience and random_state, and set
    `n_iter_`, the rounds of the model.
    """

    __metadata_request__fit: ClassVar[dict[str, bool]] = {"qid": True, "validation": True}

    # The parameter that is the number of rounds, at most.
    rounds_parameter: ClassVar[str] = "n_rounds"

    measure: str | Measure
    validation_share: float | None
    patience: int
    random_state: int

    @property
    def stops_early(self) -> bool:
        """Whether `fit` takes validation queries, on which it chooses its number of rounds."""
        return True

    def with_settled_rounds(self, data: RankingData, fold_of_query: NDArray[np.int64]) -> Any:
        """Return a copy, not fitted, whose number of rounds is the best over folds of queries.

        Each fold watches a training on the others, for all rounds; the number that has the best
        mean over the queries is taken, and the copy keeps no queries aside. A few validation
        queries may stop after any round; all of them together do not.
        """
        settled: Any = clone(self)
        if self.validation_share is None:
            return settled
        limit = int(getattr(self, self.rounds_parameter))
        watched = clone(self).set_params(patience=limit)

        def curve(fold: int) -> NDArray[np.float64]:
            aside = data.queries(fold_of_query == fold).gathered()
            training = data.queries(fold_of_query != fold).gathered()
            with silent(), threads(1):
                model = clone(watched).fit(training, validation=aside)
            values = model.validation_values_
            # A training that had nothing left to learn stays where it is.
            full = np.append(values, np.full(limit - len(values), values[-1]))
            return full * int(counting_queries(aside, self.stopping_measure()).sum())

        curves = side_by_side(curve, range(int(fold_of_query.max()) + 1))
        total = np.sum(list(curves), axis=0)
        return settled.set_params(
            **{self.rounds_parameter: int(total.argmax()) + 1, "validation_share": None}
        )

    @takes_qid
    def fit(
        self,
        X: Any,
        y: ArrayLike | None = None,
        *,
        qid: ArrayLike | None = None,
        validation: Any = None,
    ) -> Any:
        """Fit on arrays with one query id per row, or on RankingData alone.

        Parameters
        ----------
        X : matrix or frame of shape (documents, features), or RankingData
        y : grades, one per document; not given with RankingData
        qid : query ids, one per document, rows of a query adjacent; not given with RankingData
        validation : RankingData, or (X, y, qid), with the same features; or None
            Queries on which to choose the number of rounds, in place of `validation_share`.
        """
        with self._all_or_nothing():
            data = self._check_fit(X, y, qid)
            data, aside = self._split(data, validation)
            watch = None if aside is None else Watch(aside, self.stopping_measure(), self.patience)
            self._fit_rounds(data, watch)
            self.validation_values_ = None if watch is None else np.array(watch.values)
        return self

    def _fit(self, data: RankingData) -> None:
        self._fit_rounds(data, None)

    @abstractmethod
    def _fit_rounds(self, data: RankingData, watch: Watch | None) -> None:
        """Learn from checked data; with a watch, keep the round that it finds best."""

    def stopping_measure(self) -> Measure:
        """Return the measure by which validation queries choose the round."""
        measure = parse_measure(self.measure)
        # Models of a few rounds have many equal scores: the order of rows may not decide.
        return measure.with_ties("average") if measure.ties == "input" else measure

    def _split(self, data: RankingData, validation: Any) -> tuple[RankingData, RankingData | None]:
        check_number("patience", self.patience, least=1, integer=True)
        check_number("random_state", self.random_state, least=0, integer=True)
        if validation is not None:
            aside = self._scaled_alike(self._check_same_features(self._as_data(validation)))
            return data, self._checked(aside)
        if self.validation_share is None:
            return data, None
        share = self.validation_share
        if isinstance(share, bool) or not isinstance(share, float | int) or not 0.0 < share < 1.0:
            raise ParameterError(
                f"validation_share must be None or between 0 and 1, but is {share!r}"
            )
        if data.n_queries < 2:
            raise DataError(
                "validation_share needs at least two queries, but there is "
                f"{data.n_queries}. Give validation queries to fit, or validation_share=None."
            )
        training, aside = set_aside(data, share, random_state=self.random_state)
        if not has_pairs(training):
            raise DataError(
                "of the queries that validation_share leaves for training none has documents with "
                "different grades. Choose another random_state or share."
            )
        return training, self._checked(aside)

    def _as_data(self, validation: Any) -> RankingData:
        if isinstance(validation, RankingData):
            return validation
        if not isinstance(validation, tuple | list) or len(validation) != 3:
            raise ParameterError(
                "validation must be RankingData (see ranksieve.load) or (X, y, qid), but is of "
                f"type {type(validation).__name__}"
            )
        X, y, qid = validation
        columns = getattr(X, "columns", None)
        names = None if columns is None else [str(name) for name in columns]
        return from_arrays(X, y, qid, feature_names=names)

    def _checked(self, validation: RankingData) -> RankingData:
        measure = self.stopping_measure()
        measure.check_grades(validation.y)
        if not has_pairs(validation):
            raise DataError(
                "no validation query has documents with different grades, so none can tell a good "
                f"round from a bad one (n_queries = {validation.n_queries}). Give others, or "
                "another validation_share."
            )
        # Raises where no query counts.
        measure.mean(measure.values(validation.y, np.zeros(len(validation)), validation.query_ptr))
        return validation


class Watch:
    """Which round is best on validation queries, and whether to go on.

    Attributes
    ----------
    data : RankingData, the validation queries
    values : list of float, the mean measure after each round
    best : int, the round with the best value, from 0; the first of equals; -1 before any
    """

    def __init__(self, data: RankingData, measure: Measure, patience: int) -> None:
        self.data = data
        self.values: list[float] = []
        self.best = -1
        self._measure, self._patience = measure, patience

    def add(self, scores: NDArray[np.float64]) -> bool:
        """Take the validation documents' scores after a round; tell whether it is the best."""
        values = self._measure.values(self.data.y, scores, self.data.query_ptr)
        self.values.append(self._measure.mean(values))
        better = self.best < 0 or self.values[-1] > self.values[self.best]
        if better:
            self.best = len(self.values) - 1
        return better

    @property
    def over(self) -> bool:
        """Whether `patience` rounds have passed since the best one."""
        return len(self.values) - 1 - self.best >= self._patience
