"""Backward elimination by importance from random sets of features; the best of them counts."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ranksieve.choices import FeatureSets
from ranksieve.data import RankingData
from ranksieve.data.canonical import in_content_order
from ranksieve.data.check import check_seed
from ranksieve.errors import ConvergenceWarning, ParameterError
from ranksieve.estimator import DefaultGrid, check_number
from ranksieve.measures import Measure, counting_queries, parse_measure
from ranksieve.progress import report, silent
from ranksieve.rankers import has_pairs
from ranksieve.selectors.base import (
    NumberOfFeatures,
    Selection,
    Selector,
    by_score,
    constant_features,
)
from ranksieve.selectors.wrappers._rankrfe_estimators import fitted, predicted, sizes
from ranksieve.selectors.wrappers._rankrfe_rounds import check_step, number_to_drop, only
from ranksieve.selectors.wrappers._usual_trees import as_trees
from ranksieve.threads import side_by_side, threads


class RandomRFE(Selector):
    """The best of several eliminations, each from its own random set of features.

    A start is a random set with `start_share` of the features; the first start is all of them.
    From there trees are trained, the features that count least in them go, and so on to the
    last feature. Each model is judged by a measure on queries that it was not trained on:

        value of n features of a start = measure of the smallest of its models with at least n

    The start with the largest value for the number of features that is asked for is the one
    whose last n features are selected.

    Parameters
    ----------
    n_features_to_select : int, float, "validation", Validation or None
        A number, a share between 0 and 1, chosen on validation queries, or None for half of
        the features. Sets of different numbers need not be nested: another start may be best.
    ranker : str, object or None
        What is trained, with `feature_importances_` or `coef_`. None for trees of squared error
        (see `BRTree`).
    measure : str or Measure
        "ndcg@5" is the paper's. Documents with equal scores are averaged over all their orders
        where the measure would go by rows (ties="input").
    n_starts : int
    start_share : float
        Share of the features that a start draws, but for the first.
    step : int or float
        How many features go in a round: a number, or a share of those that are left then.
    judged_share : float
        Share of the queries that models are judged on, and not trained on.
    random_state : int
        Of the queries and the starts.

    Attributes
    ----------
    order_ : the features of the best start, the last to go first; then the others by their mean
        importance over the starts in which they took part; constant features last
    scores_ : (n_features,) array, the round of the best start in which a feature went, from 1; one
        more for the one that stayed, 0 for features that it did not have
    start_values_ : (n_starts,) array, the value of each start for the number of features; NaN
        where it had fewer
    best_start_ : int
    n_fits_ : int

    Notes
    -----
    Known of the paper, from its abstract and from the survey of Laporte and others (2014): random
    sets of features, boosted trees trained again and again, a percentage of the features removed
    by importance in each round, and NDCG@5 as the judge. The text was not at hand. Ours are all
    features as the first start, so that the result is never judged worse than a plain
    elimination, the held-out queries, the numbers of starts and shares, and what becomes of
    features that the best start does not have.

    With fewer than two queries whose measure an order can change, models are judged on the queries
    that they were trained on; where no query has documents of different grades, nothing is trained
    and features keep their order. The order of rows, queries and columns decides nothing, but
    between equal columns.

    Cost: n_starts times about log(p) / -log(1 - step) trainings, for p features, starts side by
    side with one thread each. Memory: two copies of the data, and one of a start's features for
    each thread.

    Pan, Converse, Ahn, Salvetti and Donato, Feature selection for ranking using boosted trees,
    CIKM 2009.

    Examples
    --------
    >>> from ranksieve import RandomRFE, make_ranking
    >>> data, truth = make_ranking(80, n_relevant=2, n_redundant=0, n_irrelevant=6, random_state=1)
    >>> best = RandomRFE(n_features_to_select=2).fit(data)
    >>> best.get_support(indices=True).tolist() == truth.relevant.tolist()
    True
    """

    default_grid: ClassVar[DefaultGrid] = {}

    def __init__(
        self,
        n_features_to_select: NumberOfFeatures = None,
        *,
        ranker: Any = None,
        measure: str | Measure = "ndcg@5",
        n_starts: int = 5,
        start_share: float = 0.5,
        step: int | float = 0.5,
        judged_share: float = 0.3,
        random_state: int = 0,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.ranker = ranker
        self.measure = measure
        self.n_starts = n_starts
        self.start_share = start_share
        self.step = step
        self.judged_share = judged_share
        self.random_state = random_state

    def check_parameters(self) -> None:
        """Raise where a parameter is not valid."""
        check_number("n_starts", self.n_starts, least=1, integer=True)
        for name in ("start_share", "judged_share"):
            value = getattr(self, name)
            check_number(name, value, above=0)
            if value >= 1.0:
                raise ParameterError(f"{name} must be below 1, but is {value!r}")
        check_step(self.step)
        check_seed(self.random_state)

    def feature_sets(self, data: RankingData) -> FeatureSets:
        """Return what would be kept for each number: from the start that is best for it."""
        self.check_parameters()
        trails, columns = self._trails(data)

        def of_size(number: int) -> NDArray[np.int64]:
            return columns[trails[_best(trails, number)].order[:number]]

        return FeatureSets(len(columns), of_size)

    def _select(self, data: RankingData) -> Selection:
        self.check_parameters()
        trails, columns = self._trails(data)
        number = max(1, min(self.n_features_, len(columns)))
        self.start_values_ = np.array([trail.value(number) for trail in trails])
        self.best_start_ = _best(trails, number)
        self.n_fits_ = sum(len(trail.values) for trail in trails)
        trail, scores = trails[self.best_start_], np.zeros(data.n_features)
        scores[columns[trail.order]] = trail.rounds
        beside = np.setdiff1d(np.arange(len(columns)), trail.order)
        # To 12 digits, as sums over starts are rounded, and then by index.
        means = -_mean_importances(trails, len(columns))[beside].round(12)
        beside = beside[np.lexsort((columns[beside], means))]
        constant = np.setdiff1d(np.arange(data.n_features), columns)
        order = np.concatenate([columns[trail.order], columns[beside], constant])
        return Selection(order.astype(np.int64), scores)

    def _trails(self, data: RankingData) -> tuple[list[_Trail], NDArray[np.int64]]:
        """Return what each start came to, and the columns of the features that vary."""
        measure = parse_measure(self.measure)
        measure = measure.with_ties("average") if measure.ties == "input" else measure
        measure.check_grades(data.y)
        ranker, columns = as_trees(self.ranker), np.flatnonzero(~constant_features(data))
        everything = np.arange(len(columns))
        if len(columns) == 0 or not has_pairs(data):
            return [_Trail(everything, np.ones(len(columns)), [], np.zeros(len(columns)))], columns
        own, places = in_content_order(data.features(columns))
        rng = np.random.default_rng(self.random_state)
        training, judged = _parts(own, measure, self.judged_share, rng)
        size = max(1, int(np.ceil(self.start_share * len(columns) - 1e-9)))
        starts = [everything] + [
            np.sort(rng.choice(len(columns), size, replace=False)) for _ in range(self.n_starts - 1)
        ]
        elimination = _Elimination(training, judged, ranker, measure, self.step)
        trails = []
        # Around all threads: filters of warnings are those of the process.
        with warnings.catch_warnings():
            # Trees without a split find all features alike: the first stay.
            warnings.simplefilter("ignore", ConvergenceWarning)
            for number, trail in enumerate(side_by_side(elimination, starts)):
                report("starts", number + 1, len(starts))
                trails.append(trail)
        return trails, columns[places]


@dataclass(frozen=True, eq=False)
class _Trail:
    """An elimination from a start.

    Attributes
    ----------
    order : the features, the last to go first
    rounds : the round in which each of these went
    values : sizes of the sets that were trained, falling, and their values
    importances : of the features at the start, in the order of `order`, as shares
    """

    order: NDArray[np.int64]
    rounds: NDArray[np.float64]
    values: list[tuple[int, float]]
    importances: NDArray[np.float64]

    def value(self, number: int) -> float:
        """Return the value of the smallest set that is as large; NaN where none is."""
        return next((value for size, value in reversed(self.values) if size >= number), np.nan)


@dataclass(frozen=True, eq=False)
class _Elimination:
    training: RankingData
    judged: RankingData
    ranker: Any
    measure: Measure
    step: int | float

    def __call__(self, start: NDArray[np.int64]) -> _Trail:
        left, gone, values, shares = start, [], [], np.zeros(self.training.n_features)
        with silent(), threads(1):
            while len(left):
                numbers, value = self._judge(left)
                values.append((len(left), value))
                if len(left) == len(start):
                    shares[left] = numbers / max(numbers.sum(), np.finfo(np.float64).tiny)
                best_first = left[by_score(numbers)]
                n_kept = len(left) - number_to_drop(self.step, len(left)) if len(left) > 1 else 0
                gone.append(best_first[n_kept:])
                left = np.sort(best_first[:n_kept])
        rounds = np.repeat(np.arange(1.0, len(gone) + 1), [len(part) for part in gone])
        parts = [part[::-1] for part in gone]
        order = np.concatenate(parts)[::-1].astype(np.int64)
        return _Trail(order, rounds[::-1], values, shares[order])

    def _judge(self, left: NDArray[np.int64]) -> tuple[NDArray[np.float64], float]:
        """Return importances of features in a model of them, and the measure of its ranking."""
        model = fitted(clone(self.ranker, safe=False), only(self.training, left))
        part = only(self.judged, left)
        values = self.measure.values(part.y, predicted(model, part), part.query_ptr)
        return sizes(model, len(left)), round(float(values.mean()), 12)


def _parts(
    data: RankingData, measure: Measure, share: float, rng: np.random.Generator
) -> tuple[RankingData, RankingData]:
    """Return queries to train on, and queries to judge by: among those that count."""
    counting = np.flatnonzero(counting_queries(data, measure))
    if len(counting) < 2:
        return data, data
    number = min(len(counting) - 1, max(1, int(np.ceil(share * len(counting) - 1e-9))))
    aside = np.zeros(data.n_queries, dtype=bool)
    aside[rng.choice(counting, number, replace=False)] = True
    return data.queries(~aside).gathered(), data.queries(aside).gathered()


def _best(trails: list[_Trail], number: int) -> int:
    """Return the first start with the largest value for a number of features."""
    values = np.array([trail.value(number) for trail in trails])
    return 0 if np.isnan(values).all() else int(np.nanargmax(values))


def _mean_importances(trails: list[_Trail], n_features: int) -> NDArray[np.float64]:
    sums, counts = np.zeros(n_features), np.zeros(n_features)
    for trail in trails:
        sums[trail.order] += trail.importances
        counts[trail.order] += 1
    means: NDArray[np.float64] = sums / np.maximum(counts, 1)
    return means
