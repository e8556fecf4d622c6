"""On how many queries a method is better than another."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ranksieve.errors import ParameterError
from ranksieve.evaluate._checks import is_number
from ranksieve.evaluate._pairs import both_counting


class WinTieLoss(NamedTuple):
    """Queries on which a is better than b, as good, and worse."""

    wins: int
    ties: int
    losses: int


def win_tie_loss(a: ArrayLike, b: ArrayLike, *, tolerance: float = 1e-12) -> WinTieLoss:
    """Return on how many queries a is above b, equal within the tolerance, and below.

    A query that is NaN in both does not count; one that is NaN in one alone is an error.

    Examples
    --------
    >>> win_tie_loss([0.5, 0.3, 0.0], [0.4, 0.1 + 0.2, 0.2])
    WinTieLoss(wins=1, ties=1, losses=1)
    """
    if not is_number(tolerance) or tolerance < 0.0:
        raise ParameterError(f"tolerance must be a number of at least 0, but is {tolerance!r}")
    ours, theirs = both_counting(a, b, statistic="a count of wins")
    differences = ours - theirs
    wins = int(np.count_nonzero(differences > tolerance))
    losses = int(np.count_nonzero(differences < -tolerance))
    return WinTieLoss(wins, len(differences) - wins - losses, losses)
