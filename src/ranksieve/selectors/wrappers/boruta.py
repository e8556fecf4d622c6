"""Boruta: features that do better than shuffled copies, again and again."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, bdtrc
from sklearn.base import clone

from ranksieve.catalog import check_choice
from ranksieve.data import Block, RankingData
from ranksieve.data.canonical import in_content_order
from ranksieve.data.check import check_seed
from ranksieve.errors import ConvergenceWarning, ParameterError
from ranksieve.estimator import DefaultGrid, check_number
from ranksieve.evaluate import holm
from ranksieve.importance import Importance, as_importance
from ranksieve.importance.shap import mean_sizes
from ranksieve.measures import Measure
from ranksieve.progress import report, silent
from ranksieve.rankers import Ranker
from ranksieve.selectors.base import NumberOfFeatures, Selection, Selector, constant_features
from ranksieve.selectors.wrappers._rankrfe_estimators import (
    as_estimator,
    fitted,
    sizes,
    with_ranker,
)

# Shadows in a round at least: the largest of one or two is no hard mark.
_LEAST_SHADOWS = 5
# Seeds of rankers of other libraries have 31 bits.
_SEEDS = 2**31


class Boruta(Selector):
    """All features that a ranker uses more than the best of their shuffled copies.

    In each round every feature gets a shadow: a copy whose values change places within each
    query, so that what the feature's values look like in a query stays, and what they say about
    its documents goes. A ranker is trained on features and shadows together.

        hit of f in a round:  importance of f  >  largest importance of a shadow
        p-value of f        = 2 min(P(B <= hits), P(B >= hits)),  B binomial(rounds, 1/2)

    After each round p-values are adjusted for the number of features. A feature whose
    p-value is then at most `level` is *confirmed* if it has more hits than misses, and else
    *rejected*: it leaves, and so does its shadow. What is undecided in the end is *tentative*.

    It looks for all features that are of use, not for a small set: copies of a feature are
    confirmed as well, as far as the ranker uses both. RankSVM and CatBoostRanker do; the trees of
    LightGBM and XGBoost take the first of two equal columns, so that each copy has about half of
    the hits and both stay tentative.

    Parameters
    ----------
    n_features_to_select : int, float, "validation", Validation or None
        A number, a share between 0 and 1, chosen on validation queries, or None for the
        confirmed features; where none is confirmed, the first of `order_` alone is kept.
    ranker : str or object
        A ranker, as for `RankRFE`: text, a ranker of ranksieve, or an estimator in
        scikit-learn's manner. What it chooses by folds is chosen once, with all features. A
        `random_state` of its own is another one in each round.
    importance : str, Measure, Importance or None
        None for what the ranker says: `feature_importances_`, or |coef_| times the feature's
        mean distance from its query's mean, so that its units do not matter. "permutation" and
        "shap" ask this ranker, where they name no other.
    n_rounds : int
        Rounds at most. All features are decided sooner, as a rule.
    query_share : float
        Share of the queries that a round sees, drawn from those with documents of different
        grades. 1 for all of them in each round, as in the paper.
    percentile : float
        The mark to beat is this percentile of the shadows' importances: 100 for the largest.
    level : float
        Level of the tests.
    correction : {"holm", "bonferroni"}
        How p-values are adjusted for the number of features. The paper's is Bonferroni's.
    random_state : int
        Of queries, shuffles and the order of the columns.

    Attributes
    ----------
    order_ : confirmed features first, then tentative, then rejected, then constant ones
        Within these by the share of hits, then the mean importance, then the index.
    scores_ : (n_features,) array, hits as a share of the rounds in which the feature took part
    hits_ : (n_features,) array of int
    confirmed_, tentative_, rejected_ : (n_features,) arrays of bool
        Constant features are none of these.
    p_values_ : (n_features,) array, adjusted, after the last round of a feature; 1 if constant
    importance_ : (n_features,) array, mean over the rounds in which it took part
    n_rounds_ : int, rounds until all was decided

    Notes
    -----
    Deviations from the paper, with reasons. *Shuffles within queries*, not over all documents: a
    shadow that has values of other queries would not look like the feature. *Half of the
    queries in each round*: with the same documents in each round a feature of noise that
    happens to fit them beats the shadows every time, and rounds are no repetition; the test then
    confirms about 0.7 features of noise per data set, however many there are. With halves it
    is a few hundredths (docs/boruta.md has both). *Columns stand in another order in each
    round*, as trees break ties by it. *Any ranker* in place of a random forest's z-scores.

    The tests are repeated after each round, as in the paper. A feature of noise beats the
    largest of p shadows about once in p + 1 rounds, not in every second, so that it is rejected
    rather than confirmed by chance.

    Where no query has documents of different grades, there is nothing to learn: no round is
    made, and all features are tentative. Features that are constant in every query take no
    part. The order of rows, queries and columns decides nothing, but between equal columns.

    Cost: a training per round on `query_share` of the documents and at most 2 p features, and
    what the importance costs. Memory: two copies of the data, and twice the share of a round.

    Kursa and Rudnicki, Feature selection with the Boruta package, Journal of Statistical
    Software 36 (2010).

    Examples
    --------
    >>> from ranksieve import Boruta, make_ranking
    >>> data, truth = make_ranking(100, n_relevant=3, n_redundant=0, n_irrelevant=9, random_state=2)
    >>> boruta = Boruta(ranker="RankSVM(C=0.01)").fit(data)
    >>> boruta.confirmed_.nonzero()[0].tolist() == truth.relevant.tolist()
    True
    >>> boruta.n_features_, int(boruta.rejected_.sum())
    (3, 9)
    """

    default_grid: ClassVar[DefaultGrid] = {}
    decides_number: ClassVar[bool] = True
    _none_means: ClassVar[str] = "the confirmed features"

    def __init__(
        self,
        n_features_to_select: NumberOfFeatures = None,
        *,
        ranker: Any = "RankSVM",
        importance: str | Measure | Importance | None = None,
        n_rounds: int = 30,
        query_share: float = 0.5,
        percentile: float = 100.0,
        level: float = 0.05,
        correction: str = "holm",
        random_state: int = 0,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.ranker = ranker
        self.importance = importance
        self.n_rounds = n_rounds
        self.query_share = query_share
        self.percentile = percentile
        self.level = level
        self.correction = correction
        self.random_state = random_state

    def _select(self, data: RankingData) -> Selection:
        self.check_parameters()
        ranker = as_estimator(self.ranker)
        if isinstance(ranker, Selector) and not isinstance(ranker, Ranker):
            raise ParameterError(
                f"ranker must give documents scores, but {type(ranker).__name__} is a selector. "
                "Give a ranker such as 'RankSVM' or 'LightGBMRanker'."
            )
        columns, tally = np.flatnonzero(~constant_features(data)), _Tally.of(0)
        if len(columns):
            own, places = in_content_order(data.features(columns))
            columns, tally = columns[places], self._played(own, ranker)
        self._keep(tally, columns, data.n_features)
        order = np.lexsort((-self.importance_, -self.scores_, self._group()))
        if self.n_features_to_select is None:
            self.n_features_ = max(1, int(self.confirmed_.sum()))
        return Selection(order.astype(np.int64), self.scores_)

    def check_parameters(self) -> None:
        """Raise where a parameter is not valid."""
        check_number("n_rounds", self.n_rounds, least=1, integer=True)
        for name, largest in (("query_share", 1.0), ("percentile", 100.0), ("level", 1.0)):
            value = getattr(self, name)
            check_number(name, value, above=0)
            if value > largest:
                raise ParameterError(f"{name} must be at most {largest:g}, but is {value!r}")
        check_choice("correction", self.correction, ("holm", "bonferroni"))
        check_seed(self.random_state)

    def _played(self, own: RankingData, ranker: Any) -> _Tally:
        """Return hits and decisions after all rounds that it takes."""
        tally = _Tally.of(own.n_features)
        graded = _graded_queries(own)
        if len(graded) == 0:
            return tally
        with silent():
            ranker = ranker.tuned(own) if isinstance(ranker, Ranker) else ranker
        number = max(1, int(np.ceil(self.query_share * len(graded) - 1e-9)))
        while tally.n_rounds < self.n_rounds and (tally.decision == _OPEN).any():
            report("rounds", tally.n_rounds, self.n_rounds)
            rng = np.random.default_rng([self.random_state, tally.n_rounds])
            queries = np.sort(rng.choice(graded, number, replace=False))
            left = np.flatnonzero(tally.decision != _REJECTED)
            part = own.features(left).queries(queries).gathered()
            with silent(), warnings.catch_warnings():
                # A model that learns nothing gives no hits, which says as much.
                warnings.simplefilter("ignore", ConvergenceWarning)
                numbers, shadows = self._round(part, ranker, rng)
            mark = np.percentile(shadows, self.percentile)
            tally.add(left, numbers, numbers > mark)
            tally.decide(self.level, self.correction)
        report("rounds", self.n_rounds, self.n_rounds)
        return tally

    def _round(
        self, part: RankingData, ranker: Any, rng: np.random.Generator
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the importances of the features and of their shadows, with one training."""
        p, X = part.n_features, part.X
        originals = np.arange(max(p, _LEAST_SHADOWS)) % p
        places = rng.permutation(p + len(originals))
        matrix = np.empty((part.n_documents, len(places)), dtype=X.dtype, order="F")
        matrix[:, places[:p]] = X
        for place, original in zip(places[p:], originals, strict=True):
            matrix[:, place] = X[_within_queries(part.query_ptr, rng), original]
        block = Block(matrix, part.y, part.query_ptr, part.query_ids)
        names = [f"x{index}" for index in range(len(places))]
        both = RankingData([block], names, part.scaling)
        numbers = self._importances(both, _seeded(ranker, rng))[places]
        return numbers[:p], numbers[p:]

    def _importances(self, both: RankingData, ranker: Any) -> NDArray[np.float64]:
        if self.importance is not None:
            return with_ranker(as_importance(self.importance), ranker).scores(both)
        model = fitted(ranker, both)
        numbers = sizes(model, both.n_features)
        if getattr(model, "coef_", None) is None:
            return numbers
        return numbers * mean_sizes(both.X.astype(np.float64), both.query_ptr)

    def _keep(self, tally: _Tally, columns: NDArray[np.int64], n_features: int) -> None:
        def spread(values: NDArray[Any], fill: float = 0.0) -> NDArray[Any]:
            of_all = np.full(n_features, fill, dtype=values.dtype)
            of_all[columns] = values
            return of_all

        self.hits_ = spread(tally.hits)
        self.scores_ = spread(tally.hits / np.maximum(tally.rounds, 1))
        self.importance_ = spread(tally.sums / np.maximum(tally.rounds, 1))
        self.p_values_ = spread(tally.p_values(self.correction), fill=1.0)
        self.confirmed_ = spread(tally.decision == _CONFIRMED)
        self.tentative_ = spread(tally.decision == _OPEN)
        self.rejected_ = spread(tally.decision == _REJECTED)
        self.n_rounds_ = tally.n_rounds

    def _group(self) -> NDArray[np.int64]:
        return np.where(self.confirmed_, 0, np.where(self.tentative_, 1, 2))


_OPEN, _CONFIRMED, _REJECTED = 0, 1, -1


@dataclass(eq=False)
class _Tally:
    """Hits, rounds, sums of importances and decisions of features; undecided at first."""

    hits: NDArray[np.int64]
    rounds: NDArray[np.int64]
    sums: NDArray[np.float64]
    decision: NDArray[np.int64]
    n_rounds: int = 0

    @classmethod
    def of(cls, n_features: int) -> _Tally:
        counts = np.zeros((3, n_features), dtype=np.int64)
        return cls(counts[0], counts[1], np.zeros(n_features), counts[2])

    def add(
        self, features: NDArray[np.int64], numbers: NDArray[np.float64], hit: NDArray[np.bool_]
    ) -> None:
        self.hits[features] += hit
        self.rounds[features] += 1
        self.sums[features] += numbers
        self.n_rounds += 1

    def p_values(self, correction: str) -> NDArray[np.float64]:
        """Return two-sided p-values of the hits, adjusted for the number of features."""
        low = bdtr(self.hits, self.rounds, 0.5)
        high = np.where(self.hits > 0, bdtrc(self.hits - 1.0, self.rounds, 0.5), 1.0)
        p_values = np.minimum(1.0, 2.0 * np.minimum(low, high))
        if correction == "holm":
            return holm(p_values)
        adjusted: NDArray[np.float64] = np.minimum(1.0, len(p_values) * p_values)
        return adjusted

    def decide(self, level: float, correction: str) -> None:
        """Confirm and reject what is undecided; a decision stays."""
        shown = (self.p_values(correction) <= level) & (self.decision == _OPEN)
        more = 2 * self.hits > self.rounds
        self.decision[shown] = np.where(more[shown], _CONFIRMED, _REJECTED)


def _graded_queries(data: RankingData) -> NDArray[np.int64]:
    """Return the queries that have documents with different grades."""
    starts = data.query_ptr[:-1]
    highest, lowest = np.maximum.reduceat(data.y, starts), np.minimum.reduceat(data.y, starts)
    return np.flatnonzero(highest > lowest)


def _within_queries(query_ptr: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the rows in another order inside each query."""
    queries = np.repeat(np.arange(len(query_ptr) - 1), np.diff(query_ptr))
    return np.lexsort((rng.random(len(queries)), queries))


def _seeded(ranker: Any, rng: np.random.Generator) -> Any:
    """Return a copy of the ranker with another seed, where it takes one."""
    copy = clone(ranker, safe=False)
    if hasattr(copy, "get_params") and "random_state" in copy.get_params(deep=False):
        copy.set_params(random_state=int(rng.integers(_SEEDS)))
    return copy
