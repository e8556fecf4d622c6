"""Bootstrap intervals of means over queries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ranksieve.catalog import check_choice
from ranksieve.data.check import check_count
from ranksieve.evaluate._checks import NEGLIGIBLE, check_level, counting_columns, numbers
from ranksieve.evaluate._pairs import paired

Method = Literal["percentile", "bca"]
METHODS = ("percentile", "bca")

# Queries drawn at a time: few enough to stay in the cache, which also bounds the memory.
_DRAWN_AT_ONCE = 1 << 16


@dataclass(frozen=True)
class Interval:
    """A confidence interval of a mean over queries.

    Attributes
    ----------
    low, high : float
    mean : float, the mean itself
    level : float, such as 0.95
    n : int, queries that count
    """

    low: float
    high: float
    mean: float
    level: float
    n: int


def bootstrap_interval(
    values: ArrayLike,
    *,
    level: float = 0.95,
    n_resamples: int = 10_000,
    random_state: int = 0,
    method: Method = "percentile",
) -> Interval:
    """Return a bootstrap interval of the mean over queries.

    Queries are drawn with replacement, as many as there are, n_resamples times. With
    "percentile" the interval is between the quantiles (1 - level) / 2 and (1 + level) / 2 of the
    means of the resamples. "bca" moves both quantiles for bias and skewness:

        q -> Phi(z + (z + z_q) / (1 - s (z + z_q))),   z_q = Phi^-1(q),

    where Phi(z) is the share of resamples with a mean below the observed one (half of those
    equal to it), and s = sum(e^3) / (6 sum(e^2)^1.5) with e the deviations from the mean.

    Parameters
    ----------
    values : (queries,) array; queries that are NaN do not count
    level : float, between 0 and 1
    n_resamples : int
    random_state : int
    method : {"percentile", "bca"}

    Notes
    -----
    Equal values give an interval of no width. One query says nothing on the spread: both ends
    are NaN. Cost: O(n_resamples n) in time, O(n) in memory and 8 bytes a resample.

    References
    ----------
    Efron, Better bootstrap confidence intervals, JASA 1987.

    Examples
    --------
    >>> interval = bootstrap_interval([0.2, 0.5, 0.9, 0.4, 0.5, 0.7])
    >>> interval.low < interval.mean < interval.high
    True
    """
    row = numbers("values", values, axes=("queries",))[np.newaxis]
    return bootstrap_intervals(
        row, level=level, n_resamples=n_resamples, random_state=random_state, method=method
    )[0]


def bootstrap_difference(
    a: ArrayLike,
    b: ArrayLike,
    *,
    level: float = 0.95,
    n_resamples: int = 10_000,
    random_state: int = 0,
    method: Method = "percentile",
) -> Interval:
    """Return a bootstrap interval of the mean difference a - b of two methods.

    Queries are drawn with the values of both, so the interval is that of `bootstrap_interval`
    over the differences. A query that is NaN in both does not count; one that is NaN in one
    alone is an error.

    Examples
    --------
    >>> interval = bootstrap_difference([0.6, 0.5, 0.9, 0.7], [0.5, 0.5, 0.7, 0.4])
    >>> interval.low >= 0.0
    True
    """
    differences = paired(a, b, statistic="a bootstrap of differences").differences
    return bootstrap_interval(
        differences, level=level, n_resamples=n_resamples, random_state=random_state, method=method
    )


def bootstrap_intervals(
    values: ArrayLike,
    *,
    level: float = 0.95,
    n_resamples: int = 10_000,
    random_state: int = 0,
    method: Method = "percentile",
) -> tuple[Interval, ...]:
    """Return the bootstrap interval of each row of values (methods by queries).

    All rows share the same resamples: each row's interval is the one that it has alone, up to
    rounding, and the draws are made once. A query must be NaN in all rows or in none.

    Notes
    -----
    Cost: O(n_resamples n (1 + methods)) in time; in memory 8 bytes a resample and method.

    Examples
    --------
    >>> one, two = bootstrap_intervals([[0.2, 0.5, 0.9], [0.3, 0.6, 1.0]])
    >>> round(two.low - one.low, 6), round(two.high - one.high, 6)
    (0.1, 0.1)
    """
    check_level(level)
    check_count("n_resamples", n_resamples, 1)
    check_count("random_state", random_state, 0)
    check_choice("method", method, METHODS)
    rows = counting_columns(numbers("values", values, axes=("methods", "queries")), "a bootstrap")
    means = rows.mean(axis=1)
    deviations = rows - means[:, np.newaxis]
    # What rounding leaves of equal values is no spread.
    negligible = NEGLIGIBLE * np.abs(rows).max(axis=1)
    deviations[np.ptp(rows, axis=1) <= negligible] = 0.0
    ends = _ends(deviations, negligible, level, n_resamples, random_state, method)
    n = rows.shape[1]
    return tuple(
        Interval(float(mean + low), float(mean + high), float(mean), float(level), n)
        for mean, (low, high) in zip(means, ends, strict=True)
    )


def _ends(
    deviations: NDArray[np.float64],
    negligible: NDArray[np.float64],
    level: float,
    n_resamples: int,
    random_state: int,
    method: Method,
) -> NDArray[np.float64]:
    """Return both ends of each row's interval, relative to its mean."""
    if deviations.shape[1] == 1:
        return np.full((len(deviations), 2), np.nan)
    ends = np.zeros((len(deviations), 2))
    quantiles = np.array([(1.0 - level) / 2.0, (1.0 + level) / 2.0])
    resampled = _resampled_means(deviations, n_resamples, random_state)
    for row in np.flatnonzero(deviations.any(axis=1)):
        moved = quantiles
        if method == "bca":
            moved = _moved(quantiles, deviations[row], resampled[row], negligible[row])
        ends[row] = np.quantile(resampled[row], moved)
    return ends


def _resampled_means(
    deviations: NDArray[np.float64], n_resamples: int, random_state: int
) -> NDArray[np.float64]:
    """Return the mean of each row in each resample of the queries."""
    rng = np.random.default_rng(random_state)
    n = deviations.shape[1]
    means = np.empty((len(deviations), n_resamples))
    at_once = max(1, _DRAWN_AT_ONCE // n)
    for start in range(0, n_resamples, at_once):
        stop = min(start + at_once, n_resamples)
        drawn = rng.integers(n, size=(stop - start, n))
        drawn += n * np.arange(stop - start)[:, np.newaxis]
        times = np.bincount(drawn.ravel(), minlength=drawn.size).reshape(drawn.shape)
        means[:, start:stop] = deviations @ times.T / n
    return means


def _moved(
    quantiles: NDArray[np.float64],
    deviations: NDArray[np.float64],
    resampled: NDArray[np.float64],
    negligible: float,
) -> NDArray[np.float64]:
    """Return the quantiles moved for bias and skewness."""
    from scipy.special import ndtr, ndtri

    below = np.count_nonzero(resampled < -negligible)
    equal = np.count_nonzero(np.abs(resampled) <= negligible)
    n = len(resampled)
    # Half a resample from either end, so that few resamples give no infinite bias.
    bias = ndtri(np.clip((below + 0.5 * equal) / n, 0.5 / n, 1.0 - 0.5 / n))
    # In units of the largest, so that no power overflows or vanishes: the skewness has no unit.
    e = deviations / np.abs(deviations).max()
    skew = (e**3).sum() / (6.0 * (e**2).sum() ** 1.5)
    reach = bias + ndtri(quantiles)
    room = 1.0 - skew * reach
    # Beyond the pole the quantile is at the end that it was running to.
    limits = np.where(reach > 0.0, 1.0, 0.0)
    moved: NDArray[np.float64] = np.where(
        room > 0.0, ndtr(bias + reach / np.where(room > 0.0, room, 1.0)), limits
    )
    return moved
