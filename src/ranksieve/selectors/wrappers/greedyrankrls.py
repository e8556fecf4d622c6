"""GreedyRankRLS: forward selection by least squares over pairs, each query left out in turn."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ranksieve.catalog import check_choice
from ranksieve.choices import FeatureSets
from ranksieve.data import RankingData
from ranksieve.errors import ParameterError
from ranksieve.estimator import DefaultGrid, check_number, decades
from ranksieve.losses import WEIGHTINGS
from ranksieve.rankers import LinearRanker
from ranksieve.selectors.base import (
    NumberOfFeatures,
    Selection,
    Selector,
    by_score,
    constant_features,
)
from ranksieve.selectors.wrappers._centred_rows import CentredRows
from ranksieve.selectors.wrappers._greedy_rls import GreedySteps

_CRITERIA = ("leave-query-out", "training")


class GreedyRankRLS(Selector, LinearRanker):
    """The feature that helps queries that are left out most, then the next, and the ranker.

    The model on features S is RankRLS, least squares over pairs of documents of a query:

        minimise  mean over queries of
                  mean over its pairs i, j of ((y_i - y_j) - (w . x_i - w . x_j))^2
                  + strength * sum of w_f^2 over f in S

    From none on, each step adds the feature with the least leave-query-out error: the same mean
    of squares, of each query by the model that is fitted to all other queries.

    Parameters
    ----------
    strength : float
        Weight of the squared weights. The rest is a mean, so that it means the same on more data.
    n_features_to_select : int, float, "validation", Validation or None
        A number, a share between 0 and 1, chosen on validation queries, or None for as many as
        lower the error: up to the first step that does not, one feature at least.
    criterion : {"leave-query-out", "training"}
        "training" adds the feature with the least value of the problem above, with all queries:
        a third of the time and half of the memory. It is taken too where one query alone counts.
    weighting : {"queries", "pairs"}
        With "pairs" the mean is over the pairs of all queries, so that queries with many pairs
        count more.
    standardise : bool
        Whether features are divided by the root of their mean squared difference over pairs, so
        that their units do not matter; `coef_` is for the features as given, either way.

    Attributes
    ----------
    coef_ : (n_features,) array, the weights of the selected features; 0 elsewhere
    order_ : selected features in the order of their coming, then the others by the error that
        each would lead to as the next one; constant features last
    scores_ : (n_features,) array
        n_features for the first that came, one less for the next, and so on. For the others minus
        that error as a share of the error without features.
    errors_ : array, the error without features and after each step

    Notes
    -----
    All pairs of a query count, those of equal grades too: their scores shall be equal. A query
    whose documents have one grade does not count, as with the other rankers here; the definition
    would let it pull scores together. Models for queries that are left out keep `strength` and
    the weights of the other pairs. Of features whose errors differ by rounding alone, the lowest
    index comes first.

    Cost: O(n p k) for k steps with n documents and p features, and no pairs, as pairs inside a
    query are a centring of its documents. Memory: two matrices of 8 n p bytes beside the data,
    which needs all features in memory. The paper has the same order of time; its text was not at
    hand, and the updates are ours: see `_greedy_rls.GreedySteps`. Standardised features,
    the two weightings and criterion="training" are ours too.

    Pahikkala, Airola, Naula and Salakoski, Greedy RankRLS: a linear time algorithm for learning
    sparse ranking models, SIGIR 2010 workshop on feature generation and selection for information
    retrieval.

    Examples
    --------
    >>> from ranksieve import GreedyRankRLS, make_ranking
    >>> data, truth = make_ranking(100, n_relevant=3, n_redundant=0, n_irrelevant=6)
    >>> greedy = GreedyRankRLS(n_features_to_select=3).fit(data)
    >>> greedy.get_support(indices=True).tolist() == truth.relevant.tolist()
    True
    >>> len(greedy.errors_), bool((np.diff(greedy.errors_) < 0).all())
    (4, True)
    """

    _none_means: ClassVar[str] = "as many as lower the error"
    _needs_pairs: ClassVar[bool] = False

    default_grid: ClassVar[DefaultGrid] = {"strength": decades(-3, 1)}

    def __init__(
        self,
        strength: float = 0.01,
        *,
        n_features_to_select: NumberOfFeatures = None,
        criterion: str = "leave-query-out",
        weighting: str = "queries",
        standardise: bool = True,
    ) -> None:
        self.strength = strength
        self.n_features_to_select = n_features_to_select
        self.criterion = criterion
        self.weighting = weighting
        self.standardise = standardise

    def _select(self, data: RankingData) -> Selection:
        search = self._search(data)
        if self.n_features_to_select is None:
            search.while_better()
            self.n_features_ = max(len(search.steps.chosen), 1)
        else:
            search.up_to(self.n_features_)
        self.errors_ = np.array(search.steps.errors)
        self.coef_ = search.weights()
        scores = search.scores()
        return Selection(by_score(scores), scores)

    def feature_sets(self, data: RankingData) -> FeatureSets:
        """Return what would be kept for each number: one search, as long as the largest."""
        search = self._search(data)
        varying = ~constant_features(data)

        def of_size(number: int) -> NDArray[np.int64]:
            search.up_to(number)
            order = by_score(search.scores())
            return np.concatenate([order[varying[order]], order[~varying[order]]])[:number]

        return FeatureSets(int(varying.sum()), of_size)

    def _search(self, data: RankingData) -> _Search:
        self.check_parameters()
        rows = CentredRows.of(data, weighting=self.weighting, standardise=self.standardise)
        return _Search(rows, data.n_features, self.strength, self.criterion)

    def check_parameters(self) -> None:
        """Raise where a parameter is not valid."""
        check_number("strength", self.strength, above=0)
        check_choice("criterion", self.criterion, _CRITERIA)
        check_choice("weighting", self.weighting, WEIGHTINGS)
        if not isinstance(self.standardise, bool | np.bool_):
            raise ParameterError(f"standardise must be True or False, but is {self.standardise!r}")


class _Search:
    """Steps on the documents of data, as many as are asked for; none where there are no pairs."""

    def __init__(
        self, rows: CentredRows | None, n_features: int, strength: float, criterion: str
    ) -> None:
        self._rows, self._n_features, self._root = rows, n_features, float(np.sqrt(strength))
        if rows is None:
            empty, no_queries = np.empty((0, n_features)), np.zeros(1, dtype=np.int64)
            self.steps = GreedySteps(empty, np.empty(0), no_queries, leave_out=False)
            return
        V = rows.matrix()
        V /= self._root
        leave_out = criterion == "leave-query-out" and len(rows.query_ptr) > 2
        self.steps = GreedySteps(V, rows.grades(), rows.query_ptr, leave_out=leave_out)

    def up_to(self, number: int) -> None:
        """Take features in until there are `number`, or none is left."""
        while len(self.steps.chosen) < number and self.steps.best is not None:
            self._add(self.steps.best)

    def while_better(self) -> None:
        """Take features in as long as the error falls; the first in any case."""
        self.up_to(1)
        while self.steps.improves and self.steps.best is not None:
            self._add(self.steps.best)

    def weights(self) -> NDArray[np.float64]:
        """Return the weights of the features as given."""
        weights = np.zeros(self._n_features)
        if self._rows is None:
            return weights
        for feature in self.steps.chosen:
            weights[feature] = self._rows.column(feature) @ self.steps.residuals
        return self._rows.weights_of_features(weights / self._root**2)

    def scores(self) -> NDArray[np.float64]:
        """Return one score per feature, from which the order follows."""
        steps = self.steps
        without = steps.errors[0] or 1.0
        next_errors = np.where(np.isfinite(steps.candidates), steps.candidates, steps.errors[-1])
        scores: NDArray[np.float64] = -next_errors / without
        scores[steps.chosen] = self._n_features - np.arange(len(steps.chosen))
        return scores

    def _add(self, feature: int) -> None:
        if self._rows is not None:
            self.steps.add(feature, self._rows.column(feature) / self._root)
