"""A test by betting: valid for any distribution of bounded numbers, at any number of queries."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

# The largest share of the wealth that a bet may lose.
BOLDEST = 0.9


@dataclass(frozen=True)
class Bet:
    """How a bet ended.

    Attributes
    ----------
    wealth : float, the most that a stake of 1 became
    n_queries : int, after how many queries the claim was proven, or all of them
    proven : bool
    """

    wealth: float
    n_queries: int
    proven: bool


def bet_above(
    values: NDArray[np.float64],
    *,
    low: float,
    high: float,
    variance: float,
    level: float,
) -> Bet:
    """Test whether the mean of numbers between `low` and `high` is above 0.

    A stake of 1 is bet on each number in turn, in the order in which they come:

        wealth *= 1 + b (x - m0),   x = (value - low) / (high - low),   m0 = -low / (high - low)

    If the mean is 0 or less, the wealth is expected not to grow, however b is chosen from the
    numbers before, so that it ever reaches 1 / level with a probability of at most `level`
    (Ville). b is the bet that a normal approximation makes best:

        b = sqrt(2 max(ln(1 / level) - ln(wealth), 0) / (v n)),   at most 0.9 / m0

    with n numbers to come and v the variance of x, which must be known from other data. A
    wrong one costs power and nothing else.

    Waudby-Smith and Ramdas, Estimating means of bounded random variables by betting, 2024.

    Examples
    --------
    >>> values = np.full(400, 0.02)
    >>> bet_above(values, low=-1.0, high=1.0, variance=0.01, level=0.05).proven
    True
    >>> bet_above(-values, low=-1.0, high=1.0, variance=0.01, level=0.05).proven
    False
    """
    width = high - low
    null_mean = -low / width
    spread = max(variance / width**2, 1e-12)
    log_goal = math.log(1 / level)
    log_wealth = highest = 0.0
    for position, value in enumerate((values - low) / width):
        still_needed = max(log_goal - log_wealth, 0.0)
        stake = math.sqrt(2 * still_needed / (spread * (len(values) - position)))
        stake = min(stake, BOLDEST / null_mean)
        log_wealth += math.log1p(stake * (value - null_mean))
        highest = max(highest, log_wealth)
        if log_wealth >= log_goal:
            return Bet(math.exp(highest), position + 1, proven=True)
    return Bet(math.exp(highest), len(values), proven=False)
