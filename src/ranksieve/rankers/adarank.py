"""AdaRank."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import RankingData
from ranksieve.errors import DataError, ParameterError, warn_caller
from ranksieve.estimator import check_number
from ranksieve.measures import Measure
from ranksieve.passes import by_column
from ranksieve.progress import report
from ranksieve.rankers._boosting_weight import NOTHING, boosting_weight
from ranksieve.rankers._linear import LinearRanker, linear_scores
from ranksieve.rankers._stopping import StoppingRanker, Watch

# Weak rankers whose weighted measures differ by less are equal: the first is taken.
_EQUAL = 1e-12


class AdaRank(StoppingRanker, LinearRanker):
    """Single features, boosted by a measure of the rankings of whole queries.

        P_1(q) = 1 / queries
        f_t = the feature with the largest  E_t = sum over q of P_t(q) E(q, ranking by x_f)
        alpha_t = ln((1 + E_t) / (1 - E_t)) / 2
        P_(t+1)(q) ~ exp(-E(q, ranking by w)),  w = sum of alpha_s over the rounds of a feature

    E(q, ranking) is any measure of a query, such as average precision or NDCG. The paper's
    alpha is the same: sum of P (1 + E) over sum of P (1 - E), as P adds up to 1.

    Parameters
    ----------
    measure : str or Measure
        E, and what validation queries are judged by. Documents with equal scores are averaged
        over all their orders where the measure would go by rows (ties="input"): a constant
        feature is then worth what a random order is.
    n_rounds : int
        Rounds at most.
    max_uses : int or None
        How often a feature may be taken at most. None: without limit, as in the paper.
    both_directions : bool
        Whether a feature may also rank by small values first, with a negative weight. The
        paper takes features as they are given.
    validation_share : float or None
        Share of the training queries that is set aside where `fit` is given no others.
    patience : int
        Rounds after the best one: on validation queries, or else on the training queries.
    random_state : int
        Chooses the queries of `validation_share`.

    Attributes
    ----------
    coef_ : (n_features,) array, the weights
    alphas_ : (n_iter_,) array, the weight of each round, negative for small values first
    features_ : (n_iter_,) array, the feature of each round
    objective_ : float, mean of E over the training queries that count
    n_iter_ : int, the rounds of the model
    n_features_in_ : int

    Notes
    -----
    What the paper leaves open:

    * *The same feature again.* exp(-E) with E between 0 and 1 moves the weights little, so one
      strong feature tends to be the best in every round, and adding it again leaves its
      ranking as it is: training stands still. Limiting a feature to one use does better on the
      validation parts of OHSUMED and MQ2008 than no limit (docs/published-rankers.md); other
      implementations set aside a feature that was the best twice in a row.
    * *The end.* The model is that of the best round on validation queries, or else on the
      training queries. A round whose E_t is 1 on all queries ends the training, and so does
      one without a feature that has E_t above 0.
    * *Queries that say nothing.* Where the best and the worst order of a query measure the same
      (one grade, or no relevant document), it has no part in P: with E = 0 whatever the
      ranking it would gain weight in every round, and shrink alpha.
    * *Units.* A weak ranker's score is the feature's value, so weights of features in different
      units do not compare. LETOR's features are scaled inside queries; for others,
      `ranksieve.data.scale` does it.

    Cost: every feature is measured once, O(n p log n) in threads; a round is one pass over
    the used features and one measure. Memory: a number for each query and feature.

    Xu and Li, AdaRank: a boosting algorithm for information retrieval (2007).

    Examples
    --------
    >>> from ranksieve import AdaRank
    >>> X = [[4.0, 2.0], [1.0, 3.0], [0.0, 0.0], [2.0, 4.0], [3.0, 1.0], [0.0, 0.0]]
    >>> model = AdaRank("map").fit(X, [1, 0, 0, 1, 0, 0], qid=[1, 1, 1, 2, 2, 2])
    >>> model.features_, model.objective_
    (array([0, 1]), 1.0)
    """

    def __init__(
        self,
        measure: str | Measure = "map",
        *,
        n_rounds: int = 100,
        max_uses: int | None = 1,
        both_directions: bool = False,
        validation_share: float | None = None,
        patience: int = 30,
        random_state: int = 0,
    ) -> None:
        self.measure = measure
        self.n_rounds = n_rounds
        self.max_uses = max_uses
        self.both_directions = both_directions
        self.validation_share = validation_share
        self.patience = patience
        self.random_state = random_state

    def _fit_rounds(self, data: RankingData, watch: Watch | None) -> None:
        self.check_parameters()
        measure = self.stopping_measure()
        measure.check_grades(data.y)
        counted = _telling(measure, data)
        weak = _weak_rankers(measure, data, counted, self.both_directions)
        judge = Watch(data, measure, self.patience) if watch is None else watch
        weights = np.full(weak.shape[1], 1.0 / weak.shape[1])
        uses = np.zeros(data.n_features, dtype=np.int64)
        w = np.zeros(data.n_features)
        rounds: list[tuple[int, float, float]] = []
        while len(rounds) < self.n_rounds:
            feature, direction, worth = self._best(weak @ weights, uses)
            if worth < NOTHING:
                break
            alpha, perfect = boosting_weight(worth)
            w[feature] += direction * alpha
            uses[feature] += 1
            scores = _finite_scores(data, w)
            reached = measure.values(data.y, scores, data.query_ptr)[counted]
            rounds.append((feature, direction * alpha, float(reached.mean())))
            weights = np.exp(-reached)
            weights /= weights.sum()
            report("training", len(rounds), self.n_rounds)
            judge.add(scores if watch is None else linear_scores(watch.data, w))
            if judge.over or perfect:
                break
        self._set_model(rounds[: judge.best + 1])

    def check_parameters(self) -> None:
        """Raise where a parameter is not valid."""
        check_number("n_rounds", self.n_rounds, least=1, integer=True)
        if self.max_uses is not None:
            check_number("max_uses", self.max_uses, least=1, integer=True)
        if not isinstance(self.both_directions, bool | np.bool_):
            raise ParameterError(
                f"both_directions must be True or False, but is {self.both_directions!r}"
            )

    def _best(
        self, worths: NDArray[np.float64], uses: NDArray[np.int64]
    ) -> tuple[int, float, float]:
        """Return the best weak ranker's feature, its direction, and its weighted measure."""
        if self.max_uses is not None:
            free = np.tile(uses < self.max_uses, len(worths) // len(uses))
            worths = np.where(free, worths, -np.inf)
        which = int(np.argmax(worths >= worths.max() - _EQUAL))
        return which % len(uses), 1.0 if which < len(uses) else -1.0, float(worths[which])

    def _set_model(self, rounds: list[tuple[int, float, float]]) -> None:
        self.features_ = np.array([feature for feature, _, _ in rounds], dtype=np.int64)
        self.alphas_ = np.array([alpha for _, alpha, _ in rounds], dtype=np.float64)
        # Round by round, as in training: the same sums, to the last bit.
        self.coef_ = np.zeros(self.n_features_in_)
        np.add.at(self.coef_, self.features_, self.alphas_)
        self.objective_ = rounds[-1][2] if rounds else 0.0
        self.n_iter_ = len(rounds)
        if not rounds:
            warn_caller(
                f"AdaRank found no feature whose {self.stopping_measure()} is above 0: its scores "
                "are all 0. Try both_directions=True."
            )


def _telling(measure: Measure, data: RankingData) -> NDArray[np.bool_]:
    """Return on which queries the measure tells the best order from the worst.

    If it tells none, those on which every order is perfect: any ranking is right then.
    """
    best = measure.values(data.y, data.y, data.query_ptr)
    worst = measure.values(data.y, -data.y, data.query_ptr)
    counted: NDArray[np.bool_] = best > worst
    if not counted.any():
        counted = worst == 1.0
    if not counted.any():
        raise DataError(
            f"{measure} is the same for every order of each of the {data.n_queries} queries, so "
            "there is nothing to learn. Check the grades, or choose another measure."
        )
    return counted


def _weak_rankers(
    measure: Measure, data: RankingData, counted: NDArray[np.bool_], both: bool
) -> NDArray[np.float64]:
    """Return the measure of each feature on the queries that count; then turned, if both."""
    y, query_ptr = data.y, data.query_ptr
    worths = np.empty((2 if both else 1, data.n_features, int(counted.sum())))

    def work(column: NDArray[Any], feature: int) -> None:
        values = column.astype(np.float64)
        worths[0, feature] = measure.values(y, values, query_ptr)[counted]
        if both:
            worths[1, feature] = measure.values(y, -values, query_ptr)[counted]

    by_column(work, data, label="features")
    return worths.reshape(-1, worths.shape[2])


def _finite_scores(data: RankingData, w: NDArray[np.float64]) -> NDArray[np.float64]:
    with np.errstate(over="ignore", invalid="ignore"):
        scores = linear_scores(data, w)
    if not np.isfinite(scores).all():
        raise DataError(
            "sums of features must be finite, but those of "
            f"{np.count_nonzero(~np.isfinite(scores))} of {len(scores)} documents are not. "
            "Scale the features first."
        )
    return scores
