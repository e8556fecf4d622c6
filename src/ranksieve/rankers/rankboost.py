"""RankBoost."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ranksieve.catalog import check_choice
from ranksieve.data import RankingData
from ranksieve.errors import DataError, ParameterError, warn_caller
from ranksieve.estimator import check_number
from ranksieve.kernels.rankers.stumps import add_steps, best_cuts
from ranksieve.measures import Measure
from ranksieve.progress import report
from ranksieve.rankers._boosting_weight import NOTHING, boosting_weight
from ranksieve.rankers._description import Description, TreesDescription, stump
from ranksieve.rankers._fitted_values import fitted_array
from ranksieve.rankers._pair_distribution import PairDistribution
from ranksieve.rankers._stopping import StoppingRanker, Watch
from ranksieve.rankers._stumps import MOST_THRESHOLDS, Binned, binned
from ranksieve.rankers.base import queries_with_pairs
from ranksieve.threads import n_threads, side_by_side

# Sums that differ by less than this share are equal: the order of rows may not decide.
_EQUAL = 1e-9
# Values up to which a round takes less time than handing it to threads.
_SMALL_ROUND = 1 << 22


class RankBoost(StoppingRanker):
    """A sum of weights of thresholds that features pass, boosted over pairs.

        H(x) = sum over rounds of  alpha_t [x_f(t) > theta_t]
        D(i over j) ~ D_1 exp(H(j) - H(i)),  pairs of grades i above j inside queries
        r = sum over pairs of  D(i over j) ([x_i > theta] - [x_j > theta])
        alpha = ln((1 + r) / (1 - r)) / 2

    Each round takes the feature and the threshold of the largest |r|: where r is negative, so is
    alpha, and small values are the better ones.

    Parameters
    ----------
    n_rounds : int
        Rounds at most, where validation queries do not stop them earlier.
    n_thresholds : int, up to 255
        Thresholds of a feature at most: half-way between neighbouring values of the training
        documents, all of them or those at quantiles.
    counted : {"pairs", "queries"}
        What counts alike in D_1: every pair, as in the paper, or every query, whose pairs then
        share its weight.
    measure : str or Measure
        What validation queries are judged by.
    validation_share : float or None
        Share of the training queries that is set aside where `fit` is given no others.
    patience : int
        Rounds after the best one on validation queries.
    random_state : int
        Chooses the queries of `validation_share`.

    Attributes
    ----------
    features_, thresholds_, alphas_ : arrays of one length
        The model by feature and rising threshold; a threshold that several rounds took has the
        sum of their weights.
    feature_importances_ : (n_features,) array
        Sum of |alpha| over the rounds that took the feature, as a share of all.
    losses_ : (n_iter_,) array
        Mean over D_1 of exp(H(j) - H(i)) after each round: it falls, and bounds the share of
        pairs that H does not order.
    objective_ : float, the last of them
    n_iter_ : int, the rounds of the model
    n_features_in_ : int

    Notes
    -----
    Ties: the first of equal features and of its equal thresholds is taken. A round in which no
    weak ranker beats chance (|r| < 1e-10) ends the training, and so does one that orders every
    pair (|r| = 1), whose weight would be infinite and is kept at 11.9. Documents on the same
    side of every used threshold have equal scores.

    No pair is built: all documents below i share its H(i), so that r is a sum of one number a
    document above the threshold. Cost: O(n log n) once for each feature; a round O(n p)
    additions on one byte a value, in threads where that pays; n p bytes of memory. A prediction
    is a binary search a used feature. Thresholds lie between values, so float32 and float64
    copies of the same data get the same scores, as far as float32 tells neighbours apart.

    Freund, Iyer, Schapire and Singer, An efficient boosting algorithm for combining preferences
    (2003): RankBoost with the third choice of alpha. Features have a value for every document
    here, so the default for unranked ones, q_def, has no use.

    Examples
    --------
    >>> from ranksieve import RankBoost
    >>> X, y, qid = [[0.0, 5.0], [1.0, 5.0], [2.0, 9.0]], [0, 1, 2], [1, 1, 1]
    >>> model = RankBoost(2).fit(X, y, qid=qid)
    >>> model.features_, model.thresholds_
    (array([0, 0]), array([0.5, 1.5]))
    >>> model.predict(X).argsort()
    array([0, 1, 2])
    """

    features_: NDArray[np.int64]
    thresholds_: NDArray[np.float64]
    alphas_: NDArray[np.float64]

    def __init__(
        self,
        n_rounds: int = 300,
        *,
        n_thresholds: int = 255,
        counted: Literal["pairs", "queries"] = "pairs",
        measure: str | Measure = "ndcg@10",
        validation_share: float | None = None,
        patience: int = 50,
        random_state: int = 0,
    ) -> None:
        self.n_rounds = n_rounds
        self.n_thresholds = n_thresholds
        self.counted = counted
        self.measure = measure
        self.validation_share = validation_share
        self.patience = patience
        self.random_state = random_state

    def _fit_rounds(self, data: RankingData, watch: Watch | None) -> None:
        self.check_parameters()
        data.check_memory()
        useful = data.queries(queries_with_pairs(data))
        table = binned(useful, self.n_thresholds)
        pairs = PairDistribution(useful, self.counted)
        scores = np.zeros(useful.n_documents)
        aside = None if watch is None else _Aside(watch)
        rounds: list[tuple[int, int, float]] = []
        losses: list[float] = []
        while len(rounds) < self.n_rounds:
            feature, cut, r = _best(table, pairs.potentials)
            if abs(r) < NOTHING:
                break
            alpha, separates = boosting_weight(r)
            rounds.append((feature, cut, alpha))
            scores[table.bins[feature] > cut] += alpha
            pairs.update(scores)
            losses.append(pairs.loss)
            report("training", len(rounds), self.n_rounds)
            over = aside is not None and aside.add(feature, table.thresholds[feature][cut], alpha)
            if over or separates:
                break
        n_kept = len(rounds) if watch is None else watch.best + 1
        self._set_model(rounds[:n_kept], table, losses[:n_kept])

    def check_parameters(self) -> None:
        """Raise where a parameter is not valid."""
        check_number("n_rounds", self.n_rounds, least=1, integer=True)
        check_number("n_thresholds", self.n_thresholds, least=1, integer=True)
        if self.n_thresholds > MOST_THRESHOLDS:
            raise ParameterError(
                f"n_thresholds must be at most {MOST_THRESHOLDS}, but is {self.n_thresholds}"
            )
        check_choice("counted", self.counted, ("pairs", "queries"))

    def _set_model(
        self, rounds: list[tuple[int, int, float]], table: Binned, losses: list[float]
    ) -> None:
        sums: dict[tuple[int, int], float] = {}
        used = np.zeros(self.n_features_in_)
        for feature, cut, alpha in rounds:
            sums[feature, cut] = sums.get((feature, cut), 0.0) + alpha
            used[feature] += abs(alpha)
        stumps = sorted(sums)
        self.features_ = np.array([feature for feature, _ in stumps], dtype=np.int64)
        self.thresholds_ = np.array([table.thresholds[feature][cut] for feature, cut in stumps])
        self.alphas_ = np.array([sums[stump] for stump in stumps])
        self.feature_importances_ = used / max(used.sum(), np.finfo(np.float64).tiny)
        self.losses_ = np.array(losses)
        self.objective_ = losses[-1] if losses else 1.0
        self.n_iter_ = len(rounds)
        if not rounds:
            warn_caller(
                "RankBoost found no threshold of a feature that orders pairs better than chance: "
                "its scores are all 0. Check that features vary inside queries."
            )

    def _set_payload(self, payload: bytes) -> None:
        super()._set_payload(payload)
        features = fitted_array("features_", self.features_, (None,))
        self.thresholds_ = fitted_array("thresholds_", self.thresholds_, features.shape)
        self.alphas_ = fitted_array("alphas_", self.alphas_, features.shape)
        inside = (features >= 0) & (features < self.n_features_in_)
        if self.features_.dtype.kind != "i" or not inside.all():
            raise DataError("its thresholds are not of its features")
        # `_scores` cuts them by feature, and searches among those of one.
        if not np.array_equal(np.lexsort((self.thresholds_, features)), np.arange(len(features))):
            raise DataError("its thresholds do not rise within features that rise")
        self.features_ = self.features_.astype(np.int64)

    def _description(self, names: tuple[str, ...]) -> Description:
        steps = zip(
            self.features_.tolist(), self.thresholds_.tolist(), self.alphas_.tolist(), strict=True
        )
        return TreesDescription(names, tuple(stump(*step[:2], 0.0, step[2]) for step in steps))

    def _scores(self, X: NDArray[Any]) -> NDArray[np.float64]:
        columns, starts = np.unique(self.features_, return_index=True)
        step_ptr = np.append(starts, len(self.features_))
        heights = [np.cumsum(np.append(0.0, self.alphas_[a:b])) for a, b in pairwise(step_ptr)]
        scores = np.zeros(len(X))
        if heights:
            add_steps(X, columns, step_ptr, self.thresholds_, np.concatenate(heights), scores)
        return scores


class _Aside:
    """Scores of the validation documents, a round at a time."""

    def __init__(self, watch: Watch) -> None:
        self._watch, self._data = watch, watch.data.gathered()
        self._scores = np.zeros(watch.data.n_documents)

    def add(self, feature: int, threshold: float, alpha: float) -> bool:
        """Add a weak ranker; tell whether there is no more to hope for."""
        self._scores[self._data.column(feature) > threshold] += alpha
        self._watch.add(self._scores)
        return self._watch.over


def _best(table: Binned, potentials: NDArray[np.float64]) -> tuple[int, int, float]:
    """Return the feature and the cut with the largest |r|, and r."""
    sums, cuts = np.empty(len(table.bins)), np.empty(len(table.bins), dtype=np.int64)

    def write(part: slice) -> None:
        best_cuts(table.bins[part], table.n_cuts[part], potentials, sums[part], cuts[part])

    if table.bins.size <= _SMALL_ROUND:
        write(slice(None))
    else:
        bounds = np.linspace(0, len(sums), min(n_threads(), len(sums)) + 1).astype(int)
        for _ in side_by_side(write, [slice(a, b) for a, b in pairwise(bounds.tolist())]):
            pass
    sizes = np.abs(sums)
    feature = int(np.argmax(sizes >= sizes.max() * (1.0 - _EQUAL)))
    return feature, int(cuts[feature]), float(sums[feature])
