"""Variants of the sieve's search, and the trainings that they share.

In every variant the set of a fold is chosen by what the other folds say: no query takes part in
choosing a set that it judges.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from ranksieve import NDCG, LightGBMRanker, RankingData, SparseRankSVM
from ranksieve.measures import counting_queries
from ranksieve.sieve.costs import Costs
from ranksieve.sieve.decide.choice import N_RESAMPLES, choose, choose_typical
from ranksieve.sieve.margin import Margin
from ranksieve.sieve.search.crossfit import CrossFit
from ranksieve.sieve.search.elimination import (
    MEMORY,
    Judge,
    Rung,
    Task,
    Verdict,
    eliminate,
    elimination_order,
    judged,
)
from ranksieve.sieve.search.folds import Folds
from ranksieve.sieve.search.guide import Guide, Orderer, fsmrank_order, guide_for
from ranksieve.sieve.search.ladder import ladder
from ranksieve.similarity import TauBSimilarity

Mask = NDArray[np.bool_]
Order = NDArray[np.int64]
Result = TypeVar("Result")

MEASURE = NDCG(10, no_relevant="skip", ties="average")
MARGIN = Margin(0.01)
RANKER = LightGBMRanker(300, 0.05, num_leaves=31, n_jobs=1)
# Two features are near-twins from this size of Kendall's tau-b on.
TWINS = 0.9
# Where the small ends begin that train again: the sets that they make, and what forward steps add.
RETRAINED_FROM = 6
FORWARD_TO, FORWARD_AMONG = 5, 10


def gain_order(data: RankingData, random_state: int) -> Order:
    """Features by what their splits gain in one LightGBM; of equal ones the first."""
    gains = RANKER.quick().fit(data).feature_importances_
    return np.argsort(-np.asarray(gains), kind="stable")


def l1_order(data: RankingData, random_state: int) -> Order:
    """The order of a linear ranker with an l1 penalty, with a coarse choice of its strength."""
    selector = SparseRankSVM("l1", n_folds=3, n_strengths=6, random_state=random_state)
    order: Order = selector.fit(data).order_
    return order


ORDERS: dict[str, Orderer] = {"FSMRank": fsmrank_order, "gain": gain_order, "l1": l1_order}


def usual_ladder(n_features: int) -> list[float]:
    return ladder(Costs.alike(n_features))


def first_ladder(n_features: int) -> list[float]:
    """All features, four fifths, then a factor of 1.4 apart, and every number up to five.

    >>> first_ladder(46)
    [46.0, 36.0, 27.0, 19.0, 14.0, 10.0, 7.0, 5.0, 4.0, 3.0, 2.0, 1.0]
    """
    counts = set(range(1, min(5, n_features) + 1)) | {n_features}
    count = 5 * 1.4
    while count <= 0.8 * n_features:
        counts.add(round(count))
        count *= 1.4
    if n_features > 5:
        counts.add(max(5, int(0.8 * n_features)))
    return [float(count) for count in sorted(counts, reverse=True)]


def halving_ladder(n_features: int) -> list[float]:
    """
    >>> halving_ladder(46)
    [46.0, 23.0, 11.0, 5.0, 2.0, 1.0]
    """
    counts = [n_features]
    while counts[-1] > 1:
        counts.append(counts[-1] // 2)
    return [float(count) for count in counts]


@dataclass(frozen=True, eq=False)
class Panel:
    """The folds as judges of candidates that are trained again."""

    judge: Judge
    folds: Folds
    counting: Mask
    costs: Costs

    def best(self, candidates: Sequence[Mask], fold: int | None) -> Mask:
        """The candidate that does best on all folds, or on those that share no query with one."""
        voters = range(self.folds.n_folds) if fold is None else self.folds.others(fold)
        tasks = [
            Task(int(voter), candidate, permuted=False)
            for candidate in candidates
            for voter in voters
        ]
        sums = [
            verdict.values[self.counting[self.folds.members(task.fold)]].sum()
            for task, verdict in zip(tasks, self.judge(tasks), strict=True)
        ]
        totals = np.reshape(sums, (len(candidates), -1)).sum(axis=1)
        return candidates[int(np.argmax(totals))]

    def stepped(self, sets: Sequence[Mask], choices: Sequence[Sequence[Mask]]) -> list[Mask]:
        """The best next set of each fold, and of all queries, whose set is the last one."""
        last = len(sets) - 1
        return [
            self.best(candidates, None if position == last else position)
            for position, candidates in enumerate(choices)
        ]

    def rung(self, sets: Sequence[Mask]) -> Rung:
        return judged(self.judge, sets[:-1], sets[-1], self.folds, self.costs, permuted=False)


class Choose(Protocol):
    """Chooses a set by its position."""

    def __call__(
        self,
        values: NDArray[np.float64],
        costs: Sequence[float],
        *,
        amount: float,
        random_state: int,
    ) -> int: ...


def choose_cheapest(
    values: NDArray[np.float64], costs: Sequence[float], *, amount: float, random_state: int
) -> int:
    """The cheapest set within half the margin of the best."""
    return choose(values.mean(axis=1).tolist(), costs, amount=amount)


def choose_median(
    values: NDArray[np.float64], costs: Sequence[float], *, amount: float, random_state: int
) -> int:
    """The set that resampled queries choose in the middle."""
    n_queries = values.shape[1]
    rng = np.random.default_rng([random_state, 5])
    weights = rng.multinomial(n_queries, np.full(n_queries, 1 / n_queries), size=N_RESAMPLES)
    positions = sorted(
        choose(means, costs, amount=amount) for means in weights @ values.T / n_queries
    )
    return positions[(len(positions) - 1) // 2]


class SmallEnd(Protocol):
    """Makes the smallest sets, where the elimination stops before them."""

    def elimination_targets(self, targets: Sequence[float]) -> list[float]: ...

    def extended(self, rungs: Sequence[Rung], panel: Panel) -> list[Rung]: ...


@dataclass(frozen=True)
class BackwardEnd:
    """From six features down: the feature goes without which the other folds, trained, do best."""

    largest: int = RETRAINED_FROM

    def elimination_targets(self, targets: Sequence[float]) -> list[float]:
        return [*(target for target in targets if target > self.largest), float(self.largest)]

    def extended(self, rungs: Sequence[Rung], panel: Panel) -> list[Rung]:
        extended = list(rungs)
        sets = _sets(rungs[-1])
        while sets[-1].sum() > 1:
            sets = panel.stepped(sets, [_flipped(each, np.flatnonzero(each)) for each in sets])
            extended.append(panel.rung(sets))
        return extended


@dataclass(frozen=True)
class ForwardEnd:
    """Sets of one to five: each time the feature joins with which the other folds do best.

    The candidates are the ten features that the elimination left.
    """

    largest: int = FORWARD_TO
    among: int = FORWARD_AMONG

    def elimination_targets(self, targets: Sequence[float]) -> list[float]:
        return [target for target in targets if target > self.largest]

    def extended(self, rungs: Sequence[Rung], panel: Panel) -> list[Rung]:
        pools = _sets(next(rung for rung in rungs if rung.n_features <= self.among))
        sets = [np.zeros_like(pool) for pool in pools]
        built: list[Rung] = []
        for _ in range(self.largest):
            choices = [
                _flipped(each, np.flatnonzero(pool & ~each))
                for each, pool in zip(sets, pools, strict=True)
            ]
            sets = panel.stepped(sets, choices)
            built.append(panel.rung(sets))
        return [*rungs, *reversed(built)]


def _sets(rung: Rung) -> list[Mask]:
    """The sets of the folds, and last that of all queries."""
    return [*rung.fold_selected, rung.selected]


def _flipped(selected: Mask, features: NDArray[np.int64]) -> list[Mask]:
    """The set with each of some features taken out, or put in."""
    candidates = []
    for feature in features:
        changed = selected.copy()
        changed[feature] = not changed[feature]
        candidates.append(changed)
    return candidates


@dataclass(frozen=True)
class Variant:
    """What differs from the search that deals queries once.

    Attributes
    ----------
    name, description : str
    n_folds, n_repeats : into how many folds queries are dealt, and how often
    memory : as in `eliminate`
    guide : name of the order that features go by too, or None
    weight : by how much they do, or None for what `Guide.weights` says
    ladder : from the number of features to those of the rungs
    drops_twins : whether of near-twins the lesser ones go before anything else
    small_end : makes the smallest sets in place of the elimination
    choose : chooses the set to take
    """

    name: str
    description: str
    n_folds: int = 5
    n_repeats: int = 1
    memory: float = MEMORY
    guide: str | None = "FSMRank"
    weight: float | None = 0.4
    ladder: Callable[[int], list[float]] = first_ladder
    drops_twins: bool = False
    small_end: SmallEnd | None = None
    choose: Choose = choose_median


BASE, PRESENT = "+ guide", "present: + mean choice"
_ALL = (
    Variant(
        "prototype",
        "no memory, no guide, queries dealt once, the smallest set near the best",
        memory=0.0,
        guide=None,
        choose=choose_cheapest,
    ),
    Variant("+ typical choice", "the median choice of resampled queries", memory=0.0, guide=None),
    Variant("+ memory", "what features were worth in larger sets counts by half", guide=None),
    Variant(BASE, "FSMRank's order counts too, by 0.4"),
    Variant("+ dealt twice", "queries are dealt into folds twice", n_repeats=2),
    Variant(
        "+ single steps",
        "from eight features down one goes at a time; larger steps at the other end",
        n_repeats=2,
        ladder=usual_ladder,
    ),
    Variant(
        "+ doubt",
        "FSMRank's order counts by 0.2 to 0.8, the more the less clear it is what a feature is "
        "worth, and its numbers count by half",
        n_repeats=2,
        weight=None,
        ladder=usual_ladder,
    ),
    Variant(
        PRESENT,
        "the mean position of what resampled queries choose: what the sieve does, but for a third "
        "dealing of fewer than 150 queries",
        n_repeats=2,
        weight=None,
        ladder=usual_ladder,
        choose=choose_typical,
    ),
    Variant("ten folds", "K = 10", n_folds=10),
    Variant("halving", "each rung has half the features of the one above", ladder=halving_ladder),
    Variant(
        "twins first",
        f"of features with a tau-b of {TWINS} or more the lesser by FSMRank go first",
        drops_twins=True,
    ),
    Variant("guide: gain", "one LightGBM's gain in place of FSMRank", guide="gain"),
    Variant("guide: l1", "SparseRankSVM's order in place of FSMRank", guide="l1"),
    Variant(
        "retrained end",
        f"from {RETRAINED_FROM} features down, the feature goes without which the other folds do "
        "best when trained again",
        small_end=BackwardEnd(),
    ),
    Variant(
        "forward end",
        f"sets of 1 to {FORWARD_TO} by adding, of the {FORWARD_AMONG} that are left, the feature "
        "with which the other folds do best",
        small_end=ForwardEnd(),
    ),
)
VARIANTS = {variant.name: variant for variant in _ALL}


@dataclass(eq=False)
class Bill:
    """What a run needs, also where an earlier one has trained it already."""

    seconds_of: dict[Hashable, float] = field(default_factory=dict)

    @property
    def seconds(self) -> float:
        return sum(self.seconds_of.values())

    @property
    def n_trainings(self) -> int:
        return sum(isinstance(key, tuple) and key[0] == "training" for key in self.seconds_of)


class Shared:
    """Results by key, with the CPU seconds that they took; each run is billed for what it uses."""

    def __init__(self) -> None:
        self._results: dict[Hashable, tuple[Any, float]] = {}

    def of(self, key: Hashable, call: Callable[[], Result], bill: Bill) -> Result:
        if key not in self._results:
            started = time.process_time()
            result = call()
            self._results[key] = result, time.process_time() - started
        result, seconds = self._results[key]
        bill.seconds_of[key] = seconds
        return result


@dataclass(frozen=True, eq=False)
class SharedJudge:
    """A judge whose verdicts are shared between runs."""

    judge: Judge
    n_folds: int
    shared: Shared
    bill: Bill

    def __call__(self, tasks: Iterable[Task]) -> Iterator[Verdict]:
        for task in tasks:
            key = ("training", self.n_folds, task.fold, task.selected.tobytes(), task.permuted)
            yield self.shared.of(key, partial(self._verdict, task), self.bill)

    def _verdict(self, task: Task) -> Verdict:
        return next(iter(self.judge([task])))


@dataclass(frozen=True, eq=False)
class SteadyGuide(Guide):
    """A guide whose order has the same share for every feature, and counts in full.

    Attributes
    ----------
    share : float
    """

    share: float

    def blended(
        self,
        worth: NDArray[np.float64],
        noise: NDArray[np.float64],
        selected: Mask,
        fold: int | None = None,
    ) -> NDArray[np.float64]:
        rank = self.full_rank if fold is None else self.fold_ranks[fold]
        features = np.flatnonzero(selected)
        in_order = features[np.argsort(rank[features], kind="stable")]
        blended = worth.copy()
        blended[in_order] *= 1 - self.share
        blended[in_order] += self.share * np.sort(worth[features])[::-1]
        return blended


@dataclass(frozen=True, eq=False)
class TwinGuide(SteadyGuide):
    """A guide by which lesser twins are worth less than anything else.

    Attributes
    ----------
    full_twins : (n_features,) mask of the features that have a better twin, by all queries
    fold_twins : (n_folds, n_features) masks, the same by all queries but those of a fold
    """

    full_twins: Mask
    fold_twins: NDArray[np.bool_]

    def blended(
        self,
        worth: NDArray[np.float64],
        noise: NDArray[np.float64],
        selected: Mask,
        fold: int | None = None,
    ) -> NDArray[np.float64]:
        blended = super().blended(worth, noise, selected, fold)
        twins = self.full_twins if fold is None else self.fold_twins[fold]
        blended[twins] -= np.ptp(blended) + 1.0
        return blended


def lesser_twins(similarity: NDArray[np.float64], rank: NDArray[np.int64]) -> Mask:
    """Which features are as good as equal to one that comes earlier, and that stays.

    >>> similarity = np.array([[1.0, 0.95, 0.0], [0.95, 1.0, 0.92], [0.0, 0.92, 1.0]])
    >>> lesser_twins(similarity, np.array([0, 1, 2]))
    array([False,  True, False])
    """
    dropped = np.zeros(len(rank), dtype=bool)
    stay: list[int] = []
    for feature in np.argsort(rank, kind="stable"):
        dropped[feature] = bool((np.abs(similarity[feature, stay]) >= TWINS).any())
        if not dropped[feature]:
            stay.append(int(feature))
    return dropped


@dataclass(frozen=True, eq=False)
class Bench:
    """Data that is searched with one seed, and what variants have trained on it.

    Attributes
    ----------
    data : documents in an order of their own, see `ranksieve.data.canonical`
    random_state : int
    judge_of : from folds to what trains and judges; other than `CrossFit` in tests
    """

    data: RankingData
    random_state: int
    judge_of: Callable[[Folds], Judge] | None = None
    shared: Shared = field(default_factory=Shared)

    @property
    def counting(self) -> Mask:
        return counting_queries(self.data, MEASURE)

    def judge(self, folds: Folds, bill: Bill) -> SharedJudge:
        judge = self._cross_fit(folds) if self.judge_of is None else self.judge_of(folds)
        return SharedJudge(judge, folds.per_repeat, self.shared, bill)

    def _cross_fit(self, folds: Folds) -> CrossFit:
        return CrossFit(self.data, folds, RANKER.quick(), MEASURE, self.random_state)

    def guide(self, variant: Variant, folds: Folds, start: Mask, bill: Bill) -> Guide | None:
        if variant.guide is None:
            return None
        name, order_of = variant.guide, ORDERS[variant.guide]

        def shared_order(data: RankingData, random_state: int) -> Order:
            key = ("order", name, data.fingerprint)
            return self.shared.of(key, lambda: order_of(data, random_state), bill)

        guide = guide_for(self.data, folds, start, self.random_state, shared_order)
        if variant.weight is None:
            return guide
        steady = SteadyGuide(guide.full_rank, guide.fold_ranks, variant.weight)
        return self._with_twins(steady, folds, bill) if variant.drops_twins else steady

    def _with_twins(self, guide: SteadyGuide, folds: Folds, bill: Bill) -> TwinGuide:
        def twins(rank: NDArray[np.int64], queries: Mask) -> Mask:
            part = self.data.queries(queries).gathered()
            key = ("similarity", part.fingerprint)
            similarity = self.shared.of(key, lambda: TauBSimilarity().matrix(part), bill)
            return lesser_twins(similarity, rank)

        everything = np.ones(self.data.n_queries, dtype=bool)
        fold_twins = [
            twins(rank, ~folds.members(fold)) for fold, rank in enumerate(guide.fold_ranks)
        ]
        full_twins = twins(guide.full_rank, everything)
        return TwinGuide(
            guide.full_rank, guide.fold_ranks, guide.share, full_twins, np.array(fold_twins)
        )


@dataclass(frozen=True, eq=False)
class Outcome:
    """The rungs of a variant, the position of its choice, and what it cost."""

    rungs: list[Rung]
    choice: int
    bill: Bill

    def features(self, number: int) -> Mask:
        """The set of some number: that of a rung, else the first of the order."""
        for rung in self.rungs:
            if rung.n_features == number:
                return rung.selected
        selected = np.zeros_like(self.rungs[0].selected)
        selected[elimination_order(self.rungs)[:number]] = True
        return selected


def searched(variant: Variant, bench: Bench) -> Outcome:
    """Search with a variant."""
    bill = Bill()
    data = bench.data
    folds = Folds.dealt(data.n_queries, variant.n_folds, variant.n_repeats, bench.random_state)
    start: Mask = np.ptp(data.X, axis=0) > 0
    guide = bench.guide(variant, folds, start, bill)
    targets = _targets(variant, guide, start)
    panel = Panel(bench.judge(folds, bill), folds, bench.counting, Costs.alike(data.n_features))
    if variant.small_end is not None:
        targets = variant.small_end.elimination_targets(targets)
    rungs = eliminate(
        panel.judge, folds, panel.counting, start, panel.costs, targets, guide, variant.memory
    ).rungs
    if variant.small_end is not None:
        rungs = variant.small_end.extended(rungs, panel)
    return Outcome(rungs, _choice(variant, rungs, bench), bill)


def _targets(variant: Variant, guide: Guide | None, start: Mask) -> list[float]:
    n_features = int(start.sum())
    if not isinstance(guide, TwinGuide):
        return variant.ladder(n_features)
    without_twins = variant.ladder(int((start & ~guide.full_twins).sum()))
    return list(dict.fromkeys([float(n_features), *without_twins]))


def _choice(variant: Variant, rungs: Sequence[Rung], bench: Bench) -> int:
    values = np.array([rung.values[bench.counting] for rung in rungs])
    prices = [rung.price for rung in rungs]
    amount = MARGIN.amount(float(values[0].mean()))
    return variant.choose(values, prices, amount=amount, random_state=bench.random_state)
