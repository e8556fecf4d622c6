"""What each feature is worth to a model: how much worse queries are ranked when it is permuted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ranksieve.data import RankingData
from ranksieve.data.block import Block
from ranksieve.data.canonical import in_own_order
from ranksieve.data.check import check_count, check_seed
from ranksieve.data.queries import order_by_id
from ranksieve.importance._evidence import ROUNDING, evidence_of, is_significant
from ranksieve.importance._rankers import as_ranker, changed_call, folds_of, settled, untied
from ranksieve.importance.base import Importance, Rating
from ranksieve.measures import Measure, counting_queries, parse_measure
from ranksieve.passes.variation import varying_features
from ranksieve.progress import report, silent
from ranksieve.threads import side_by_side, threads

# One shuffle where there are many features, more where few of them decide.
_N_SHUFFLES = ((20, 1), (8, 2), (0, 3))


@dataclass(frozen=True, repr=False)
class PermutationImportance(Importance):
    """What a query loses on average when a feature's values change places within queries.

        score(f) = mean over queries of (measure of a model's ranking
                                         - measure of its ranking with f permuted)

    Queries are dealt into folds. The model is trained on all folds but one, and features are
    permuted in that one: no query is judged by a model that has seen it. A feature that the
    model does not use scores exactly 0; one that misleads it scores below 0.

    It says what a feature is worth to a model that has all the others, not what it says alone:
    copies share their worth, and one of two may have all of it.

    A feature that is constant inside every query (a property of the query, such as its length)
    would not change: its values change places among the queries of the fold. A ranker of trees
    can use such a feature together with others. `rating(data).permuted_across` says which
    they are. They are never better than a random order, and selectors put them last.

    Parameters
    ----------
    ranker : str, Ranker or None
        What ranks: text such as "RankSVM(C=0.01)", or an object with `fit(data)` and
        `predict(data)`, which is copied. None for LightGBMRanker where LightGBM is installed, and
        RankSVM where it is not. What it chooses by folds (`tuned`) is chosen once, on all
        queries; what is trained is its quick copy (`quick`): fewer and larger rounds of trees.
    measure : str or Measure
        Documents with equal scores are averaged over all their orders, unless the measure says
        otherwise.
    n_folds : int
        With fewer queries that count, each is a fold of its own.
    n_shuffles : int or None
        How often each feature is permuted. None for 3 with up to 8 features, 2 with up to 20, and
        1 with more. All features are permuted by the same shuffles.
    random_state : int
        Of folds and shuffles.

    Notes
    -----
    Queries count whose measure an order of the documents can change; others only train. With
    fewer than two of them, or no feature that varies inside a query, there is nothing to hold
    out or to learn, and every feature scores 0. Grades must suit the measure and the ranker.

    Better than a random order: Student's t over the queries that count of what they lose. It
    takes the models as given.

    The order of columns, rows, queries and blocks decides nothing, but between columns with the
    same content. Folds run side by side, with one thread each; their number changes nothing.
    Cost: `n_folds` trainings, and `n_folds * n_shuffles` predictions of a fold for each feature
    that its model uses: `n_shuffles * p` predictions of the data. Memory: two copies of the data,
    one more for each thread, and queries times features.

    Breiman, Random forests, Machine Learning 45 (2001), section 10, permutes features over all
    documents; within queries a model is never shown values of another query's documents.

    Examples
    --------
    >>> from ranksieve import make_ranking
    >>> data, truth = make_ranking(60, n_relevant=2, n_redundant=0, n_irrelevant=4, random_state=1)
    >>> importance = PermutationImportance("RankSVM(C=0.01)")
    >>> sorted(np.argsort(importance.scores(data))[-2:].tolist()) == truth.relevant.tolist()
    True
    >>> importance.rating(data).permuted_across.any()
    np.False_
    """

    looks_alone: ClassVar[bool] = False

    ranker: Any = None
    measure: str | Measure = "ndcg@10"
    n_folds: int = 5
    n_shuffles: int | None = None
    random_state: int = 0

    def scores(self, data: RankingData) -> NDArray[np.float64]:
        """Return the mean loss of each feature; 0 for one that the models do not use."""
        return self.rating(data).scores

    def better_than_random(self, data: RankingData) -> NDArray[np.bool_]:
        """Return which features queries are shown to lose by, of those that vary inside queries.

        By a test over queries at a level of 0.05; the notes of the class have its formula.
        """
        return self.rating(data).better_than_random

    def random_order(self, data: RankingData) -> float:
        """Return 0: who permutes a constant feature loses nothing."""
        return 0.0

    def rating(self, data: RankingData) -> PermutationRating:
        """Return scores and `better_than_random` together, and what they come from."""
        self._check_parameters()
        measure = untied(parse_measure(self.measure))
        measure.check_grades(data.y)
        ranker = as_ranker(self.ranker)
        own, columns = in_own_order(data)
        counting = counting_queries(own, measure)
        own_across = ~varying_features(own)
        losses = np.zeros((int(counting.sum()), data.n_features))
        across = np.empty(data.n_features, dtype=bool)
        across[columns] = own_across
        if len(losses) >= 2 and not across.all():
            losses[:, columns] = self._losses(own, counting, own_across, ranker, measure)
        losses[np.abs(losses) <= ROUNDING] = 0.0
        evidence = evidence_of(np.ascontiguousarray(losses.T))
        scores = evidence[0] / max(len(losses), 1)
        by_query = np.full((data.n_queries, data.n_features), np.nan)
        by_query[order_by_id(data.query_ids)[counting]] = losses
        return PermutationRating(
            scores, scores, is_significant(evidence, len(losses)) & ~across, by_query, across
        )

    def _losses(
        self,
        own: RankingData,
        counting: NDArray[np.bool_],
        across: NDArray[np.bool_],
        ranker: Any,
        measure: Measure,
    ) -> NDArray[np.float64]:
        """Return what each query that counts loses by each feature, each from its own fold."""
        varied = np.flatnonzero(own.X.max(axis=0) > own.X.min(axis=0))
        data = own.features(varied).gathered()
        fold_of_query = folds_of(counting, self.n_folds, self.random_state)
        n_folds = int(fold_of_query.max()) + 1
        ranker = settled(ranker, data)
        judge = _HeldOut(
            data,
            fold_of_query,
            ranker,
            measure,
            across[varied],
            self.n_shuffles or usual_shuffles(len(varied)),
            self.random_state,
        )
        losses = np.zeros((own.n_queries, own.n_features))
        for fold, lost in enumerate(side_by_side(judge, range(n_folds))):
            report("importance", fold + 1, n_folds)
            losses[np.ix_(fold_of_query == fold, varied)] = lost
        of_counting: NDArray[np.float64] = losses[counting]
        return of_counting

    def __repr__(self) -> str:
        return changed_call(self)

    def _check_parameters(self) -> None:
        check_count("n_folds", self.n_folds, 2)
        if self.n_shuffles is not None:
            check_count("n_shuffles", self.n_shuffles, 1)
        check_seed(self.random_state)


@dataclass(frozen=True, eq=False)
class PermutationRating(Rating):
    """What permuting features says about them.

    Attributes
    ----------
    losses : (n_queries, n_features) array
        What each query loses by each feature; NaN where no order changes the measure.
    permuted_across : (n_features,) array of bool
        Features that are constant inside every query, and were permuted among queries.
    """

    losses: NDArray[np.float64]
    permuted_across: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class _HeldOut:
    """What the queries of a fold lose with a model that the others trained, on one thread."""

    data: RankingData
    fold_of_query: NDArray[np.int64]
    ranker: Any
    measure: Measure
    across: NDArray[np.bool_]
    times: int
    random_state: int

    def __call__(self, fold: int) -> NDArray[np.float64]:
        held_out = self.fold_of_query == fold
        with silent(), threads(1):
            model = clone(self.ranker, safe=False).fit(self.data.queries(~held_out).gathered())
            return permutation_losses(
                model,
                self.data.queries(held_out).gathered(),
                self.measure,
                seed=[self.random_state, fold],
                times=self.times,
                used=features_used(model, self.data.n_features),
                across=self.across,
            )


def usual_shuffles(n_features: int) -> int:
    """Return how often each of some features is permuted.

    Examples
    --------
    >>> usual_shuffles(46), usual_shuffles(10), usual_shuffles(3)
    (1, 2, 3)
    """
    return next(times for above, times in _N_SHUFFLES if n_features > above)


def permutation_losses(
    ranker: Any,
    data: RankingData,
    measure: Measure,
    *,
    seed: Any,
    times: int = 1,
    used: NDArray[np.bool_] | None = None,
    across: NDArray[np.bool_] | None = None,
) -> NDArray[np.float64]:
    """Return how much of a measure each query loses when a feature is permuted: queries × features.

    The values of a feature change places among the documents of each query. A feature that is
    constant inside every query would not change: its values change places among the queries.
    All features are permuted by the same shuffles, so that they are compared on the same
    accidents. Only those in `used` are, where it is given: others lose nothing.

    Parameters
    ----------
    ranker : a fitted ranker with predict(RankingData)
    data : documents that the ranker was not fitted on
    measure : what is lost
    seed : what numpy.random.default_rng takes
    times : shuffles to average over
    used : (n_features,) mask
    across : (n_features,) mask
        Features that are permuted among queries; None for those that are constant inside every
        query of the data.

    Notes
    -----
    Cost: `times` predictions of the data for each feature used.
    """
    X, y, query_ptr = np.array(data.X, order="F"), data.y, data.query_ptr
    block = Block(X, y, query_ptr, data.query_ids)
    view = RankingData([block], data.feature_names, data.scaling, data.tasks)
    base = measure.values(y, ranker.predict(view), query_ptr)
    losses = np.zeros((data.n_queries, data.n_features))
    among_queries = ~varying_features(data) if across is None else across
    columns = np.arange(data.n_features) if used is None else np.flatnonzero(used)
    rng = np.random.default_rng(seed)
    for _ in range(times):
        within, from_others = _shuffles(query_ptr, rng)
        for column in columns:
            original = X[:, column].copy()
            X[:, column] = original[from_others if among_queries[column] else within]
            losses[:, column] += base - measure.values(y, ranker.predict(view), query_ptr)
            X[:, column] = original
    return losses / times


def _shuffles(
    query_ptr: NDArray[np.int64], rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return a shuffle of rows inside queries, and one that gives queries the row of another."""
    sizes = np.diff(query_ptr)
    queries = np.repeat(np.arange(len(sizes)), sizes)
    within = np.lexsort((rng.random(len(queries)), queries))
    others = rng.permutation(len(sizes))
    from_others = np.repeat(query_ptr[:-1][others], sizes)
    return within, from_others


def features_used(ranker: Any, n_features: int) -> NDArray[np.bool_]:
    """Return which features a fitted ranker looks at, as far as it says: all, where it does not."""
    for name in ("coef_", "feature_importances_"):
        weights = getattr(ranker, name, None)
        if weights is not None and np.size(weights) == n_features:
            used: NDArray[np.bool_] = np.ravel(weights) != 0
            return used
    return np.ones(n_features, dtype=bool)
