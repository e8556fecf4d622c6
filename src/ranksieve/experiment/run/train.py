"""One trial: a ranker on some features of a fold, measured."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve import catalog
from ranksieve.data import RankingData
from ranksieve.experiment.run.shared import ending_of, watched
from ranksieve.experiment.store.store import Model
from ranksieve.measures import Measure, parse_measure
from ranksieve.rankers import StoppingRanker, linear_scores
from ranksieve.sources import StudyFold


class FoldWork:
    """A fold with the measures of a study; the last features that were asked for are kept."""

    def __init__(self, fold: StudyFold, measures: Sequence[str]) -> None:
        self.fold = fold
        self._measures = [parse_measure(text) for text in measures]
        self._last: tuple[bytes, _Columns] | None = None

    @cached_property
    def train(self) -> RankingData:
        """The train part, in one piece."""
        return self.fold.train.gathered()

    def trained(self, text: str, features: NDArray[np.int64]) -> Model:
        """Return a ranker that is trained on these features, measured."""
        columns = self._columns(np.sort(features))
        ranker = catalog.parse(text, "rankers")
        with watched() as cost:
            _fit(ranker, columns)
        return self._model(
            columns.features,
            getattr(ranker, "coef_", None),
            None if columns.vali is None else ranker.predict(columns.vali),
            ranker.predict(columns.test),
            ending_of(ranker, cost),
            (cost.seconds, cost.peak_memory),
        )

    def weighted(
        self,
        features: NDArray[np.int64],
        weights: NDArray[np.float64],
        ending: dict[str, Any],
        cost: tuple[float, int | None],
    ) -> Model:
        """Return a linear model that ranks by its own weights of some features, measured."""
        w = np.zeros(self.train.n_features)
        w[features] = weights[features]
        # Without features all documents tie, and the order of the file would be measured.
        if len(features) == 0:
            w[:] = np.nan
        vali = self.fold.vali
        on_vali = None if vali is None else linear_scores(vali, w)
        on_test = linear_scores(self.fold.test, w)
        return self._model(features, w[features], on_vali, on_test, ending, cost)

    def validation_means(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the mean of the first measure on validation, for each row of weights.

        Minus infinity for a model without features, where all documents tie, so that the order of
        the file would be what is measured; and where no query counts.
        """
        vali = self.fold.vali
        if vali is None:
            return np.zeros(len(weights))
        means = np.full(len(weights), -np.inf)
        for row in np.flatnonzero(weights.any(axis=1)):
            values = self._values(self._measures[:1], vali, linear_scores(vali, weights[row]))
            if not np.isnan(values).all():
                means[row] = np.nanmean(values)
        return means

    def _model(
        self,
        features: NDArray[np.int64],
        weights: Any,
        on_vali: NDArray[np.float64] | None,
        on_test: NDArray[np.float64],
        ending: dict[str, Any],
        cost: tuple[float, int | None],
    ) -> Model:
        return Model(
            features=features,
            weights=None if weights is None else np.asarray(weights, dtype=np.float64),
            validation=None
            if on_vali is None or self.fold.vali is None
            else self._values(self._measures, self.fold.vali, on_vali),
            test=self._values(self._measures, self.fold.test, on_test),
            seconds=cost[0],
            peak_memory=cost[1],
            ending=ending,
        )

    def _values(
        self, measures: list[Measure], data: RankingData, scores: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        if np.isnan(scores).any() or _all_tie(scores, data.query_ptr):
            return np.full((len(measures), data.n_queries), np.nan)
        return np.array([measure.values(data.y, scores, data.query_ptr) for measure in measures])

    def _columns(self, features: NDArray[np.int64]) -> _Columns:
        name = features.tobytes()
        if self._last is None or self._last[0] != name:
            self._last = name, _Columns(self, features)
        return self._last[1]


class _Columns:
    """Some features of all parts of a fold."""

    def __init__(self, work: FoldWork, features: NDArray[np.int64]) -> None:
        self.features = features
        self.train = work.train.features(features).gathered()
        vali = work.fold.vali
        self.vali = None if vali is None else vali.features(features).gathered()
        self.test = work.fold.test.features(features).gathered()


def _fit(ranker: Any, columns: _Columns) -> None:
    """Train; a ranker with rounds takes the one that is best on the validation part."""
    if isinstance(ranker, StoppingRanker) and columns.vali is not None:
        ranker.fit(columns.train, validation=columns.vali)
    else:
        ranker.fit(columns.train)


def _all_tie(scores: NDArray[np.float64], query_ptr: NDArray[np.int64]) -> bool:
    """Return whether no query has two scores: the order of the file would be what is measured."""
    starts = query_ptr[:-1]
    highest = np.maximum.reduceat(scores, starts)
    return bool((highest == np.minimum.reduceat(scores, starts)).all())
