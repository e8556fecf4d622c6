"""Wilcoxon's signed-rank test over queries."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ranksieve.evaluate._checks import Alternative, check_alternative
from ranksieve.evaluate._pairs import paired
from ranksieve.evaluate.results import TestResult

# Up to this number of differences the null distribution is counted out, ties and all: its counts
# are below 2^53, so that floating point has them exactly.
_COUNTED_UP_TO = 50


def wilcoxon_test(
    a: ArrayLike, b: ArrayLike, *, alternative: Alternative = "two-sided"
) -> TestResult:
    """Return Wilcoxon's signed-rank test of two methods over queries.

    The m differences d = a - b other than 0 are ranked by |d|, from 1 for the smallest; equal
    ones share the mean of their ranks.

        W+ = sum of the ranks of the queries with a > b

    Under the null hypothesis each rank falls to either side with chance 1/2.

    Parameters
    ----------
    a, b : (queries,) arrays
        A measure of each method, in the same order of queries. NaN in both: the query does not
        count. NaN in one alone: an error.
    alternative : {"two-sided", "greater", "less"}
        "greater": a is better than b where larger is better.

    Notes
    -----
    The statistic is W+ under every alternative. Queries without a difference are dropped before
    ranking, as Wilcoxon did (scipy's zero_method="wilcox"); they count in n and in the mean
    difference. Without any difference W+ = 0 and p = 1. Differences within 1e-12 of the largest
    value are equal: rounding must not break ties.

    With up to 50 differences p is exact, also under ties (where scipy's exact method is not);
    with more it is scipy's normal approximation with its correction for ties.

    It tests whether d is symmetric about 0, not whether the means are equal: a few large losses
    may be outvoted by many small wins.

    References
    ----------
    Wilcoxon, Individual comparisons by ranking methods, Biometrics Bulletin 1945.

    Examples
    --------
    >>> result = wilcoxon_test([0.6, 0.5, 0.9, 0.7], [0.5, 0.5, 0.7, 0.4], alternative="greater")
    >>> result.statistic, result.p_value, result.n  # 1 + 2 + 3, one of 2^3 arrangements
    (6.0, 0.125, 4)
    """
    check_alternative(alternative)
    pairs = paired(a, b, statistic="Wilcoxon's test")
    swings = pairs.differences[pairs.differences != 0.0]
    if not len(swings):
        return TestResult(0.0, 1.0, pairs.mean, pairs.n)
    levels = _signed_levels(swings, pairs.negligible)
    counted = _exact if len(levels) <= _COUNTED_UP_TO else _approximate
    statistic, p_value = counted(levels, alternative)
    return TestResult(statistic, p_value, pairs.mean, pairs.n)


def _signed_levels(swings: NDArray[np.float64], negligible: float) -> NDArray[np.float64]:
    """Return whole numbers that order the sizes, equal where sizes are, with the signs."""
    sizes = np.abs(swings)
    order = np.argsort(sizes)
    steps = np.diff(sizes[order], prepend=sizes[order[0]]) > negligible
    levels = np.empty(len(swings))
    levels[order] = 1.0 + np.cumsum(steps)
    signed: NDArray[np.float64] = np.sign(swings) * levels
    return signed


def _exact(levels: NDArray[np.float64], alternative: Alternative) -> tuple[float, float]:
    from scipy.stats import rankdata

    # Twice the ranks are whole numbers, also where equal ones share a mean.
    doubled = np.rint(2.0 * rankdata(np.abs(levels))).astype(np.int64)
    observed = int(doubled[levels > 0.0].sum())
    chances = _distribution(doubled)
    less, greater = float(chances[: observed + 1].sum()), float(chances[observed:].sum())
    two_sided = min(1.0, 2.0 * min(less, greater))
    p_values = {"less": less, "greater": greater, "two-sided": two_sided}
    return observed / 2.0, p_values[alternative]


def _distribution(ranks: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the chance of each sum, from 0 on, of ranks taken with chance 1/2 each."""
    chances = np.zeros(int(ranks.sum()) + 1)
    chances[0] = 1.0
    for rank in ranks:
        taken = np.zeros_like(chances)
        taken[rank:] = chances[:-rank]
        chances = 0.5 * (chances + taken)
    return chances


def _approximate(levels: NDArray[np.float64], alternative: Alternative) -> tuple[float, float]:
    from scipy.stats import rankdata, wilcoxon

    test = wilcoxon(levels, zero_method="wilcox", alternative=alternative, method="approx")
    return float(rankdata(np.abs(levels))[levels > 0.0].sum()), float(test.pvalue)
