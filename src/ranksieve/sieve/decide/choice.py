"""The choice: the smallest set that does nearly as well as the best."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

# A set may lose this share of the margin beside the best: with all of it, the choice was too
# small in a fifth of the simulations.
_SHARE = 0.5


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
