"""Coordinate ascent: a measure is raised one weight at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import RankingData
from ranksieve.estimator import check_number
from ranksieve.measures import Measure
from ranksieve.progress import report
from ranksieve.rankers._ascent import EQUAL, Ascent
from ranksieve.rankers._linear import LinearRanker, linear_scores
from ranksieve.rankers._stopping import StoppingRanker, Watch


class CoordinateAscent(StoppingRanker, LinearRanker):
    """A weighted sum of features that raises a measure itself, one weight after the other.

        maximise  mean over queries of measure(ranking by w . z),   sum of |w_f| = 1
        round     for each feature f, in random order: t maximises the mean of measure(w + t e_f)
                  over the steps; where it is larger than at t = 0, w = (w + t e_f) / |w + t e_f|
        steps     0.001 (2^j - 1) for j = 1 to n_steps; if none is better these with a minus
                  sign, and t = -w_f, which drops the feature

    No loss stands in for the measure, which is a step function of the weights: only its values
    are used. z_f is the feature in units of its mean distance from its query's mean, so that
    units do not matter.

    Parameters
    ----------
    measure : str or Measure
        What is raised, and what validation queries are judged by. Documents with equal scores are
        averaged over all their orders where the measure would go by rows (ties="input").
    n_restarts : int
        Starts: the first from equal weights, each in the better direction of its feature, the
        others from random weights in these directions. The best is kept.
    n_rounds : int
        Rounds over all features at most, of all starts together.
    n_steps : int
        Steps in each direction; the largest makes the feature's weight 0.001 (2^n_steps - 1)
        times what all others have together.
    tol : float
        A start ends with a round that gains less.
    validation_share : float or None
        Share of the training queries that is set aside where `fit` is given no others.
    patience : int
        Rounds after the one that is best on validation queries until training ends.
    random_state : int
        Of the order of the features, the random starts, and the queries of `validation_share`.

    Attributes
    ----------
    coef_ : (n_features,) array, the weights in the features' own units; 0 if constant in queries
    objective_ : float, the mean of the measure over the training queries that count
    start_objective_ : float, that of the start from which the model came
    restart_objectives_ : array, what each start reached
    n_iter_ : int, the round of the model, counted over all starts
    n_features_in_ : int

    Notes
    -----
    Queries count whose measure an order of the documents can change. The mean over the
    training queries never falls; it is a local optimum of the steps where a start ends
    before n_rounds. With validation queries, the model is that of the best round on them.

    The paper has the search along one weight after the other, weights that sum to 1, and
    restarts. From RankLib, by the authors of the best-first search: the steps from 0.001 that
    double (25 of them there; beyond 14 the feature alone decides), the shuffled order, a weight
    of 0 as a candidate, weights normalised by |w|. Ours: units of the features, directions of
    the start (equal weights for all would be far off where small values are better), random
    starts, an end by the gain of a round and not since the start, and no penalty.

    The order of rows, queries and columns decides nothing: features are sorted by what they are
    worth alone before they are shuffled, equal ones by content.

    Cost: a round is p times n_steps to 2 n_steps + 1 measures of the data, O(n log m) each for n
    documents, m per query. Memory: three copies of the features, in float64.

    Metzler and Croft, Linear feature-based models for information retrieval, Information
    Retrieval 10 (2007).

    Examples
    --------
    >>> from ranksieve import CoordinateAscent
    >>> X = [[4.0, 2.0], [1.0, 3.0], [0.0, 0.0], [2.0, 4.0], [3.0, 1.0], [0.0, 0.0]]
    >>> model = CoordinateAscent("map").fit(X, [1, 0, 0, 1, 0, 0], qid=[1, 1, 1, 2, 2, 2])
    >>> model.objective_, bool((model.coef_ > 0).all())
    (1.0, True)
    """

    _start: NDArray[np.float64] | None = None

    def __init__(
        self,
        measure: str | Measure = "ndcg@10",
        *,
        n_restarts: int = 3,
        n_rounds: int = 100,
        n_steps: int = 14,
        tol: float = 1e-3,
        validation_share: float | None = None,
        patience: int = 20,
        random_state: int = 0,
    ) -> None:
        self.measure = measure
        self.n_restarts = n_restarts
        self.n_rounds = n_rounds
        self.n_steps = n_steps
        self.tol = tol
        self.validation_share = validation_share
        self.patience = patience
        self.random_state = random_state

    def start_from(self, weights: NDArray[np.float64]) -> None:
        """Begin fits at these weights, in the features' own units, in place of equal ones."""
        self._start = weights

    def quick(self, n_documents: int = 0) -> Any:
        """Return a copy with a single start."""
        return super().quick(n_documents).set_params(n_restarts=1)

    def check_parameters(self) -> None:
        """Raise where a parameter is not valid."""
        for name in ("n_restarts", "n_rounds", "n_steps"):
            check_number(name, getattr(self, name), least=1, integer=True)
        check_number("tol", self.tol, least=0)
        check_number("random_state", self.random_state, least=0, integer=True)

    def _fit_rounds(self, data: RankingData, watch: Watch | None) -> None:
        self.check_parameters()
        start = self._start
        ascent = Ascent.of(data, self.stopping_measure(), self.n_steps)
        rng = np.random.default_rng(self.random_state)
        best, n_rounds, reached = _Model(ascent.start(start), 0, -np.inf, -np.inf), 0, []
        for restart in range(self.n_restarts):
            first = ascent.start(start) if restart == 0 else ascent.random_start(rng)
            begun = value = ascent.mean(first @ ascent.Z)
            w, gain = first, np.inf
            while n_rounds < self.n_rounds and gain >= max(self.tol, EQUAL) and not _over(watch):
                before = value
                w, value = ascent.round(w, value, rng)
                gain, n_rounds = value - before, n_rounds + 1
                report("training", n_rounds, self.n_rounds)
                better = value > best.value + EQUAL
                if watch is not None:
                    better = watch.add(linear_scores(watch.data, ascent.weights(w)))
                if better:
                    best = _Model(w, n_rounds, value, begun)
            reached.append(value)
        self.coef_ = ascent.weights(best.w)
        self.objective_, self.start_objective_, self.n_iter_ = best.value, best.begun, best.round
        self.restart_objectives_ = np.array(reached)


@dataclass(frozen=True, eq=False)
class _Model:
    w: NDArray[np.float64]
    round: int
    value: float
    begun: float


def _over(watch: Watch | None) -> bool:
    return watch is not None and watch.best >= 0 and watch.over
