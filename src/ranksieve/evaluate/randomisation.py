"""Fisher's randomisation test over queries."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ranksieve.data.check import check_count
from ranksieve.evaluate._checks import NEGLIGIBLE, Alternative, check_alternative
from ranksieve.evaluate._pairs import paired
from ranksieve.evaluate.results import RandomisationResult

# Signs drawn at a time: what bounds the memory.
_SIGNS_AT_ONCE = 1 << 20


def randomisation_test(
    a: ArrayLike,
    b: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    n_resamples: int = 10_000,
    random_state: int = 0,
) -> RandomisationResult:
    """Return Fisher's randomisation test of two methods over queries.

    If the methods were alike, a query's two values could as well have come the other way
    round: each difference d = a - b could have either sign.

        p = share of the arrangements of signs whose sum is at least as extreme as sum(d)

    Extreme means large ("greater"), small ("less") or far from 0 ("two-sided"). It needs no
    assumption on the distribution, and tests the mean, as the t-test does.

    Parameters
    ----------
    a, b : (queries,) arrays
        A measure of each method, in the same order of queries. NaN in both: the query does not
        count. NaN in one alone: an error.
    alternative : {"two-sided", "greater", "less"}
        "greater": a is better than b where larger is better.
    n_resamples : int
        Where the m differences other than 0 have no more than this many arrangements, 2^m, all
        of them are counted, and p is exact. Otherwise that number of random ones is drawn, and
        p = (extreme ones + 1) / (n_resamples + 1), the observed one being one of them.
    random_state : int

    Notes
    -----
    The statistic is the mean difference. Queries without a difference change no sum: they count
    in the mean and in n, and are left out of the arrangements; without any difference p = 1.
    Sums within 1e-12 of sum(|d|) are equal, so that rounding never turns a tie into less.

    Cost: O(2^(m/2) m) in time and O(2^(m/2)) in memory where exact; otherwise O(n_resamples m) in
    time and about 10 MB.

    References
    ----------
    Fisher, The Design of Experiments, 1935; Smucker, Allan and Carterette, A comparison of
    statistical significance tests for information retrieval evaluation, CIKM 2007.

    Examples
    --------
    >>> result = randomisation_test([0.6, 0.5, 0.9, 0.7], [0.5, 0.5, 0.7, 0.4])
    >>> result.p_value, result.exact, result.n_arrangements  # +++ and --- of 8
    (0.25, True, 8)
    """
    check_alternative(alternative)
    check_count("n_resamples", n_resamples, 1)
    check_count("random_state", random_state, 0)
    pairs = paired(a, b, statistic="a randomisation test")
    swings = pairs.differences[pairs.differences != 0.0]
    tail = _turned(swings, alternative)
    both_tails = alternative == "two-sided"
    n_arrangements = 1 << len(swings)
    exact = n_arrangements <= n_resamples
    if exact:
        p_value = _n_extreme(tail, both_tails) / n_arrangements
    else:
        n_arrangements = int(n_resamples)
        drawn = _n_extreme_drawn(tail, both_tails, n_arrangements, random_state)
        p_value = (drawn + 1) / (n_arrangements + 1)
    return RandomisationResult(pairs.mean, p_value, pairs.mean, pairs.n, exact, n_arrangements)


def _turned(swings: NDArray[np.float64], alternative: Alternative) -> NDArray[np.float64]:
    """Return the differences with the sign that makes what is extreme large."""
    less = alternative == "less" or (alternative == "two-sided" and swings.sum() < 0.0)
    return -swings if less else swings


def _bound(swings: NDArray[np.float64]) -> float:
    """Return the sum from which on an arrangement is as extreme as the observed one."""
    return float(swings.sum() - NEGLIGIBLE * np.abs(swings).sum())


def _n_extreme(swings: NDArray[np.float64], both_tails: bool) -> int:
    """Return how many of all arrangements are as extreme: sums of two halves, one half sorted."""
    middle = len(swings) // 2
    left, right = np.sort(_sums(swings[:middle])), _sums(swings[middle:])
    bound = _bound(swings)
    if both_tails and bound <= 0.0:
        return 1 << len(swings)
    above = len(left) * len(right) - int(np.searchsorted(left, bound - right).sum())
    # With every arrangement stands its mirror image.
    return 2 * above if both_tails else above


def _sums(swings: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sums of all arrangements of signs."""
    sums = np.zeros(1)
    for swing in swings:
        sums = np.concatenate([sums + swing, sums - swing])
    return sums


def _n_extreme_drawn(
    swings: NDArray[np.float64], both_tails: bool, n_resamples: int, random_state: int
) -> int:
    """Return how many of a number of random arrangements are as extreme."""
    bound = _bound(swings)
    n_extreme = 0
    for sums in _drawn_sums(swings, n_resamples, random_state):
        n_extreme += int(np.count_nonzero((np.abs(sums) if both_tails else sums) >= bound))
    return n_extreme


def _drawn_sums(
    swings: NDArray[np.float64], n_resamples: int, random_state: int
) -> Iterator[NDArray[np.float64]]:
    """Yield the sums of random arrangements, some at a time."""
    rng = np.random.default_rng(random_state)
    m, total = len(swings), swings.sum()
    rows = max(1, _SIGNS_AT_ONCE // m)
    for start in range(0, n_resamples, rows):
        shape = (min(rows, n_resamples - start), -(-m // 8))
        bits = np.unpackbits(rng.integers(256, size=shape, dtype=np.uint8), axis=1, count=m)
        # A bit of 1 keeps the sign and one of 0 turns it.
        yield 2.0 * (bits @ swings) - total
