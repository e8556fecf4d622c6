"""One search: its folds and its sample, the ladder, and the last rungs on everything."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import RankingData
from ranksieve.errors import DataError
from ranksieve.measures import Measure
from ranksieve.progress import step
from ranksieve.sieve.costs import Costs
from ranksieve.sieve.margin import Margin
from ranksieve.sieve.search.crossfit import CrossFit
from ranksieve.sieve.search.elimination import (
    Judge,
    Rung,
    Task,
    Verdict,
    eliminate,
    elimination_order,
    judged,
)
from ranksieve.sieve.search.folds import Folds
from ranksieve.sieve.search.guide import Guide, guide_for
from ranksieve.sieve.search.interruption import ending_early
from ranksieve.sieve.search.sample import N_PILOT, needs_sample, sample_size, sampled

Mask = NDArray[np.bool_]
# Gives a judge that keeps its verdicts, see `resume`.
Keeper = Callable[[CrossFit], Judge]
# Rungs that are judged on everything, at most.
_MOST_ON_EVERYTHING = 8


@dataclass(frozen=True, eq=False)
class Question:
    """What is searched for.

    Attributes
    ----------
    data : documents in an order of their own, see `ranksieve.data.canonical`
    counting : (n_queries,) mask of the queries whose measure an order can change
    ranker : what is trained, a quick copy of the user's
    measure, margin, level, costs : as the sieve has them; costs in the order of the data
    n_folds, n_repeats, random_state : int
    n_queries : queries to search, or None for as many as the margin needs
    """

    data: RankingData
    counting: Mask
    ranker: Any
    measure: Measure
    margin: Margin
    level: float
    costs: Costs
    n_folds: int
    n_repeats: int
    random_state: int
    n_queries: int | None = None


@dataclass(frozen=True, eq=False)
class Search:
    """The ladder that was searched.

    Attributes
    ----------
    question : what was searched for
    rungs : from all features down, judged on the queries that were searched
    counting : (searched queries,) mask, which of them count
    searched : (n_queries,) mask
    folds : of the searched queries
    judge : trains and judges further sets on the searched queries, and counts that
    guide : the orders that features went by too
    on_everything : position in `rungs` -> the same sets trained and judged on all queries
        Where only a sample was searched: the rungs that decide, and that of all features.
    interrupted : bool, whether the search was ended before its last rung
    """

    question: Question
    rungs: list[Rung]
    counting: Mask
    searched: Mask
    folds: Folds
    judge: _Counted
    guide: Guide
    on_everything: dict[int, Rung] = field(default_factory=dict)
    interrupted: bool = False

    @property
    def decisive(self) -> list[int]:
        """Positions of the rungs among which to choose."""
        return sorted(self.on_everything) or list(range(len(self.rungs)))

    def values(self, position: int) -> NDArray[np.float64]:
        """Return the measure of each query that counts, with the set of a rung."""
        if position in self.on_everything:
            return self.on_everything[position].values[self.question.counting]
        return self.rungs[position].values[self.counting]

    def reference(self, position: int) -> NDArray[np.float64]:
        """Return the measure of the same queries with all features, trained alike."""
        if position in self.on_everything:
            return self.values(0)
        return self.rungs[0].values[self.counting]

    def excess_deviation(self, position: int) -> float:
        """Return how much the excess over the margin differs between queries."""
        excess = self.question.margin.excess(self.values(position), self.reference(position))
        return float(excess.std(ddof=1))

    def order(self) -> NDArray[np.int64]:
        """Return the features that vary, those that stayed longest first."""
        return elimination_order(self.rungs)


def search(question: Question, keeper: Keeper) -> Search:
    """Search the ladder of sets, on a sample where there is much data."""
    start: Mask = np.ptp(question.data.X, axis=0) > 0
    if not start.any():
        raise DataError(f"all {len(start)} features are constant: none can rank")
    searched = _searched_queries(question, start, keeper)
    part = _part(question, searched)
    folds = _dealt(part, question.n_repeats)
    judge = _Counted(keeper(_cross_fit(part, folds)))
    guide = guide_for(part.data, folds, start, question.random_state)
    elimination = eliminate(judge, folds, part.counting, start, question.costs, guide=guide)
    _check_used(elimination.rungs[0], question)
    return Search(
        question,
        elimination.rungs,
        part.counting,
        searched,
        folds,
        judge,
        guide,
        interrupted=elimination.interrupted,
    )


def last_rungs_on_everything(
    found: Search, choose: Callable[[Search], int], keeper: Keeper
) -> Search:
    """Train and judge the rungs next to the choice, and all features, on all queries.

    More queries may choose another set. Its neighbours are then judged too, until those of the
    choice are, so that it is never made across a gap in the ladder; eight rungs at most.

    The queries of the sample stay in their folds. The others, which chose nothing, are dealt out:
    every query still judges only sets that it did not choose.

    Parameters
    ----------
    found : the search on a sample
    choose : returns the position of the set to take, among the rungs that decide
    keeper : as in `search`
    """
    if found.searched.all() or found.interrupted:
        return found
    question = found.question
    folds = found.folds.among(found.searched, question.data.n_queries, question.random_state)
    judge = _Counted(keeper(_cross_fit(question, folds)))
    decided = found
    while due := _due_on_everything(decided, choose(decided)):
        on_everything = dict(decided.on_everything)
        for position in due:
            rung = found.rungs[position]
            n_judged = len(on_everything)
            with (
                ending_early() as ending,
                step("judging on all queries", n_judged, max(n_judged + 1, len(due))),
            ):
                on_everything[position] = judged(
                    judge,
                    list(rung.fold_selected),
                    rung.selected,
                    folds,
                    question.costs,
                    permuted=False,
                )
            if ending.early:
                return replace(found, interrupted=True)
        decided = replace(decided, on_everything=on_everything)
    found.judge.n_trainings += judge.n_trainings
    return decided


def _due_on_everything(found: Search, choice: int) -> list[int]:
    """Return the positions of a choice's neighbours that are not judged on everything yet."""
    last = len(found.rungs) - 1
    wanted = sorted({0, max(choice - 1, 0), choice, min(choice + 1, last)})
    due = [position for position in wanted if position not in found.on_everything]
    return due[: _MOST_ON_EVERYTHING - len(found.on_everything)]


@dataclass(eq=False)
class _Counted:
    """A judge that counts its trainings."""

    judge: Judge
    n_trainings: int = 0

    def __call__(self, tasks: Iterable[Task]) -> Iterator[Verdict]:
        for verdict in self.judge(tasks):
            self.n_trainings += 1
            yield verdict


def _searched_queries(question: Question, start: Mask, keeper: Keeper) -> Mask:
    """Return which queries to search: all, or a sample of those that count."""
    counting, random_state = question.counting, question.random_state
    n_counting = int(counting.sum())
    n_queries = question.n_queries
    if n_queries is None:
        if not needs_sample(counting):
            return np.ones(len(counting), dtype=bool)
        pilot = _part(question, sampled(counting, N_PILOT, random_state))
        folds = _dealt(pilot, 1)
        with step("sieving", 0, None):
            n_queries = sample_size(
                keeper(_cross_fit(pilot, folds)),
                folds,
                start,
                question.costs,
                margin=question.margin,
                level=question.level,
            )
    if n_queries >= n_counting:
        return np.ones(len(counting), dtype=bool)
    return sampled(counting, n_queries, random_state)


def _part(question: Question, queries: Mask) -> Question:
    if queries.all():
        return question
    data = question.data.queries(queries).gathered()
    return replace(question, data=data, counting=question.counting[queries])


def _dealt(question: Question, n_repeats: int) -> Folds:
    return Folds.dealt(question.data.n_queries, question.n_folds, n_repeats, question.random_state)


def _cross_fit(question: Question, folds: Folds) -> CrossFit:
    return CrossFit(question.data, folds, question.ranker, question.measure, question.random_state)


def _check_used(first: Rung, question: Question) -> None:
    if not np.nan_to_num(first.losses).any():
        raise DataError(
            f"{question.ranker!r} ranks the same when its features are permuted: it uses none of "
            "them. Give another ranker, or other parameters."
        )
