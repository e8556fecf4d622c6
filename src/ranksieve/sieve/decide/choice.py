"""The choice: the smallest set that does nearly as well as the best."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

# A set may lose this share of the margin beside the best: with all of it, the choice was too
# small in a fifth of the simulations.
_SHARE = 0.5
N_RESAMPLES = 200


def choose(means: Sequence[float], costs: Sequence[float], *, amount: float) -> int:
    """Return the position of the cheapest set within half the margin of the best one.

    Beside the best and not beside all features: a small set that is lucky passes for as good
    as all, but not as the best. `amount` is the margin in units of the measure; of sets that
    cost the same the better one is taken.

    Examples
    --------
    >>> choose([0.50, 0.52, 0.517, 0.50], costs=[40, 20, 10, 5], amount=0.01)
    2
    """
    values = np.asarray(means, dtype=np.float64)
    good = np.flatnonzero(values >= values.max() - _SHARE * amount)
    prices = np.asarray(costs, dtype=np.float64)[good]
    return int(good[np.lexsort((-values[good], prices))[0]])


def choose_typical(
    values: NDArray[np.float64], costs: Sequence[float], *, amount: float, random_state: int
) -> int:
    """Return the mean position of what resampled queries choose, the larger set of two.

    A little noise moves the best set, and with it the choice, from one end of a flat ladder to
    the other. So the queries are drawn again, with replacement, 200 times; each time they
    choose; of the positions of these choices the mean is taken. It moves only a little with a
    little noise.

    The first set, of all features, is chosen only where at least half of the resamples choose it:
    a few of them would otherwise be enough to drop nothing.

    Parameters
    ----------
    values : (n_sets, n_queries) array
    costs : of the sets, falling: a position further down is a cheaper set
    amount : as in `choose`
    random_state : int

    Examples
    --------
    >>> values = np.outer([0.50, 0.52, 0.517, 0.50], np.ones(30))
    >>> choose_typical(values, [40, 20, 10, 5], amount=0.01, random_state=0)
    2
    """
    n_queries = values.shape[1]
    rng = np.random.default_rng([random_state, 5])
    weights = rng.multinomial(n_queries, np.full(n_queries, 1 / n_queries), size=N_RESAMPLES)
    means = weights @ values.T / n_queries
    positions = [choose(row, costs, amount=amount) for row in means]
    mean_position = sum(positions) // len(positions)
    if mean_position == 0 and 2 * positions.count(0) < len(positions):
        return 1
    return mean_position
