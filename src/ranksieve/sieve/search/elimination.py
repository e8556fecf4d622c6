"""Cross-fitted elimination: features go by what permuting them costs on held-out queries.

Each fold has its own set. It is trained on the other folds, judged on the fold itself, and
shrunk by what the features are worth on the other folds: no query takes part in choosing the
sets that it judges. What a feature was worth in larger sets counts too, by half for each step up:
one rung alone is noisy. An order from all other folds at once steadies both (`guide`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ranksieve.progress import report
from ranksieve.sieve.costs import Costs
from ranksieve.sieve.search.folds import Folds
from ranksieve.sieve.search.guide import Guide
from ranksieve.sieve.search.interruption import ending_early
from ranksieve.sieve.search.ladder import ladder, shrink

Mask = NDArray[np.bool_]

# What counts of what a feature was worth before, beside what it is worth in the set at hand.
MEMORY = 0.5


@dataclass(frozen=True, eq=False)
class Verdict:
    """What the queries of one fold say of a set.

    Attributes
    ----------
    values : (queries of the fold,) array, the measure of each query
    losses : (queries of the fold, n_features) array
        What permuting each feature costs; NaN in queries in which nothing was permuted.
    """

    values: NDArray[np.float64]
    losses: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Task:
    """A training: the features to train on, the fold that judges, and whether it permutes."""

    fold: int
    selected: Mask
    permuted: bool = True


# Does tasks, side by side where it likes, and yields their verdicts in the order of the tasks.
Judge = Callable[[Iterable[Task]], Iterator[Verdict]]


@dataclass(frozen=True, eq=False)
class Rung:
    """A set of features, and how sets like it did on queries that did not choose them.

    Attributes
    ----------
    selected : (n_features,) mask, the set that all queries choose
    fold_selected : (n_folds, n_features) masks, the sets that were measured
    price : float, what the set costs
    repeat_values : (n_repeats, n_queries) array, the measure of each query
    repeat_losses : (n_repeats, n_queries, n_features) array
        What permuting each feature costs: 0 outside of the set, NaN in queries in which nothing
        was permuted.
    """

    selected: Mask
    fold_selected: NDArray[np.bool_]
    price: float
    repeat_values: NDArray[np.float64]
    repeat_losses: NDArray[np.float64]

    @property
    def values(self) -> NDArray[np.float64]:
        """The measure of each query, the mean over repeats."""
        mean: NDArray[np.float64] = self.repeat_values.mean(axis=0)
        return mean

    @property
    def losses(self) -> NDArray[np.float64]:
        """What permuting each feature costs each query, the mean over the repeats that did."""
        permuted = ~np.isnan(self.repeat_losses)
        total = np.where(permuted, self.repeat_losses, 0.0).sum(axis=0)
        counts = permuted.sum(axis=0)
        mean = np.full(total.shape, np.nan)
        np.divide(total, counts, out=mean, where=counts > 0)
        return mean

    @property
    def n_features(self) -> int:
        """Number of features of the set."""
        return int(self.selected.sum())

    def worth(self) -> NDArray[np.float64]:
        """Return what permuting each feature costs, summed over queries."""
        total: NDArray[np.float64] = np.nansum(self.losses, axis=0)
        return total


@dataclass(frozen=True, eq=False)
class Elimination:
    """The rungs of a ladder, from the first set down, and whether it was ended before the last."""

    rungs: list[Rung]
    interrupted: bool = False


def eliminate(
    judge: Judge,
    folds: Folds,
    counting: Mask,
    start: Mask,
    costs: Costs,
    targets: Sequence[float] | None = None,
    guide: Guide | None = None,
    memory: float = MEMORY,
) -> Elimination:
    """Return the rungs of the ladder, from the set `start` to the last unit.

    Inside `best_so_far()`, Ctrl-C ends it with the rungs that are finished, if there is one
    beside the first.

    Parameters
    ----------
    judge : trains and measures
    folds : of the queries
    counting : (n_queries,) mask of the queries whose measure an order can change
    start : (n_features,) mask of the features to begin with
    costs : prices of the features
    targets : the costs that sets may have, in place of `ladder`
    guide : orders that features go by too, or None
    memory : the share of what a feature was worth in larger sets, beside the set at hand
    """
    if targets is None:
        targets = ladder(costs.columns(np.flatnonzero(start)))
    fold_sets = [start.copy() for _ in range(folds.n_folds)]
    full_set = start.copy()
    worth = RunningWorth(folds, len(start), memory)
    rungs: list[Rung] = []
    with ending_early(allowed=lambda: len(rungs) > 1) as ending:
        for position, target in enumerate(targets):
            if position:
                fold_sets = [
                    shrink(selected, worth.guided(guide, selected, fold), costs, target)
                    for fold, selected in enumerate(fold_sets)
                ]
                full_set = shrink(full_set, worth.guided(guide, full_set), costs, target)
            if rungs and _same(rungs[-1], full_set, fold_sets):
                continue
            report("sieving", position, len(targets))
            rungs.append(judged(judge, fold_sets, full_set, folds, costs))
            worth.learn(rungs[-1].fold_selected, fold_worth(rungs[-1], folds, counting))
        report("sieving", len(targets), len(targets))
    return Elimination(rungs, interrupted=ending.early)


class RunningWorth:
    """What features are worth on each fold, from the rungs so far."""

    def __init__(self, folds: Folds, n_features: int, memory: float = MEMORY) -> None:
        self._folds = folds
        self._memory = memory
        self._worth = np.zeros((folds.n_folds, n_features))
        self._measured = np.zeros((folds.n_folds, n_features), dtype=bool)

    def learn(self, inside: NDArray[np.bool_], worth: NDArray[np.float64]) -> None:
        """Take in a rung: features outside of a fold's set keep what they were worth."""
        mixed = self._memory * self._worth + (1 - self._memory) * worth
        latest = np.where(self._measured, mixed, worth)
        self._worth = np.where(inside, latest, self._worth)
        self._measured |= inside

    def guided(
        self, guide: Guide | None, selected: Mask, fold: int | None = None
    ) -> NDArray[np.float64]:
        """Return what features are worth to all folds, or to the others of a fold's repeat.

        With the guide's word, where there is a guide.
        """
        folds = slice(None) if fold is None else self._folds.others(fold)
        per_fold = self._worth[folds]
        worth: NDArray[np.float64] = per_fold.sum(axis=0)
        if guide is None:
            return worth
        n_repeats = self._folds.n_repeats if fold is None else 1
        return guide.blended(worth, _noise(per_fold, n_repeats), selected, fold)


def _noise(per_fold: NDArray[np.float64], n_repeats: int) -> NDArray[np.float64]:
    """Return the variance of the sum over folds, by how much folds differ: one per feature.

    Folds of one repeat share no query; those of another are the same queries once more, which
    makes the sum larger and not clearer. One fold alone says nothing of noise: then it is taken
    to be as large as what it says.
    """
    n_folds = len(per_fold)
    if n_folds < 2:
        squares: NDArray[np.float64] = per_fold.sum(axis=0) ** 2
        return squares
    variance: NDArray[np.float64] = per_fold.var(axis=0, ddof=1)
    return n_repeats * n_folds * variance


def judged(
    judge: Judge,
    fold_sets: Sequence[Mask],
    full_set: Mask,
    folds: Folds,
    costs: Costs,
    *,
    permuted: bool = True,
) -> Rung:
    """Return a set of features with what the folds say of theirs."""
    values = np.empty((folds.n_repeats, folds.n_queries))
    losses = np.zeros((folds.n_repeats, folds.n_queries, len(full_set)))
    tasks = [Task(fold, selected, permuted) for fold, selected in enumerate(fold_sets)]
    for task, verdict in zip(tasks, judge(tasks), strict=True):
        repeat, queries = folds.repeat(task.fold), folds.members(task.fold)
        values[repeat, queries] = verdict.values
        losses[repeat, queries] = verdict.losses
    return Rung(full_set, np.array(fold_sets), costs.price(full_set), values, losses)


def fold_worth(rung: Rung, folds: Folds, counting: Mask) -> NDArray[np.float64]:
    """Return what permuting each feature costs the queries of each fold: folds × features."""
    worth = np.empty((folds.n_folds, len(rung.selected)))
    for fold in range(folds.n_folds):
        queries = folds.members(fold) & counting
        worth[fold] = np.nansum(rung.repeat_losses[folds.repeat(fold), queries], axis=0)
    return worth


def _same(rung: Rung, full_set: Mask, fold_sets: Sequence[Mask]) -> bool:
    return bool((rung.selected == full_set).all() and (rung.fold_selected == fold_sets).all())


def elimination_order(rungs: Sequence[Rung]) -> NDArray[np.int64]:
    """Return the features of the first rung, those that stayed longest first.

    Features that went together are ordered by what they were worth then; equal ones by index.
    """
    first = rungs[0].selected
    last_rung = np.sum([rung.selected for rung in rungs], axis=0)
    worth = np.zeros(len(first))
    for rung in rungs:
        worth[rung.selected] = rung.worth()[rung.selected]
    order = np.lexsort((np.arange(len(first)), -worth, -last_rung))
    return order[first[order]].astype(np.int64)
