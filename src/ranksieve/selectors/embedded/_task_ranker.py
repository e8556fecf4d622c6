"""Rankers with weights for each task: scores, the model of one task, and files."""

from __future__ import annotations

from copy import copy
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from ranksieve.data import RankingData, from_arrays
from ranksieve.data.labels import check_labels, task_of_queries
from ranksieve.errors import DataError, ParameterError
from ranksieve.kernels.linear.products import scores_of_rows
from ranksieve.penalties import row_sizes
from ranksieve.rankers import Description, LinearRanker, fitted_array, mean_ndcg
from ranksieve.selectors.embedded._query_clusters import QueryClusters
from ranksieve.selectors.embedded._task_models import UNKNOWN, positions, scores_by_task

UNKNOWN_TASKS = ("error", "mean")


class TaskRanker(LinearRanker):
    """A linear ranker whose weights, `task_coef_`, depend on the task of a document's query.

    `coef_` is their mean. Subclasses have the parameters `tasks` and `unknown_task`.
    """

    # scikit-learn reads these names as they stand, private mangling included.
    __metadata_request__predict: ClassVar[dict[str, bool]] = {"qid": True, "task": True}
    __metadata_request__score: ClassVar[dict[str, bool]] = {"qid": True, "task": True}

    tasks: str | None
    unknown_task: str

    tasks_: NDArray[Any]
    task_coef_: NDArray[np.float64]
    shared_coef_: NDArray[np.float64]
    task_pairs_: NDArray[np.int64]
    centres_: NDArray[np.float64]
    shift_: NDArray[np.float64]
    spread_: NDArray[np.float64]
    order_: NDArray[np.int64]
    scores_: NDArray[np.float64]
    n_features_: int

    @property
    def shared_(self) -> NDArray[np.int64]:
        """Features with a weight in all tasks that have pairs."""
        used = self.task_coef_[self.task_pairs_ > 0] != 0.0
        return np.flatnonzero(used.all(axis=0) & used.any(axis=0))

    @property
    def own_(self) -> tuple[NDArray[np.int64], ...]:
        """For each task the features with a weight in it alone; none where there is one task."""
        used = self.task_coef_ != 0.0
        alone = (used.sum(axis=0) == 1) & (np.count_nonzero(self.task_pairs_) > 1)
        return tuple(np.flatnonzero(row & alone) for row in used)

    @property
    def feature_weights_(self) -> NDArray[np.float64]:
        """The size of each feature's row of weights."""
        return row_sizes(self.task_coef_)

    def predict(self, X: Any, *, task: Any = None, qid: Any = None) -> NDArray[np.float64]:
        """Return one score per document, by the weights of its task.

        Parameters
        ----------
        X : matrix, frame or RankingData
        task : one for each document, or one for all; RankingData may have its own. A model of
            one task needs none. With clusters it is not given: they are found.
        qid : query ids of a matrix, for models with clusters
        """
        check_is_fitted(self)
        if isinstance(X, RankingData):
            data = self._scaled_alike(self._check_same_features(X))
            tasks = self._tasks_of_data(data, task)
            return scores_by_task(data, tasks, self.task_coef_, self.coef_)
        matrix = np.asfortranarray(self._check_matrix(X))
        if self._by_clusters and task is None:
            data = from_arrays(matrix, np.zeros(len(matrix)), self._needed_qid(qid))
            tasks = self._tasks_of_data(data, None)
            return scores_by_task(data, tasks, self.task_coef_, self.coef_)
        tasks = self._positions(task, len(matrix))
        scores = np.empty(len(matrix))
        for position in np.unique(tasks):
            w = self.coef_ if position == UNKNOWN else self.task_coef_[position]
            rows = tasks == position
            part = matrix if rows.all() else np.asfortranarray(matrix[rows])
            values = np.empty(len(part))
            scores_of_rows(part, 0, len(part), np.ascontiguousarray(w), values)
            scores[rows] = values
        return scores

    def tasks_of(self, data: RankingData) -> NDArray[Any]:
        """Return the task of each query: that of the data, or its cluster, as `predict` takes it.

        An error where a query has none of the tasks of the fit.
        """
        check_is_fitted(self)
        known = self._tasks_of_data(self._scaled_alike(self._check_same_features(data)), None)
        if (known == UNKNOWN).any():
            raise self._unknown(data.query_ids[known == UNKNOWN][0].item())
        labels: NDArray[Any] = self.tasks_[known]
        return labels

    def score(
        self,
        X: Any,
        y: Any = None,
        sample_weight: ArrayLike | None = None,
        *,
        qid: Any = None,
        task: Any = None,
    ) -> float:
        """Return the mean NDCG@10 of the ranking by `predict`, as of every ranker."""
        scores = self.predict(X, task=task, qid=qid)
        return mean_ndcg(self, scores, X, y, sample_weight, qid)

    def for_task(self, task: Any) -> Self:
        """Return the fitted model of one task: it needs no `task` to predict, and can be exported.

        Its features are those with a weight in that task.
        """
        check_is_fitted(self)
        position = int(positions(self._labels(np.array([task])), self.tasks_)[0])
        if position == UNKNOWN:
            raise self._unknown(task)
        model: Self = copy(self).set_params(tasks=None)
        model.tasks_ = self.tasks_[[position]]
        model.task_coef_ = self.task_coef_[[position]]
        model.shared_coef_ = self.shared_coef_[[position]]
        model.task_pairs_ = self.task_pairs_[[position]]
        model.coef_ = model.task_coef_[0].copy()
        sizes = np.abs(model.coef_)[self.order_]
        model.order_ = self.order_[np.argsort(-sizes, kind="stable")]
        model.scores_ = np.where(
            model.coef_ != 0.0, np.abs(model.coef_), np.minimum(self.scores_, 0)
        )
        model.n_features_ = int(np.count_nonzero(model.coef_))
        return model

    @property
    def _by_clusters(self) -> bool:
        return self.tasks is not None and len(self.tasks_) > 1

    def _tasks_of_data(self, data: RankingData, task: Any) -> NDArray[np.int64]:
        """Return the position of each query's task."""
        if task is not None:
            rows = self._positions(task, data.n_documents)
            return task_of_queries(rows, data.query_ptr, data.query_ids)
        if len(self.tasks_) == 1:
            return np.zeros(data.n_queries, dtype=np.int64)
        if self._by_clusters:
            clusters = QueryClusters(str(self.tasks), self.centres_, self.shift_, self.spread_)
            return positions(clusters.of_queries(data), self.tasks_)
        if data.tasks is None:
            return self._positions(None, data.n_queries)
        return self._checked(positions(data.tasks, self.tasks_), data.tasks)

    def _positions(self, task: Any, n_documents: int) -> NDArray[np.int64]:
        if task is None:
            if len(self.tasks_) > 1 and self.unknown_task == "error":
                raise DataError(
                    f"this {type(self).__name__} has {len(self.tasks_)} tasks, and predicts by "
                    "task: predict(X, task=...), one for each document or one for all. "
                    "for_task(...) is the model of one; with unknown_task='mean', documents "
                    "without a task get the tasks' mean weights."
                )
            alone = 0 if len(self.tasks_) == 1 else UNKNOWN
            return np.full(n_documents, alone, dtype=np.int64)
        labels = np.asarray(task)
        if labels.ndim == 0:
            labels = np.repeat(labels, n_documents)
        labels = check_labels(labels, n_documents, "tasks (task)")
        return self._checked(positions(labels, self.tasks_), labels)

    def _checked(self, tasks: NDArray[np.int64], labels: NDArray[Any]) -> NDArray[np.int64]:
        if self.unknown_task == "error" and (tasks == UNKNOWN).any():
            raise self._unknown(labels[tasks == UNKNOWN][0].item())
        return tasks

    def _labels(self, labels: NDArray[Any]) -> NDArray[Any]:
        return check_labels(labels, len(labels), "tasks (task)")

    def _unknown(self, task: Any) -> DataError:
        shown = ", ".join(repr(label) for label in self.tasks_[:10].tolist())
        more = "" if len(self.tasks_) <= 10 else f" and {len(self.tasks_) - 10} more"
        return DataError(
            f"task {task!r} was not in fit, which had: {shown}{more}. Give one of these, or set "
            "unknown_task='mean' to score documents of other tasks by the tasks' mean weights."
        )

    def _needed_qid(self, qid: Any) -> Any:
        if qid is None:
            raise DataError(
                f"tasks={self.tasks!r} finds the task of each query from its documents, so that "
                "predict needs their queries: predict(X, qid=qid), or predict(data)"
            )
        return qid

    def _description(self, names: tuple[str, ...]) -> Description:
        if len(self.tasks_) > 1:
            raise ParameterError(
                f"this {type(self).__name__} has weights for {len(self.tasks_)} tasks, and engines "
                f"take one model: for_task({self.tasks_[0].item()!r}) is that of one task"
            )
        return super()._description(names)

    def _set_payload(self, payload: bytes) -> None:
        super()._set_payload(payload)
        if not isinstance(self.tasks_, np.ndarray) or self.tasks_.ndim != 1:
            raise DataError("the fitted value 'tasks_' is no list of tasks")
        shape = (len(self.tasks_), self.n_features_in_)
        self.task_coef_ = fitted_array("task_coef_", self.task_coef_, shape)
        self.shared_coef_ = fitted_array("shared_coef_", self.shared_coef_, shape)
        self.task_pairs_ = fitted_array("task_pairs_", self.task_pairs_, shape[:1]).astype(np.int64)
        if self._by_clusters:
            self.centres_ = fitted_array("centres_", self.centres_, (shape[0], None))
            width = (self.centres_.shape[1],)
            self.shift_ = fitted_array("shift_", self.shift_, width)
            self.spread_ = fitted_array("spread_", self.spread_, width)
