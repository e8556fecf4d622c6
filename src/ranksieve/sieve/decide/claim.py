"""What the data proves about sets: supported, or which margin it could prove."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit

from ranksieve.sieve.decide.betting import BOLDEST
from ranksieve.sieve.margin import Margin

# The power with which a number of queries is said to be enough, and how many more betting needs.
_POWER = 0.8
_BETTING_FACTOR = 1.6


@dataclass(frozen=True)
class Difference:
    """A set beside all features, query by query.

    Attributes
    ----------
    mean, low, high : float
        The mean difference of the measure, and its interval of level 1 - 2 level, by Student's t.
    deviation : float, of the differences of queries
    n_queries : int
    provable : float
        The least loss that the data rules out, at `level`: 0 where it shows no loss.
    """

    mean: float
    low: float
    high: float
    deviation: float
    n_queries: int
    provable: float


def difference(
    values: NDArray[np.float64], reference: NDArray[np.float64], *, level: float
) -> Difference:
    """Return how a set does beside all features, on the same queries.

    Examples
    --------
    >>> result = difference(np.array([0.5, 0.6, 0.4]), np.array([0.5, 0.5, 0.5]), level=0.05)
    >>> round(result.mean, 3), round(result.low, 3), round(result.provable, 3)
    (0.0, -0.169, 0.169)
    """
    changes = values - reference
    n_queries = len(changes)
    mean = float(changes.mean())
    deviation = float(changes.std(ddof=1)) if n_queries > 1 else math.inf
    half = _quantile(level, n_queries) * deviation / math.sqrt(n_queries) if deviation else 0.0
    return Difference(mean, mean - half, mean + half, deviation, n_queries, max(half - mean, 0.0))


def is_supported(
    values: NDArray[np.float64],
    reference: NDArray[np.float64],
    *,
    margin: Margin,
    level: float,
) -> bool:
    """Tell whether a set is shown to lose less than the margin, by a one-sided t-test."""
    excess = margin.excess(values, reference)
    n_queries = len(excess)
    if n_queries < 2:
        return False
    error = float(excess.std(ddof=1)) / math.sqrt(n_queries)
    return float(excess.mean()) > _quantile(level, n_queries) * error


def fixed_sequence(passes: Sequence[bool]) -> int:
    """Return how many tests pass before the first that fails.

    Tests in an order that was fixed before, each at the full level, stopping at the first
    failure: the chance that one of those which pass is wrong is at most the level.

    Examples
    --------
    >>> fixed_sequence([True, True, False, True])
    2
    """
    return next((position for position, passed in enumerate(passes) if not passed), len(passes))


def queries_needed(deviation: float, amount: float, *, level: float, betting: bool = False) -> int:
    """Return how many queries prove a margin in four of five cases, if nothing is lost.

    `amount` is the margin in units of the measure. By betting it takes about 1.6 times as many as
    by t, and never fewer than a stake of nearly everything on each query takes to grow to
    1 / level, however little queries differ.

    Examples
    --------
    >>> queries_needed(0.1, 0.01, level=0.05)
    619
    >>> queries_needed(0.1, 0.01, level=0.05, betting=True)
    990
    >>> queries_needed(0.01, 0.01, level=0.05, betting=True)
    335
    """
    quantiles = ndtri(1 - level) + ndtri(_POWER)
    needed = (float(quantiles) * deviation / amount) ** 2
    if betting:
        fewest = math.log(1 / level) / math.log1p(BOLDEST * amount)
        needed = max(needed * _BETTING_FACTOR, fewest)
    return math.ceil(needed)


def _quantile(level: float, n_queries: int) -> float:
    return float(stdtrit(max(n_queries - 1, 1), 1 - level))
