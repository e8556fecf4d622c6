"""Paired differences to a reference by number of features, and the fewest that lose little."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ranksieve.evaluate import bootstrap_intervals
from ranksieve.report.study.significance import QueryTest
from ranksieve.report.study.standings import (
    FEW_RESAMPLES,
    Standing,
    common_values,
    compared,
    is_same_result,
    reference_rule,
)


def number_standings(
    points: Sequence[Standing],
    candidates: Sequence[Standing],
    reference: str | None,
    test: QueryTest,
) -> list[Standing]:
    """Return points of curves beside references among the candidates, with intervals.

    All are of one data set and measure; p-values are adjusted over all of them.
    """
    reference_of = reference_rule(candidates, reference)
    references = [reference_of(point.outcome) for point in points]
    return with_intervals(compared(points, candidates, reference, test), references)


def with_intervals(points: Sequence[Standing], references: Sequence[Standing]) -> list[Standing]:
    """Return points with their differences to references, and the paired 95 % intervals of these.

    Queries are drawn over all folds, and the interval is moved by what the mean over folds
    differs from the mean over queries, as that of a mean is. Points of the same queries share
    the same 1,000 draws. A point that is its own reference has no difference.

    Notes
    -----
    Cost: O(1,000 n) for the draws of n queries, and as much for each point.
    """
    differing = list(points)
    groups: dict[tuple[int, bytes], list[int]] = {}
    rows: list[NDArray[np.float64]] = []
    for index, (point, reference) in enumerate(zip(points, references, strict=True)):
        ours, theirs = common_values(point.outcome, reference.outcome, point.measure)
        rows.append(ours - theirs)
        is_same = is_same_result(point.outcome, reference.outcome)
        if not is_same and not np.isnan(rows[index]).all():
            groups.setdefault((len(ours), np.isnan(rows[index]).tobytes()), []).append(index)
    for indices in groups.values():
        drawn = bootstrap_intervals(
            np.array([rows[index] for index in indices]), n_resamples=FEW_RESAMPLES
        )
        for index, interval in zip(indices, drawn, strict=True):
            difference = points[index].mean - references[index].mean
            shift = difference - interval.mean
            differing[index] = replace(
                points[index],
                difference=difference,
                difference_low=interval.low + shift,
                difference_high=interval.high + shift,
            )
    return differing


def is_within(point: Standing, margin: float) -> bool:
    """Whether the whole interval of the difference stays above a loss of the margin."""
    return not math.isnan(point.difference_low) and point.difference_low > -margin


@dataclass(frozen=True, eq=False)
class Smallest:
    """The smallest set whose loss against one reference stays within a margin.

    Attributes
    ----------
    reference : Standing
    fewest : Standing or None, with its difference to this reference; None where there is none
    nearest : Standing or None, the one whose interval allows the least loss
    n_candidates : int, results with fewer features than the reference that were looked at
    points : every result that was held against the reference, with its difference
    """

    reference: Standing
    fewest: Standing | None
    nearest: Standing | None
    n_candidates: int
    points: tuple[Standing, ...] = ()


def smallest_set(points: Sequence[Standing], reference: Standing, margin: float) -> Smallest:
    """Return the point of fewest features whose 95 % interval of the difference is above -margin.

    Every point is compared with the same reference, whatever its ranker. Among equally few
    features it is the one with the highest mean. Points with as many features as the reference
    are no answer and are left out.
    """
    # A point that is the reference itself has no interval.
    beside = [
        point
        for point in with_intervals(points, [reference] * len(points))
        if not math.isnan(point.difference_low)
    ]
    smaller = [point for point in beside if point.n_features < reference.n_features]
    within = [point for point in smaller if is_within(point, margin)]
    return Smallest(
        reference,
        min(within, key=lambda point: (point.n_features, -point.mean), default=None),
        max(smaller, key=lambda point: point.difference_low, default=None),
        len(smaller),
        tuple(beside),
    )
