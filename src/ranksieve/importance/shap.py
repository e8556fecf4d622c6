"""What each feature moves in a model's scores: the mean size of its SHAP values."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ranksieve.data import RankingData
from ranksieve.data.canonical import in_own_order
from ranksieve.data.check import check_count, check_seed
from ranksieve.errors import ConvergenceWarning, ParameterError
from ranksieve.importance._evidence import ROUNDING, evidence_of, is_significant
from ranksieve.importance._rankers import as_ranker, changed_call, folds_of, settled
from ranksieve.importance.base import Importance
from ranksieve.passes.variation import varying_features
from ranksieve.progress import silent
from ranksieve.threads import threads


@dataclass(frozen=True, repr=False)
class ShapImportance(Importance):
    """How far a feature moves documents of a query apart in the scores of a model.

        score(f) = mean over documents d of |phi_f(d) - mean of phi_f over the query of d|

    phi_f(d) is the SHAP value of feature f: what it adds to the score of document d, so that
    all of them and a base sum to the score (`Ranker.contributions`). A ranker is trained once, on
    all queries with all features, and explains the documents that it was trained on.

    Taking the query's mean away is ours. SHAP importance is usually the mean of |phi_f|
    (`within_queries=False`), in which a feature counts that lifts all documents of a query
    alike, though it changes no ranking.

    For a linear model the score is |w_f| times the mean distance of x_f from its query's mean:
    a weight that does not depend on the feature's units.

    Parameters
    ----------
    ranker : str, Ranker or None
        What is explained: text such as "LightGBMRanker(50)", or a ranker with `contributions`,
        which is copied: linear ones, LightGBMRanker, XGBoostRanker and CatBoostRanker. None for
        LightGBMRanker where LightGBM is installed, and RankSVM where it is not. What it chooses
        by folds (`tuned`) is chosen once; what is trained is its quick copy (`quick`): fewer and
        larger rounds of trees.
    within_queries : bool
        Whether the query's mean is taken away.
    n_folds : int
        Folds of queries for `better_than_random`; with fewer queries that count, each is a fold.
    random_state : int
        Of these folds.

    Notes
    -----
    It is what the model makes of the feature on the queries that it has seen. A feature of noise
    that a model clings to scores above 0. `PermutationImportance` asks queries that the model
    has not seen, and takes any ranker. Of two copies, trees may give all to one.

    Without documents of different grades in a query there is nothing to learn, and all score 0; so
    do features that are constant over all documents. Grades must suit the ranker.

    Better than a random order (ours): each query is explained by a model that the other folds
    trained. Its difference is the mean over its documents of (phi_f - mean of phi_f) (grade - mean
    of grades): above 0 where the feature lifts the better documents, and 0 where it is constant in
    the query. Student's t over the queries with different grades must be beyond its 97.5 per cent
    quantile. `n_folds` more trainings.

    The order of columns, rows, queries and blocks decides nothing, but between columns with the
    same content. Cost: one training and `Ranker.contributions`, O(n rounds leaves depth²) for
    trees: measured, 2 to 6 times as long as the training for LightGBM and XGBoost, a third for
    CatBoost (docs/wrappers-figures.md). Memory: two copies of the data, and a number for each
    document and feature.

    Lundberg and Lee, A unified approach to interpreting model predictions, NIPS 2017; Lundberg,
    Erion and Lee, Consistent individualized feature attribution for tree ensembles, 2018.

    Examples
    --------
    >>> from ranksieve import make_ranking
    >>> data, truth = make_ranking(60, n_relevant=2, n_redundant=0, n_irrelevant=4, random_state=1)
    >>> importance = ShapImportance("RankSVM(C=0.01)")
    >>> sorted(np.argsort(importance.scores(data))[-2:].tolist()) == truth.relevant.tolist()
    True
    """

    looks_alone: ClassVar[bool] = False

    ranker: Any = None
    within_queries: bool = True
    n_folds: int = 5
    random_state: int = 0

    def scores(self, data: RankingData) -> NDArray[np.float64]:
        """Return the mean size of what each feature adds; 0 for one that the model does not use."""
        self._check_parameters()
        ranker = self._ranker()
        scores = np.zeros(data.n_features)
        own, columns = _learnable(data)
        if own is not None:
            contributions = _explained(settled(ranker, own), own, own)
            scores[columns] = mean_sizes(
                contributions, own.query_ptr, within_queries=self.within_queries
            )
        return scores

    def better_than_random(self, data: RankingData) -> NDArray[np.bool_]:
        """Return which features are shown to lift the better documents of unseen queries.

        By a test over queries at a level of 0.05; the notes of the class have its formula.
        """
        self._check_parameters()
        ranker = self._ranker()
        better = np.zeros(data.n_features, dtype=bool)
        own, columns = _learnable(data)
        if own is None or _graded(own).sum() < 2:
            return better
        ranker, fold_of_query = (
            settled(ranker, own),
            folds_of(_graded(own), self.n_folds, self.random_state),
        )
        lifts = np.zeros((own.n_queries, own.n_features))
        for fold in range(int(fold_of_query.max()) + 1):
            aside = fold_of_query == fold
            unseen = own.queries(aside).gathered()
            training = own.queries(~aside).gathered()
            lifts[aside] = _lifts(_explained(ranker, training, unseen), unseen)
        counted = np.ascontiguousarray(lifts[_graded(own)].T)
        counted[np.abs(counted) <= ROUNDING * np.abs(counted).max(initial=0.0)] = 0.0
        better[columns] = is_significant(evidence_of(counted), counted.shape[1])
        return better & varying_features(data)

    def random_order(self, data: RankingData) -> float:
        """Return 0: a constant feature adds nothing."""
        return 0.0

    def __repr__(self) -> str:
        return changed_call(self)

    def _ranker(self) -> Any:
        ranker = as_ranker(self.ranker)
        if not callable(getattr(ranker, "contributions", None)):
            raise ParameterError(
                "shap needs a ranker of ranksieve that has contributions, such as RankSVM, "
                f"LightGBMRanker, XGBoostRanker or CatBoostRanker, but {ranker!r} has none. "
                "importance='permutation' takes any ranker."
            )
        return ranker

    def _check_parameters(self) -> None:
        if not isinstance(self.within_queries, bool | np.bool_):
            raise ParameterError(
                f"within_queries must be True or False, but is {self.within_queries!r}"
            )
        check_count("n_folds", self.n_folds, 2)
        check_seed(self.random_state)


def mean_sizes(
    contributions: NDArray[np.float64], query_ptr: NDArray[np.int64], *, within_queries: bool = True
) -> NDArray[np.float64]:
    """Return the mean size of each column, without the mean of each query where that is asked for.

    Examples
    --------
    >>> values = np.array([[1.0, 5.0], [3.0, 5.0], [4.0, 0.0]])
    >>> mean_sizes(values, np.array([0, 2, 3]))  # (1 + 1 + 0) / 3; a column of the query's
    array([0.66666667, 0.        ])
    """
    sizes = np.diff(query_ptr)
    means = np.zeros(contributions.shape[1])
    for column, values in enumerate(contributions.T):
        # From the first document of a query on: what is constant in it is exactly 0.
        moved = values - np.repeat(values[query_ptr[:-1]], sizes) if within_queries else values
        if within_queries:
            moved = moved - np.repeat(np.add.reduceat(moved, query_ptr[:-1]) / sizes, sizes)
        means[column] = np.abs(moved).mean()
    return means


def _learnable(data: RankingData) -> tuple[RankingData | None, NDArray[np.int64]]:
    """Return the features that vary, in an order of their own, and their columns in the data.

    None where no query has documents with different grades, or no feature varies.
    """
    if not _graded(data).any():
        return None, np.empty(0, dtype=np.int64)
    own, columns = in_own_order(data)
    varied = np.flatnonzero(own.X.max(axis=0) > own.X.min(axis=0))
    if len(varied) == 0:
        return None, columns[varied]
    return own.features(varied).gathered(), columns[varied]


def _graded(data: RankingData) -> NDArray[np.bool_]:
    """Return which queries have documents with different grades."""
    starts = data.query_ptr[:-1]
    highest, lowest = np.maximum.reduceat(data.y, starts), np.minimum.reduceat(data.y, starts)
    graded: NDArray[np.bool_] = highest > lowest
    return graded


def _explained(ranker: Any, training: RankingData, documents: RankingData) -> NDArray[np.float64]:
    """Return what each feature adds to scores of documents, by a copy trained on one thread."""
    with silent(), threads(1), warnings.catch_warnings():
        # Without a split all features score 0, which says as much.
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = clone(ranker, safe=False).fit(training)
        contributions: NDArray[np.float64] = model.contributions(documents)[:, :-1]
    return contributions


def _lifts(contributions: NDArray[np.float64], data: RankingData) -> NDArray[np.float64]:
    """Return the mean of (phi - its mean) (grade - its mean) of each query and feature.

    0 where the feature is constant in the query: what it adds differs there by other features.
    """
    starts, sizes = data.query_ptr[:-1], np.diff(data.query_ptr)
    above = data.y - np.repeat(np.add.reduceat(data.y, starts) / sizes, sizes)
    moved = contributions - np.repeat(contributions[starts], sizes, axis=0)
    lifts = np.add.reduceat(above[:, None] * moved, starts) / sizes[:, None]
    varies = np.maximum.reduceat(data.X, starts) > np.minimum.reduceat(data.X, starts)
    return np.where(varies, lifts, 0.0)
