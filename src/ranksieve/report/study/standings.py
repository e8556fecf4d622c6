"""How methods did beside their reference: means, intervals, tests."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ranksieve.evaluate import (
    bootstrap_intervals,
    holm,
    sparsity_ratio,
    win_tie_loss,
)
from ranksieve.experiment import DataFacts, Outcome
from ranksieve.report.study.names import ALL_FEATURES, distinct
from ranksieve.report.study.significance import QueryTest

LEVEL = 0.05
TWO_SIDED = QueryTest()
# The ends of intervals in tables settle to about a hundredth of their width; those in curves,
# which are many and only drawn, to about a thirtieth.
RESAMPLES, FEW_RESAMPLES = 10_000, 1_000


@dataclass(frozen=True, eq=False)
class Standing:
    """A method with its ranker on a data set by one measure, beside its reference.

    Attributes
    ----------
    outcome : Outcome
    measure : str
    mean : float, over folds of the mean over queries
    low, high : float, ends of its 95 % interval
    n_features : float, mean over folds
    sparsity : float, mean over folds of the share of the used features that is kept
    reference : str, name of the outcome it is compared with; "" for a reference itself
    difference : float, mean minus the reference's
    difference_low, difference_high : float, ends of its paired 95 % interval, of curves alone
    p_value, adjusted : float, of the test over queries, and by Holm's method
    tested : float, mean difference over the queries of the test: what the verdict is about
    record : queries that are better, equal, and worse
    test : QueryTest, which says on which sides a difference is marked
    """

    outcome: Outcome
    measure: str
    mean: float
    low: float
    high: float
    n_features: float
    sparsity: float = math.nan
    reference: str = ""
    difference: float = math.nan
    difference_low: float = math.nan
    difference_high: float = math.nan
    p_value: float = math.nan
    adjusted: float = math.nan
    tested: float = math.nan
    record: tuple[int, int, int] | None = None
    test: QueryTest = TWO_SIDED

    @property
    def mark(self) -> str:
        """What the adjusted test says: better, worse, reference, or nothing.

        Nothing also where folds of unequal sizes turn the difference of the means over folds
        against that over queries, which is what was tested; and where a one-sided test did not
        ask for the side of the difference.
        """
        if not self.reference:
            return "reference"
        if not self.adjusted <= LEVEL or self.difference * self.tested <= 0:
            return ""
        return self.test.verdict(self.difference)


def standings_of(
    outcomes: Sequence[Outcome],
    facts: DataFacts,
    measures: Sequence[str],
    *,
    reference: str | None = None,
    test: QueryTest = TWO_SIDED,
) -> list[Standing]:
    """Return the outcomes of one data set, by measure, from the best mean to the worst.

    p-values are adjusted by Holm's method over all comparisons of the data set and measure.
    Queries that only one side of a comparison has, after a fold failed, are left out of it.
    """
    pairs = [(outcome, measure) for measure in measures for outcome in outcomes]
    measured = [
        Standing(
            outcome, measure, *ends, float(outcome.n_features.mean()), sparsity_of(outcome, facts)
        )
        for (outcome, measure), ends in zip(pairs, intervals(pairs), strict=True)
    ]
    ranked = []
    for measure in measures:
        of_measure = [standing for standing in measured if standing.measure == measure]
        ranked += sorted(
            compared(of_measure, of_measure, reference, test), key=lambda standing: -standing.mean
        )
    return ranked


def compared(
    methods: Sequence[Standing],
    candidates: Sequence[Standing],
    reference: str | None,
    test: QueryTest = TWO_SIDED,
) -> list[Standing]:
    """Return standings of one measure beside references among the candidates.

    p-values are adjusted by Holm's method over all of them.
    """
    reference_of = reference_rule(candidates, reference)
    tested = [_beside(standing, reference_of(standing.outcome), test) for standing in methods]
    adjusted = holm([standing.p_value for standing in tested])
    return [
        replace(standing, adjusted=float(value))
        for standing, value in zip(tested, adjusted, strict=True)
    ]


def intervals(
    pairs: Sequence[tuple[Outcome, str]], *, n_resamples: int = RESAMPLES
) -> list[tuple[float, float, float]]:
    """Return the mean of each outcome by a measure, and both ends of its 95 % bootstrap interval.

    The mean is that over folds, as in LETOR; queries are drawn over all folds, and the interval
    is moved by the difference of the two means, which is 0 for folds of one size. Pairs of the
    same queries share the same draws.
    """
    groups: dict[tuple[bytes, bytes], list[int]] = {}
    for index, (outcome, measure) in enumerate(pairs):
        counting = np.isnan(outcome.by_query(measure)).tobytes()
        groups.setdefault((outcome.query_ids.tobytes(), counting), []).append(index)
    ends = [(math.nan, math.nan, math.nan)] * len(pairs)
    for (_, missing), indices in groups.items():
        if all(missing):
            continue  # no query counts
        values = np.array([pairs[index][0].by_query(pairs[index][1]) for index in indices])
        drawn = bootstrap_intervals(values, n_resamples=n_resamples)
        for index, interval in zip(indices, drawn, strict=True):
            outcome, measure = pairs[index]
            mean = outcome.mean(measure)
            shift = mean - interval.mean
            ends[index] = (mean, interval.low + shift, interval.high + shift)
    return ends


def sparsity_of(outcome: Outcome, facts: DataFacts) -> float:
    """Return the mean share of the used features that folds keep."""
    n_used = int(facts.used.sum())
    n_kept = [int(facts.used[chosen.features].sum()) for chosen in outcome.folds]
    return float(np.mean([sparsity_ratio(n, n_used) for n in n_kept])) if n_used else math.nan


def with_means(candidates: Sequence[Standing]) -> list[Standing]:
    """Return those that have a mean: some query counts."""
    return [standing for standing in candidates if not math.isnan(standing.mean)]


def reference_rule(
    candidates: Sequence[Standing], name: str | None
) -> Callable[[Outcome], Standing]:
    """Return what finds the candidate that an outcome is compared with.

    The name is that of a method with its ranker, or of a method, which then has the ranker of
    the outcome, or else the first ranker that it has. Without a name it is all
    features; without these, the best mean.
    """
    same = _named(candidates, name)
    rankers = distinct(
        standing.outcome.ranker for standing in candidates if standing.outcome.ranker
    )
    order = {ranker: index for index, ranker in enumerate(rankers)}
    first = min(same, key=lambda standing: order.get(standing.outcome.ranker, len(order)))
    by_ranker = {standing.outcome.ranker: standing for standing in reversed(same)}
    return lambda outcome: by_ranker.get(outcome.ranker, first)


def best_reference(candidates: Sequence[Standing], name: str | None) -> Standing:
    """Return the best of the references that `reference_rule` has: one for all outcomes."""
    return max(_named(candidates, name), key=lambda standing: standing.mean)


def _named(candidates: Sequence[Standing], name: str | None) -> list[Standing]:
    exact = [standing for standing in candidates if standing.outcome.name == name]
    same = [
        standing for standing in candidates if standing.outcome.method == (name or ALL_FEATURES)
    ]
    return exact[:1] or same or [max(candidates, key=lambda standing: standing.mean)]


def _beside(standing: Standing, reference: Standing, test: QueryTest) -> Standing:
    if is_same_result(standing.outcome, reference.outcome):
        return standing
    ours, theirs = common_values(standing.outcome, reference.outcome, standing.measure)
    named = replace(
        standing, reference=reference.outcome.name, difference=standing.mean - reference.mean
    )
    if np.count_nonzero(~np.isnan(ours)) < 2:
        return named
    result = test(ours, theirs)
    return replace(
        named,
        test=test,
        p_value=float(result.p_value),
        tested=float(result.mean_difference),
        record=win_tie_loss(ours, theirs),
    )


def is_same_result(ours: Outcome, theirs: Outcome) -> bool:
    """Whether two outcomes are of the same trials: all features stand in curves once more."""
    return ours is theirs or (
        ours.name == theirs.name
        and len(ours.folds) == len(theirs.folds)
        and all(a.trial == b.trial for a, b in zip(ours.folds, theirs.folds, strict=True))
    )


def common_values(
    ours: Outcome, theirs: Outcome, measure: str
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the values of the queries that both have, each once, in one order."""
    if np.array_equal(ours.query_ids, theirs.query_ids):
        return ours.by_query(measure), theirs.by_query(measure)
    _, our_rows, their_rows = np.intersect1d(
        ours.different_queries, theirs.different_queries, return_indices=True
    )
    return ours.by_query(measure)[our_rows], theirs.by_query(measure)[their_rows]
