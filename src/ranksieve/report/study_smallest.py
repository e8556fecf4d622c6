"""The fewest features that lose little: what a reader of a study asks first."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ranksieve.report.study_numbers import is_within, with_intervals
from ranksieve.report.study_standings import Standing


@dataclass(frozen=True, eq=False)
class Smallest:
    """The smallest set whose loss against one reference stays within a margin.

    Attributes
    ----------
    reference : Standing
    found : Standing or None, with its difference to this reference; None where there is none
    nearest : Standing or None, the one whose interval allows the least loss
    n_candidates : int, results with fewer features than the reference that were looked at
    points : every result that was held against the reference, with its difference
    """

    reference: Standing
    found: Standing | None
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
        one
        for one in with_intervals(points, [reference] * len(points))
        if not math.isnan(one.difference_low)
    ]
    told = [one for one in beside if one.n_features < reference.n_features]
    within = [one for one in told if is_within(one, margin)]
    return Smallest(
        reference,
        min(within, key=lambda one: (one.n_features, -one.mean), default=None),
        max(told, key=lambda one: one.difference_low, default=None),
        len(told),
        tuple(beside),
    )
