"""MultiTaskSparseRankSVM: a linear model per task, and which features the tasks share."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from ranksieve.catalog import check_choice
from ranksieve.choices import FeatureSets
from ranksieve.data import RankingData
from ranksieve.data.labels import task_of_queries
from ranksieve.errors import ParameterError, warn_caller
from ranksieve.estimator import DefaultGrid, check_number, decades, takes_qid
from ranksieve.losses import PairLoss
from ranksieve.measures import Measure
from ranksieve.penalties import Penalty, as_penalty
from ranksieve.selectors.base import NumberOfFeatures
from ranksieve.selectors.embedded._penalised_selector import PenalisedSelector, as_solver
from ranksieve.selectors.embedded._query_clusters import KINDS, QueryClusters
from ranksieve.selectors.embedded._task_models import TaskFamily, model_scores
from ranksieve.selectors.embedded._task_ranker import UNKNOWN_TASKS, TaskRanker
from ranksieve.solvers import FISTA, Path, ProximalNewton, Solution, Solver, TaskReweighting


class MultiTaskSparseRankSVM(TaskRanker, PenalisedSelector):
    """The features that several tasks need, all of them or some, and a linear ranker per task.

        minimise  sum over tasks t of the mean over pairs i above j of t's queries of
                      max(0, 1 - (w_t . x_i - w_t . x_j))^2
                  + strength * sum over features f of |W_f|

    W_f is the row of weights that feature f has in all tasks and |W_f| its size, the root of the
    sum of squares (l2,1): a feature is in the models of all tasks or in none. With `own`, weights
    are B + S, of which S may be one task's alone:

                  + strength * (sum over f of |B_f| + own * sum over f and t of |S_ft|)

    A task is a subset of queries: `fit(X, y, qid=qid, task=task)`, `load(file, task="market")`, or
    clusters of queries. Without tasks all queries are one, and the model is that of SparseRankSVM.

    Parameters
    ----------
    penalty : str or Penalty
        "l1" is the sum of sizes above; "log", "mcp", "scad", "lp" and "weighted-l1" are taken of
        the sizes of rows, the nonconvex ones by reweighting. See docs/penalties.md.
    strength : float, "cv" or None
        As of SparseRankSVM. "cv" measures each query with the weights of its task.
    own : float or None
        What an own weight costs beside a shared row, between 1 / sqrt(tasks), where nothing is
        shared, and 1, where nothing is own. None: no own weights.
    tasks : "length", "features" or None
        Tasks found by k-means of queries, by the logarithm of their number of documents, or by the
        means of their features; then `predict` finds the cluster of new queries, and needs their
        qid. None: the tasks that are given, or one.
    n_tasks : int, how many clusters
    unknown_task : "error" or "mean"
        What `predict` does with a task that was not in `fit`, and without a task: an error, or
        scores by `coef_`, the mean weights.
    n_features_to_select, loss, measure, n_folds, rule, n_strengths, tol, max_iter
        As of SparseRankSVM.
    solver : "proximal-newton" or "fista", which the paper plans and which is slower
    random_state : int, how queries are dealt into folds, and where k-means starts

    Attributes
    ----------
    tasks_ : (tasks,) array, sorted; [0] where there were none
    task_coef_ : (tasks, features) array, the weights of the selected features
    shared_coef_ : (tasks, features) array, the part B of them; the rest is own
    coef_ : (features,) array, the mean of the tasks' weights
    shared_ : features with a weight in all tasks that have pairs
    own_ : for each task, the features with a weight in it alone
    task_pairs_ : (tasks,) array, pairs of documents with different grades
    order_ : features by falling |W_f|, then those of 0 by how near they are to leaving it
    scores_ : |W_f|, or a number from -1 to 0
    strength_, objective_, gap_, n_iter_, converged_, cross_validation_, trace_, n_pairs_
        As of SparseRankSVM.

    Notes
    -----
    T equal tasks have T equal columns of weights: those of SparseRankSVM at strength / sqrt(T).
    A task whose queries have one grade each adds nothing, and has weights of 0. All weights are 0
    from a strength on that can be told: the largest size of a row of the gradient at 0 (beside
    own weights, of a gradient over `own` if that is more).

    The gap is proven. The gradient, scaled until each row has a size of at most `strength` and,
    beside own weights, entries of at most own * strength, is feasible in the dual problem; see
    docs/multi-task.md. Of a nonconvex penalty it is that of the problem tangent at the solution.

    Cost: a pass over the data per step, as one model for all queries, and O(T d^2) memory for d
    features. The queries of each task are put together once, which copies the data.

    This answers the question at the end of Laporte, Flamary, Canu, Dejean and Mothe, Nonconvex
    regularizations for feature selection in ranking with sparse SVM, IEEE TNNLS 2014. The penalty
    is that of Obozinski, Taskar and Jordan (2010), with own weights that of Jalali et al., A dirty
    model for multi-task learning (2010), with l2 rows.

    Examples
    --------
    >>> from ranksieve import MultiTaskSparseRankSVM, make_ranking
    >>> data, truth = make_ranking(100, n_relevant=3, n_redundant=0, n_irrelevant=9)
    >>> data = data.with_tasks(np.arange(100) % 2)
    >>> svm = MultiTaskSparseRankSVM(n_features_to_select=3).fit(data)
    >>> svm.get_support(indices=True).tolist() == truth.relevant.tolist(), svm.task_coef_.shape
    (True, (2, 12))
    >>> svm.predict(data.X[:3], task=[0, 0, 1]).shape
    (3,)
    """

    # scikit-learn reads these names as they stand, private mangling included.
    __metadata_request__fit: ClassVar[dict[str, bool]] = {"qid": True, "task": True}

    default_grid: ClassVar[DefaultGrid] = {"strength": decades(-5, 0, 4)}

    def __init__(
        self,
        penalty: str | Penalty = "l1",
        strength: float | str | None = None,
        *,
        own: float | None = None,
        tasks: str | None = None,
        n_tasks: int = 4,
        unknown_task: str = "error",
        n_features_to_select: NumberOfFeatures = None,
        loss: str | PairLoss = "squared-hinge",
        measure: str | Measure = "ndcg@10",
        n_folds: int = 5,
        rule: str = "best",
        n_strengths: int = 50,
        solver: str | Solver = "proximal-newton",
        tol: float = 1e-6,
        max_iter: int = 200,
        random_state: int = 0,
    ) -> None:
        self.penalty = penalty
        self.strength = strength
        self.own = own
        self.tasks = tasks
        self.n_tasks = n_tasks
        self.unknown_task = unknown_task
        self.n_features_to_select = n_features_to_select
        self.loss = loss
        self.measure = measure
        self.n_folds = n_folds
        self.rule = rule
        self.n_strengths = n_strengths
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    @takes_qid
    def fit(
        self,
        X: Any,
        y: ArrayLike | None = None,
        *,
        qid: ArrayLike | None = None,
        task: ArrayLike | None = None,
    ) -> Any:
        """Fit on arrays with a query id and a task per row, or on RankingData alone.

        Parameters
        ----------
        X, y, qid : as of every selector
        task : numbers or text, one per document and the same for all documents of a query; None
            for one task. Not given with RankingData, which has `tasks`.
        """
        with self._all_or_nothing():
            self._fit(self._with_tasks(self._given(X, y, qid, task)))
        return self

    def path(
        self,
        X: Any,
        y: ArrayLike | None = None,
        *,
        qid: ArrayLike | None = None,
        task: ArrayLike | None = None,
        **options: Any,
    ) -> Path:
        """Return the solutions over a range of strengths; `weights` are the sizes of rows.

        The options are those of `SparseRankSVM.path`: n_strengths, smallest and strengths.
        """
        # A copy checks the data, so that nothing of this estimator changes.
        return super().path(clone(self)._given(X, y, qid, task), **options)

    def _given(
        self, X: Any, y: ArrayLike | None, qid: ArrayLike | None, task: ArrayLike | None
    ) -> RankingData:
        """Return checked data with the tasks that were given."""
        self.check_parameters()
        data = self._check_fit(X, y, qid)
        if task is None:
            return data
        if isinstance(X, RankingData):
            raise ParameterError(
                "RankingData has its own tasks: data.with_tasks(...) sets one per query"
            )
        if self.tasks is not None:
            raise ParameterError(
                f"tasks are given to fit and asked for by tasks={self.tasks!r}: give one of the two"
            )
        return data.with_tasks(task_of_queries(task, data.query_ptr, data.query_ids))

    def _with_tasks(self, data: RankingData) -> RankingData:
        """Return the data with tasks by clusters, where these are asked for, and keep those."""
        if self.tasks is None:
            return data
        clusters = QueryClusters.found_in(data, self.tasks, self.n_tasks, self.random_state)
        self.centres_, self.shift_, self.spread_ = clusters.centres, clusters.shift, clusters.spread
        return data.with_tasks(clusters.of_queries(data))

    def feature_sets(self, data: RankingData) -> FeatureSets:
        """Return what would be kept for each number: a model of its own for each."""
        self.check_parameters()
        twin = copy(self)
        return super().feature_sets(twin._with_tasks(data))

    def _path(self, X: Any, *arguments: Any) -> Path:
        _, _, n_strengths, smallest, strengths = arguments
        data = self._with_tasks(X).gathered()
        family = self._strength_family(data, smallest)
        solved: Path = family.path(family.grid(n_strengths) if strengths is None else strengths)
        if not solved.converged.all():
            warn_caller(
                f"{(~solved.converged).sum()} of {len(solved.converged)} models of the path missed "
                f"tol={self.tol:g}, the worst with a gap of {solved.gaps.max():.2g}. "
                "Raise max_iter, or scale the features."
            )
        return solved

    def _penalty(self, data: RankingData) -> Penalty:
        return as_penalty(self.penalty)

    def _strength_family(self, data: RankingData, smallest: float) -> Any:
        penalty = self._penalty(data)
        # A round that is solved no better than asked of all of them would hide its progress.
        tol = self.tol if penalty.convex else 0.1 * self.tol
        inner: Any = as_solver(self.solver)
        solver = TaskReweighting(replace(inner, tol=tol, max_iter=self.max_iter), self.tol)
        own = np.inf if self.own is None else float(self.own)
        return TaskFamily(data, self._loss(), penalty, own, solver, smallest=smallest)

    def _nearness(self, family: Any, number: float, solution: Solution) -> NDArray[np.float64]:
        nearness: NDArray[np.float64] = family.nearness(number, solution)
        return nearness

    def _scores_of_model(self) -> Callable[[RankingData, Any], NDArray[np.float64]]:
        return model_scores

    def _keep(self, family: Any, number: float, solution: Solution) -> None:
        self.tasks_ = family.labels
        self.task_pairs_ = np.array([risk.n_pairs for risk in family.risk.tasks])
        super()._keep(family, number, solution)

    def _keep_weights(self, solution: Any, selected: NDArray[np.int64]) -> None:
        kept = np.isin(np.arange(len(solution.weights)), selected)
        self.task_coef_ = np.where(kept, solution.task_weights, 0.0)
        self.shared_coef_ = np.where(kept, solution.shared, 0.0)
        self.coef_ = self.task_coef_.mean(axis=0)

    def check_parameters(self) -> None:
        """Raise where a parameter is not valid."""
        super().check_parameters()
        check_choice("unknown_task", self.unknown_task, UNKNOWN_TASKS)
        if self.tasks is not None:
            check_choice("tasks", self.tasks, KINDS)
        check_number("n_tasks", self.n_tasks, least=1, integer=True)
        if self.own is not None:
            check_number("own", self.own, above=0)
        _check_penalty(as_penalty(self.penalty), self.penalty)
        if not isinstance(as_solver(self.solver), ProximalNewton | FISTA):
            raise ParameterError(
                f"solver must be 'proximal-newton' or 'fista', but is {self.solver!r}: others do "
                "not take a charge on rows of weights"
            )


def _check_penalty(penalty: Penalty, spelled: Any) -> None:
    """Raise where a penalty is not one of each size alone."""
    try:
        charge = penalty.charge(np.zeros(1), 1.0)
    except ParameterError:
        return  # weights for other numbers of features, and widths that depend on the pairs
    if charge.matrix is not None or charge.signed is not None:
        raise ParameterError(
            f"penalty must be a sum over the sizes of rows, such as 'l1', 'log', 'mcp', 'scad' or "
            f"'lp', but is {spelled!r}, which charges squares or pairs of weights"
        )
