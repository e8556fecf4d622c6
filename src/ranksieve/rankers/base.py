"""The one interface of rankers."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from ranksieve.data import RankingData, scale
from ranksieve.data.check import check_row_ids, query_offsets
from ranksieve.errors import DataError, ParameterError
from ranksieve.estimator import RankingEstimator
from ranksieve.measures import NDCG
from ranksieve.rankers._description import Description
from ranksieve.rankers._fitted_values import check_per_feature
from ranksieve.rankers._model_file import json_payload, set_from_json, write_model

# Documents that are scored at a time: what a ranker makes of them stays small beside the data.
_SCORED_TOGETHER = 1 << 16


class Ranker(RankingEstimator):
    """A model that gives documents scores; the larger, the higher the document ranks.

    Subclasses write `_fit(data)` and `_scores(X)`. A ranker that is fitted on data which
    `ranksieve.data.scale` scaled inside each query keeps the way as `scaling_`, and scales
    RankingData that it predicts alike; a matrix has no queries, and is taken as it is.

    The order of rows and of queries decides nothing, and that of columns nothing either, but for
    rankers that say so with `columns_break_ties`.
    """

    columns_break_ties: ClassVar[bool] = False

    __metadata_request__score: ClassVar[dict[str, bool]] = {"qid": True}

    # Sparse rankers that select say by weights of 0 that there is nothing to learn.
    _needs_pairs: ClassVar[bool] = True

    scaling_: str | None

    @abstractmethod
    def _scores(self, X: NDArray[Any]) -> NDArray[np.float64]:
        """Return one score per row of a checked matrix, float32 or float64, column-major."""

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return one score per document, for a matrix, a frame or RankingData."""
        check_is_fitted(self)
        if not isinstance(X, RankingData):
            return self._scores(np.asfortranarray(self._check_matrix(X)))
        return self._data_scores(self._scaled_alike(self._check_same_features(X)))

    def score(
        self,
        X: Any,
        y: Any = None,
        sample_weight: ArrayLike | None = None,
        *,
        qid: Any = None,
    ) -> float:
        """Return the mean NDCG@10 of the ranking by `predict`.

        With `sample_weight`, one number per document, a query counts with the mean weight of
        its documents.
        """
        return mean_ndcg(self, self.predict(X), X, y, sample_weight, qid)

    def tuned(self, data: RankingData) -> Self:
        """Return a copy, not fitted, with numbers for what `fit` would choose by folds of `data`.

        For those who fit often: each fit of the copy takes these numbers. Here: nothing is chosen.
        """
        copy: Self = clone(self)
        return copy

    @property
    def stops_early(self) -> bool:
        """Whether `fit` takes validation queries, on which it chooses its number of rounds."""
        return False

    def with_settled_rounds(self, data: RankingData, fold_of_query: NDArray[np.int64]) -> Self:
        """Return a copy, not fitted, with a number of rounds for one that `fit` would choose.

        By folds of queries, in place of the few that a fit keeps aside. Here: nothing is chosen.
        """
        copy: Self = clone(self)
        return copy

    def quick(self, n_documents: int = 0) -> Self:
        """Return a copy, not fitted, that trains sooner and tells sets of features apart as well.

        For searches that train it hundreds of times, on about `n_documents`. Here: the ranker as
        it is.
        """
        copy: Self = clone(self)
        return copy

    def staged_predict(self, data: RankingData) -> Iterator[NDArray[np.float64]]:
        """Yield scores of models that a fit passed on its way, the last one last.

        Their mean over a measure is less noisy than the last one alone. Here: only that one.
        """
        yield self.predict(data)

    def contributions(self, X: Any) -> NDArray[np.float64]:
        """Return how much each feature adds to each document's score, and what all start from.

            predict(X)[d] = sum over f of contributions(X)[d, f] + contributions(X)[d, -1]

        One column per feature, and a last one with the base. They are SHAP values. Linear models
        have w_f (x_f - mean of x_f) over the documents that are asked about; the base is the
        score of their mean. Boosted trees have the exact values of their library's own TreeSHAP,
        which follows both branches of a feature that is left out, by the training documents that
        went each way: LightGBM's, XGBoost's and CatBoost's. Only differences inside a query
        change its ranking; the base is the same for all documents.

        Cost: O(n p) for linear models. For trees O(n rounds leaves depth²): measured, 2 to 6 times
        that of training for LightGBM and XGBoost, a third for CatBoost. Memory: a number for each
        document and feature.

        Lundberg, Erion and Lee, Consistent individualized feature attribution for tree ensembles,
        2018.

        Parameters
        ----------
        X : a matrix, a frame or RankingData

        Examples
        --------
        >>> from ranksieve import RankSVM
        >>> model = RankSVM(C=1.0).fit([[0.0], [1.0]], [0, 1], qid=[1, 1])
        >>> (model.contributions([[0.0], [1.0]]) / model.coef_).round(9)  # x - 1/2, and 1/2
        array([[-0.5,  0.5],
               [ 0.5,  0.5]])
        """
        check_is_fitted(self)
        if not isinstance(X, RankingData):
            return self._contributions(np.asfortranarray(self._check_matrix(X)))
        return self._contributions(self._scaled_alike(self._check_same_features(X)).X)

    def _contributions(self, X: NDArray[Any]) -> NDArray[np.float64]:
        """Return contributions and base for a checked matrix; ParameterError without any."""
        raise ParameterError(
            f"{type(self).__name__} does not say what each feature adds to a score: contributions "
            "are those of linear rankers such as RankSVM, and of LightGBMRanker, XGBoostRanker and "
            "CatBoostRanker. importance='permutation' takes any ranker."
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted model to a file that is no pickle; see `ranksieve.rankers.load_ranker`.

        JSON with the text form, the fitted attributes, feature names and scaling; or, for the
        adapters, the library's own format with these in its last line.
        """
        check_is_fitted(self)
        write_model(self, path)

    def description(self, names: Sequence[str] | None = None) -> Description:
        """Return what the fitted model computes, in plain numbers, for other systems.

        Parameters
        ----------
        names : names of the features, where others than those of the fit are wanted; without any,
            features are called 1, 2, 3 and so on

        Examples
        --------
        >>> from ranksieve import RankSVM
        >>> model = RankSVM(C=1.0).fit([[0.0], [1.0]], [0, 1], qid=[1, 1])
        >>> model.description(["bm25"]).names
        ('bm25',)
        """
        check_is_fitted(self)
        if self.scaling_ is not None:
            raise ParameterError(
                f"this {type(self).__name__} was trained on features that were scaled inside each "
                f"query ({self.scaling_}), which needs all documents of a query at once: an engine "
                "scores one document at a time. Train it on features as they are, without --scale."
            )
        return self._description(self._described_names(names))

    def _described_names(self, names: Sequence[str] | None) -> tuple[str, ...]:
        chosen = names if names is not None else self.feature_names_
        if chosen is None:
            chosen = [str(number) for number in range(1, self.n_features_in_ + 1)]
        if len(chosen) != self.n_features_in_ or len(set(chosen)) < len(chosen):
            raise ParameterError(
                f"names must be {self.n_features_in_} different names, one for each feature of the "
                f"model, but are {len(chosen)}, {len(set(chosen))} of them different"
            )
        return tuple(str(name) for name in chosen)

    def _description(self, names: tuple[str, ...]) -> Description:
        """Return the description with these names; ParameterError where there is none."""
        raise ParameterError(
            f"{type(self).__name__} is no weighted sum, no sum of trees and no network of layers, "
            "so that it has no description for engines. Take RankSVM or one of the trees."
        )

    def check_savable(self, data: RankingData) -> None:
        """Raise before a long fit if its model could not be saved. Here: all can."""

    def check_installed(self) -> None:
        """Raise before a long run if the package that trains is absent. Here: none is needed."""

    def _payload(self) -> bytes:
        """Return the model in a format of its own: text, or JSON that ends with its brace."""
        return json_payload(self)

    def _set_payload(self, payload: bytes) -> None:
        """Set what `_payload` wrote; DataError or ValueError where it is something else."""
        set_from_json(self, payload)
        check_per_feature(self)

    def _check_fit(self, X: Any, y: ArrayLike | None, qid: ArrayLike | None) -> RankingData:
        data = super()._check_fit(X, y, qid)
        if self._needs_pairs and not has_pairs(data):
            raise DataError(
                "no query has documents with different grades, so there is nothing to rank by "
                f"(n_samples = {data.n_documents}, n_queries = {data.n_queries}). "
                "Check the grades, and that qid groups the documents of one query."
            )
        self.scaling_ = data.scaling
        return data

    def _scaled_alike(self, data: RankingData) -> RankingData:
        """Return data scaled as that of the fit; both ways change nothing the second time."""
        if self.scaling_ in (None, data.scaling):
            return data
        return scale(data, self.scaling_)  # type: ignore[arg-type]

    def _data_scores(self, data: RankingData) -> NDArray[np.float64]:
        scores = np.empty(data.n_documents)
        for block in data.blocks():
            for cut in block.cuts(_SCORED_TOGETHER):
                scores[cut.documents] = self._scores(np.asfortranarray(cut.X[cut.rows]))
        return scores


def has_pairs(data: RankingData) -> bool:
    """Return whether a query has documents with different grades."""
    return bool(queries_with_pairs(data).any())


def queries_with_pairs(data: RankingData) -> NDArray[np.bool_]:
    """Return which queries have documents with different grades."""
    starts = data.query_ptr[:-1]
    highest: NDArray[np.float64] = np.maximum.reduceat(data.y, starts)
    differ: NDArray[np.bool_] = highest > np.minimum.reduceat(data.y, starts)
    return differ


def mean_ndcg(
    estimator: RankingEstimator,
    scores: NDArray[np.float64],
    X: Any,
    y: Any,
    sample_weight: ArrayLike | None,
    qid: Any,
) -> float:
    """Return what `score` returns, from the scores of the documents."""
    if isinstance(X, RankingData):
        y, qid = X.y, X.qid
    values = NDCG(10).per_query(y, scores, qid=qid)
    if not isinstance(X, RankingData):
        estimator.warn_of_split_queries(qid)
    return float(np.average(values, weights=_query_weights(sample_weight, qid)))


def _query_weights(
    sample_weight: ArrayLike | None, qid: ArrayLike | None
) -> NDArray[np.float64] | None:
    if sample_weight is None:
        return None
    weights = np.asarray(sample_weight, dtype=np.float64)
    query_ptr, _ = query_offsets(check_row_ids(qid, len(weights)))
    sums: NDArray[np.float64] = np.add.reduceat(weights, query_ptr[:-1])
    return sums / np.diff(query_ptr)
