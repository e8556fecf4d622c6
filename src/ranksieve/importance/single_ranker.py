"""What a ranker makes of each feature alone."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ranksieve.data import RankingData
from ranksieve.data.block import Block
from ranksieve.data.canonical import in_own_order
from ranksieve.data.check import check_count, check_seed
from ranksieve.errors import ConvergenceWarning, DataError
from ranksieve.importance._evidence import ROUNDING, evidence_of, is_significant
from ranksieve.importance._rankers import as_ranker, changed_call, folds_of, untied
from ranksieve.importance.base import Importance, Rating
from ranksieve.measures import Measure, counting_queries, parse_measure
from ranksieve.passes import by_column
from ranksieve.progress import silent
from ranksieve.threads import threads

# Folds of the test where scores themselves are measured on the queries that trained.
_TEST_FOLDS = 2


@dataclass(frozen=True, repr=False)
class SingleRankerImportance(Importance):
    """How well a ranker ranks that has one feature, above a random order.

        score(f) = mean over queries of (measure of the ranking by a ranker trained on f alone
                                         - mean of the measure over all orders of the documents)

    A ranker of trees is no straight line: a feature whose middle values are best scores high,
    which no measure of ranking by the feature itself sees. The part after the minus is the same
    for all features, so that they are in the order of the measure; a feature that is constant
    inside every query scores exactly 0, and one that misleads scores below 0.

    Parameters
    ----------
    ranker : str, Ranker or None
        What is trained: text such as "LightGBMRanker(50)", or an object with `fit(data)` and
        `predict(data)`, which is copied. It is trained as it is. None for the quick copy
        (`Ranker.quick`: fewer and larger rounds) of LightGBMRanker, which is LambdaMART, where
        LightGBM is installed, and for RankSVM where it is not.
    measure : str or Measure
        Documents with equal scores are averaged over all their orders, unless the measure says
        otherwise.
    n_folds : int or None
        Queries are dealt into folds, and each is ranked by what the others trained: no query is
        judged by a ranker that has seen it. None trains once on all queries and measures on the
        same ones, as the paper does as far as it says: trees learn single documents by heart
        then, so that noise with many values scores above a good feature with few.
    random_state : int, of folds

    Notes
    -----
    Queries count whose measure an order of the documents can change; others only train. With
    fewer than two of them every feature scores 0. Grades must suit the measure and the ranker.

    Better than a random order: Student's t over the queries that count of what is averaged above,
    always with folds: two of them where `n_folds` is None, for twice the cost.

    The order of rows, queries, blocks and columns decides nothing, and the other features
    neither. Features run side by side, with one thread each.
    Cost: `n_folds` trainings per feature: two folds cost what training once on all queries does.
    Memory: some copies of one column per thread, and what the ranker takes for one feature.
    Gigli, Lucchese, Nardini and Perego, Fast feature selection for learning to rank, ICTIR 2016,
    whose relevance of a feature is the NDCG@10 of LambdaMART on it.

    Examples
    --------
    >>> from ranksieve import make_ranking
    >>> data, truth = make_ranking(60, n_relevant=2, n_redundant=0, n_irrelevant=2, random_state=1)
    >>> importance = SingleRankerImportance("RankSVM(C=0.01)")
    >>> sorted(np.argsort(importance.scores(data))[-2:].tolist()) == truth.relevant.tolist()
    True
    """

    ranker: Any = None
    measure: str | Measure = "ndcg@10"
    n_folds: int | None = 2
    random_state: int = 0

    def scores(self, data: RankingData) -> NDArray[np.float64]:
        """Return what each feature's ranker gains over a random order; 0 for a constant."""
        return self._scores(self._gains(data, self.n_folds))

    def better_than_random(self, data: RankingData) -> NDArray[np.bool_]:
        """Return which features' rankers are shown to gain over a random order.

        By a test over queries at a level of 0.05; the notes of the class have its formula.
        """
        return self._significant(self._gains(data, self.n_folds or _TEST_FOLDS))

    def rating(self, data: RankingData) -> Rating:
        """Return scores and `better_than_random` together."""
        gains = self._gains(data, self.n_folds)
        scores = self._scores(gains)
        if self.n_folds is None:
            return Rating(scores, scores, self.better_than_random(data))
        return Rating(scores, scores, self._significant(gains))

    def random_order(self, data: RankingData) -> float:
        """Return 0: scores are what is gained over a random order."""
        return 0.0

    def _gains(self, data: RankingData, n_folds: int | None) -> NDArray[np.float64]:
        """Return what each query that counts gains by each feature: features by queries."""
        measure = untied(parse_measure(self.measure))
        self._check_parameters()
        measure.check_grades(data.y)
        ranker = as_ranker(self.ranker)
        if self.ranker is None and hasattr(ranker, "quick"):
            ranker = ranker.quick(data.n_documents)

        def work(column: NDArray[Any], feature: int) -> NDArray[np.float64]:
            with silent(), threads(1):
                return _query_gains(
                    _of_column(column, data), ranker, measure, n_folds, self.random_state
                )

        with warnings.catch_warnings():
            # Trees without a split are no failure here: the feature says nothing, and scores 0.
            warnings.simplefilter("ignore", ConvergenceWarning)
            return np.stack(by_column(work, data, label="importance"))

    def _scores(self, gains: NDArray[np.float64]) -> NDArray[np.float64]:
        scores: NDArray[np.float64] = gains.sum(axis=1) / max(gains.shape[1], 1)
        return scores

    def _significant(self, gains: NDArray[np.float64]) -> NDArray[np.bool_]:
        return is_significant(evidence_of(gains), gains.shape[1])

    def _check_parameters(self) -> None:
        if self.n_folds is not None:
            check_count("n_folds", self.n_folds, 2)
        check_seed(self.random_state)

    def __repr__(self) -> str:
        return changed_call(self)


def _of_column(column: NDArray[Any], data: RankingData) -> RankingData:
    """Return the data with one feature, queries and documents in an order of their own."""
    matrix = np.asfortranarray(column[:, None])
    alone = RankingData([Block(matrix, data.y, data.query_ptr, data.query_ids)], ["feature"])
    return in_own_order(alone)[0]


def _query_gains(
    data: RankingData, ranker: Any, measure: Measure, n_folds: int | None, random_state: int
) -> NDArray[np.float64]:
    """Return what each query that counts gains over the mean of all orders of its documents."""
    counting = counting_queries(data, measure)
    n_counting = int(counting.sum())
    by_constant = measure.with_ties("average").values(
        data.y, np.zeros(data.n_documents), data.query_ptr
    )
    if n_counting < 2 or not _varies(data):
        return np.zeros(n_counting)
    if n_folds is None:
        scores = _predicted(ranker, data, data)
    else:
        scores = _cross_fitted(ranker, data, folds_of(counting, n_folds, random_state))
    gains = (measure.values(data.y, scores, data.query_ptr) - by_constant)[counting]
    gains[np.abs(gains) <= ROUNDING] = 0.0
    return gains


def _varies(data: RankingData) -> bool:
    values, starts = data.X[:, 0], data.query_ptr[:-1]
    return bool((np.maximum.reduceat(values, starts) > np.minimum.reduceat(values, starts)).any())


def _cross_fitted(
    ranker: Any, data: RankingData, fold_of_query: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return scores of documents by rankers of the other folds; 0 for queries in none."""
    scores = np.zeros(data.n_documents)
    fold_of_document = np.repeat(fold_of_query, np.diff(data.query_ptr))
    for fold in range(int(fold_of_query.max()) + 1):
        inside = fold_of_query == fold
        training, held_out = data.queries(~inside).gathered(), data.queries(inside).gathered()
        scores[fold_of_document == fold] = _predicted(ranker, training, held_out)
    return scores


def _predicted(ranker: Any, training: RankingData, judged: RankingData) -> NDArray[np.float64]:
    model = clone(ranker, safe=False)
    scores = np.asarray(model.fit(training).predict(judged), dtype=np.float64)
    if scores.shape != (judged.n_documents,) or not np.isfinite(scores).all():
        raise DataError(
            f"{ranker!r} must give one finite score per document, {judged.n_documents} here, but "
            f"gave an array of shape {scores.shape} with {int((~np.isfinite(scores)).sum())} that "
            "are not finite. Take another ranker, or scale the features first."
        )
    return scores
