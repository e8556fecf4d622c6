"""The committee perceptron."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import RankingData
from ranksieve.estimator import DefaultGrid, check_number
from ranksieve.kernels.pairs.sums import add_pair_spreads, grade_levels, order_by_level
from ranksieve.kernels.rankers.perceptron import orders_all_pairs, perceptron_steps
from ranksieve.measures import Measure
from ranksieve.passes.units import feature_units
from ranksieve.progress import report
from ranksieve.rankers._committee import Committee
from ranksieve.rankers._linear import LinearRanker, linear_scores
from ranksieve.rankers._row_order import in_own_order, with_queries_by_id
from ranksieve.rankers._stopping import StoppingRanker, Watch
from ranksieve.rankers.base import queries_with_pairs

_LEAST_SPREAD, _LARGEST = 1e-150, 1e290


class CommitteePerceptron(StoppingRanker, LinearRanker):
    """The average of the perceptrons that ranked best on the way, weighted by how well.

        at a pair i above j with w . x_i <= w . x_j:   w gains x_i - x_j
        coef_ = sum of measure(w_m) w_m / |w_m|  over the committee, / sum of measure(w_m)

    The committee has the `n_members` hypotheses of the largest measure among those that were
    judged: on the validation queries where there are any, or else on the training queries.

    Parameters
    ----------
    n_members : int
        Hypotheses in the committee. 1: the best one; as many as are judged: all of them.
    n_epochs : int
        How often every query is visited at most.
    n_judged : int
        Hypotheses that are judged in an epoch, after equal shares of the queries.
    measure : str or Measure
        What hypotheses, and epochs on validation queries, are judged by.
    validation_share : float or None
        Share of the training queries that is set aside where `fit` is given no others.
    patience : int
        Epochs after the best one on validation queries.
    random_state : int
        Draws pairs and the order of queries, and chooses the queries of `validation_share`.

    Attributes
    ----------
    coef_ : (n_features,) array, the weights
    member_values_ : array, the measure of each member of the last committee, falling
    mistakes_ : (epochs,) array, the share of drawn pairs that were not ordered in each epoch
    converged_ : bool
        Whether an epoch made no mistake and then every pair was in order, which ends the training.
    n_iter_ : int, the epochs of the model
    n_features_in_ : int

    Notes
    -----
    Of the paper: perceptron updates pair by pair, a committee of limited size that is filled by
    a measure of rankings, and a final average by that measure. Ours, where the paper does
    otherwise or we are not certain of it:

    * Queries are visited in an order that follows their ids, and documents in one that follows
      their features, so that neither depends on rows. The order of columns does matter.
    * Pairs are drawn, never listed: in each visit of a query, every document meets one document
      of another grade, at random. A query of m documents costs O(m p), whatever the grades.
    * Hypotheses are judged at fixed points, `n_judged` times per epoch, not at every mistake:
      a judgement reads all documents.
    * Each feature is measured in units of its root mean square difference over pairs. The
      ranking then does not depend on the features' units; `coef_` is for the features as given.
    * Members are brought to length 1 in these units before the average: a perceptron grows with
      its mistakes, and would outvote the earlier ones.

    Equal scores are a mistake. In data that can be ordered without mistakes, the number of
    mistakes is finite (the perceptron's theorem).
    Cost: an epoch O(n p), and as much again for each judged hypothesis, with a sort of every
    query. Memory: a row-major copy of the features.

    Elsas, Carvalho and Carbonell, Fast learning of document ranking functions with the committee
    perceptron (2008).

    Examples
    --------
    >>> from ranksieve import CommitteePerceptron
    >>> X, y, qid = [[0.0], [1.0], [4.0], [2.0]], [0, 1, 1, 0], [1, 1, 2, 2]
    >>> model = CommitteePerceptron().fit(X, y, qid=qid)
    >>> model.converged_, model.mistakes_
    (True, array([0.25, 0.  ]))
    >>> model.predict(X).argsort()
    array([0, 1, 3, 2])
    """

    rounds_parameter: ClassVar[str] = "n_epochs"

    columns_break_ties: ClassVar[bool] = True
    default_grid: ClassVar[DefaultGrid] = {"n_members": (1, 5, 20, 50)}

    def __init__(
        self,
        n_members: int = 20,
        *,
        n_epochs: int = 50,
        n_judged: int = 10,
        measure: str | Measure = "map",
        validation_share: float | None = None,
        patience: int = 20,
        random_state: int = 0,
    ) -> None:
        self.n_members = n_members
        self.n_epochs = n_epochs
        self.n_judged = n_judged
        self.measure = measure
        self.validation_share = validation_share
        self.patience = patience
        self.random_state = random_state

    def _fit_rounds(self, data: RankingData, watch: Watch | None) -> None:
        for name in ("n_members", "n_epochs", "n_judged"):
            check_number(name, getattr(self, name), least=1, integer=True)
        judge = _Judge(data if watch is None else watch.data, self.stopping_measure())
        learner = _Learner(data, self.random_state)
        committee = Committee(self.n_members)
        mistakes: list[float] = []
        coef = np.zeros(data.n_features)
        self.converged_ = False
        while len(mistakes) < self.n_epochs and not self.converged_:
            mistakes.append(self._epoch(learner, judge, committee))
            self.converged_ = mistakes[-1] == 0.0 and learner.is_done
            report("training", len(mistakes), self.n_epochs)
            average = committee.average() if len(committee) else coef
            if watch is None or watch.add(linear_scores(watch.data, average)):
                coef = average
            if watch is not None and watch.over:
                break
        self.coef_ = coef
        self.member_values_ = np.array(committee.values)
        self.mistakes_ = np.array(mistakes)
        self.n_iter_ = len(mistakes) if watch is None else watch.best + 1

    def _epoch(self, learner: _Learner, judge: _Judge, committee: Committee) -> float:
        """Visit every query once, and offer what was learnt on the way; return the mistakes."""
        mistakes = 0
        for visits in learner.epoch(self.n_judged):
            n_new = learner.learn(visits)
            mistakes += n_new
            if n_new and learner.length > 0.0:
                hypothesis = learner.hypothesis
                committee.offer(judge(hypothesis), hypothesis)
        return mistakes / learner.n_drawn


class _Learner:
    """A perceptron on the pairs of some data."""

    def __init__(self, data: RankingData, random_state: int) -> None:
        ordered = in_own_order(with_queries_by_id(data))
        self._units = feature_units(data)
        # Units are powers of two, and 1 in float32: nothing is rounded.
        scaled = ordered.X * self._units.astype(ordered.dtype)
        self._rows = np.ascontiguousarray(scaled)
        self._query_ptr, n = ordered.query_ptr, ordered.n_documents
        self._levels, self._order = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int32)
        n_pairs = grade_levels(ordered.y, self._query_ptr, self._levels)
        order_by_level(self._levels, self._query_ptr, self._order)
        spreads = np.zeros(ordered.n_features)
        every_pair = np.ones(ordered.n_queries)
        add_pair_spreads(scaled, 0, self._levels, self._query_ptr, every_pair, spreads)
        # Weights of features that hardly differ would overflow: they get none.
        varies = np.sqrt(spreads) > np.maximum(_LEAST_SPREAD, self._units / _LARGEST)
        self._rates = np.divide(n_pairs, spreads, out=np.zeros(len(spreads)), where=varies)
        self._useful = np.flatnonzero(queries_with_pairs(ordered))
        self.n_drawn = int(np.diff(self._query_ptr)[self._useful].sum())
        self._random = np.random.default_rng(random_state)
        self._draws = np.empty(n)
        self._w = np.zeros(ordered.n_features)

    def epoch(self, n_parts: int) -> list[NDArray[np.int64]]:
        """Return the queries in a new order and in parts, with new draws for their documents."""
        visits = self._random.permutation(self._useful)
        self._random.random(out=self._draws)
        return np.array_split(visits, min(n_parts, len(visits)))

    def learn(self, visits: NDArray[np.int64]) -> int:
        """Visit queries; return the mistakes that were made, and mended."""
        return int(
            perceptron_steps(
                self._rows,
                self._levels,
                self._order,
                self._query_ptr,
                visits,
                self._draws,
                self._rates,
                self._w,
            )
        )

    @property
    def is_done(self) -> bool:
        """Whether all pairs are in order, not only those that were drawn."""
        return bool(
            orders_all_pairs(self._rows, self._levels, self._order, self._query_ptr, self._w)
        )

    @property
    def length(self) -> float:
        """Length of the weights in units of the features' spreads."""
        used = self._rates > 0.0
        return float(np.sqrt((self._w[used] ** 2 / self._rates[used]).sum()))

    @property
    def hypothesis(self) -> NDArray[np.float64]:
        """The weights for features as given, at length 1."""
        return self._w / self.length * self._units


class _Judge:
    """The mean measure of linear hypotheses on some queries."""

    def __init__(self, data: RankingData, measure: Measure) -> None:
        measure.check_grades(data.y)
        self._data, self._measure = data, measure

    def __call__(self, w: NDArray[np.float64]) -> float:
        data = self._data
        values = self._measure.values(data.y, linear_scores(data, w), data.query_ptr)
        return self._measure.mean(values)
