"""How methods did with each number of features, beside their reference."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ranksieve.evaluate import bootstrap_intervals
from ranksieve.report.study_significance import QueryTest
from ranksieve.report.study_standings import (
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
    references = [reference_of(one.outcome) for one in points]
    return with_intervals(compared(points, candidates, reference, test), references)


def with_intervals(points: Sequence[Standing], references: Sequence[Standing]) -> list[Standing]:
    """Return points with their differences to references, and the paired 95 % intervals of these.

    Queries are drawn over all folds, and the interval is moved by what the mean over folds
    differs from the mean over queries, as that of a mean is. Points of the same queries share
    the same 1,000 draws. A point that is its own reference has no difference.

    Notes
    -----
    Cost: O(1,000 n) for the draws of n queries, and as much a point.
    """
    found = list(points)
    groups: dict[tuple[int, bytes], list[int]] = {}
    rows: list[NDArray[np.float64]] = []
    for place, (one, reference) in enumerate(zip(points, references, strict=True)):
        ours, theirs = common_values(one.outcome, reference.outcome, one.measure)
        rows.append(ours - theirs)
        is_same = is_same_result(one.outcome, reference.outcome)
        if not is_same and not np.isnan(rows[place]).all():
            groups.setdefault((len(ours), np.isnan(rows[place]).tobytes()), []).append(place)
    for places in groups.values():
        drawn = bootstrap_intervals(
            np.array([rows[place] for place in places]), n_resamples=FEW_RESAMPLES
        )
        for place, interval in zip(places, drawn, strict=True):
            difference = points[place].mean - references[place].mean
            shift = difference - interval.mean
            found[place] = replace(
                points[place],
                difference=difference,
                difference_low=interval.low + shift,
                difference_high=interval.high + shift,
            )
    return found


def is_within(one: Standing, margin: float) -> bool:
    """Whether the whole interval of the difference stays above a loss of the margin."""
    return not math.isnan(one.difference_low) and one.difference_low > -margin
