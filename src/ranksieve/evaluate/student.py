"""Student's t-test over queries."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtr

from ranksieve.errors import DataError
from ranksieve.evaluate._checks import Alternative, check_alternative
from ranksieve.evaluate._pairs import Pairs, paired
from ranksieve.evaluate.results import TestResult


def paired_t(a: ArrayLike, b: ArrayLike, *, alternative: Alternative = "two-sided") -> TestResult:
    """Return Student's paired t-test of two methods over queries.

        t = mean(d) / (s / sqrt(n)),   d = a - b query by query,

    with s the standard deviation of d (n - 1 in the denominator), against Student's
    distribution of n - 1 degrees of freedom.

    Parameters
    ----------
    a, b : (queries,) arrays
        A measure of each method, in the same order of queries. NaN in both: the query does not
        count. NaN in one alone: an error.
    alternative : {"two-sided", "greater", "less"}
        "greater": a is better than b where larger is better.

    Notes
    -----
    No difference on any query is no evidence: t = 0 and p = 1 under every alternative, as a
    randomisation test would say. The same difference on every query, other than 0, is t of
    plus or minus infinity, so p is 0 or, against the alternative, 1. Differences within 1e-12 of
    the largest value are rounding, and equal. Fewer than two queries have no spread: an error.

    References
    ----------
    Student, The probable error of a mean, Biometrika 1908.

    Examples
    --------
    >>> result = paired_t([0.6, 0.5, 0.9, 0.7], [0.5, 0.5, 0.7, 0.4], alternative="greater")
    >>> round(result.statistic, 4), round(result.p_value, 4), result.n
    (2.3238, 0.0514, 4)
    """
    check_alternative(alternative)
    pairs = paired(a, b, statistic="a paired t-test")
    if pairs.n < 2:
        raise DataError(
            f"a paired t-test needs at least two queries that count, but there is {pairs.n}"
        )
    statistic, p_value = _without_spread(pairs, alternative) or _with_spread(pairs, alternative)
    return TestResult(statistic, p_value, pairs.mean, pairs.n)


def _without_spread(pairs: Pairs, alternative: Alternative) -> tuple[float, float] | None:
    """Return t and p where all differences are equal, or None where they are not."""
    if np.ptp(pairs.differences) > pairs.negligible:
        return None
    if not pairs.differences.any():
        return 0.0, 1.0
    against = "less" if pairs.mean > 0.0 else "greater"
    return math.copysign(math.inf, pairs.mean), float(alternative == against)


def _with_spread(pairs: Pairs, alternative: Alternative) -> tuple[float, float]:
    # In units of the largest, so that no square overflows or vanishes: t has no unit.
    differences = pairs.differences / np.abs(pairs.differences).max()
    # The digits of scipy's ttest_1samp in a twentieth of its time: a study has thousands.
    mean = differences.mean()
    variance = ((differences - mean) ** 2).mean() * (pairs.n / (pairs.n - 1))
    statistic = float(mean / math.sqrt(variance / pairs.n))
    tails = {
        "greater": stdtr(pairs.n - 1, -statistic),
        "less": stdtr(pairs.n - 1, statistic),
        "two-sided": 2.0 * stdtr(pairs.n - 1, -abs(statistic)),
    }
    return statistic, float(tails[alternative])
