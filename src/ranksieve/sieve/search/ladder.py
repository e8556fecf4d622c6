"""The ladder: the costs at which sets are tried, from everything down."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ranksieve.sieve.costs import Costs

# The first step leaves this share.
_FIRST_STEP = 0.8
# Below, features go one at a time: of two alike the second is needed once the first is gone, and
# steps of several would drop both.
_SINGLE_STEPS = 8
# Above, each rung has this many times as many features as the next: the first factor up to 24
# features, where choices are most often made, the second one further up, where sets hardly differ.
_NEAR_FACTOR, _NEAR = 1.3, 24
_FAR_FACTOR = 1.6
# Sets whose sizes are no further apart than this are as good as one.
_CLOSE = 1.16
# With prices each rung is this many times dearer than the next.
_PRICE_FACTOR = 1.4


def ladder(costs: Costs) -> list[float]:
    """Return the costs that sets may have, from all features to the cheapest unit.

    Without prices these are numbers of features: all, four fifths, then a factor of 1.6 apart, from
    24 down a factor of 1.3, and every number up to eight. With prices they are a factor of 1.4
    apart.

    Examples
    --------
    >>> ladder(Costs.alike(46))
    [46.0, 36.0, 23.0, 18.0, 14.0, 10.0, 8.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0]
    >>> [round(cost, 1) for cost in ladder(Costs(np.arange(3), np.array([100.0, 10.0, 1.0])))]
    [111.0, 88.8, 63.4, 45.3, 32.4, 23.1, 16.5, 11.8, 8.4, 6.0, 4.3, 3.1, 2.2, 1.6, 1.1]
    """
    total = float(costs.prices.sum())
    if not costs.priced:
        return _counts(int(total))
    positive = costs.prices[costs.prices > 0]
    cheapest = float(positive.min()) if len(positive) else 0.0
    rungs = [total]
    target = _FIRST_STEP * total
    while target >= cheapest and len(rungs) < _most_rungs(costs):
        rungs.append(target)
        target /= _PRICE_FACTOR
    return rungs


def _counts(n_features: int) -> list[float]:
    counts = set(range(1, min(_SINGLE_STEPS, n_features) + 1)) | {n_features}
    first = int(_FIRST_STEP * n_features)
    if first > _SINGLE_STEPS:
        counts.add(first)
    count = _SINGLE_STEPS * _NEAR_FACTOR
    while count * _CLOSE < first:
        counts.add(round(count))
        count *= _NEAR_FACTOR if count < _NEAR / _NEAR_FACTOR else _FAR_FACTOR
    return [float(count) for count in sorted(counts, reverse=True)]


def _most_rungs(costs: Costs) -> int:
    """Return a limit where the prices lie many powers of ten apart."""
    return 3 * len(costs.prices) + 40


def shrink(
    selected: NDArray[np.bool_], importance: NDArray[np.float64], costs: Costs, target: float
) -> NDArray[np.bool_]:
    """Return the part of a set that costs at most `target`, without the units that pay least.

    Units go by rising importance for their price, the sum over their features; of equal ones
    the later goes first. One unit stays, whatever it costs.

    Examples
    --------
    >>> importance = np.array([3.0, 2.0, 1.0])
    >>> shrink(np.ones(3, dtype=bool), importance, Costs.alike(3), 2.0)
    array([ True,  True, False])
    >>> shrink(np.ones(3, dtype=bool), importance, Costs(np.arange(3), np.array([9.0, 1, 1])), 2.0)
    array([False,  True,  True])
    """
    present = np.unique(costs.units[selected])
    worth = np.bincount(
        costs.units[selected], weights=importance[selected], minlength=len(costs.prices)
    )[present]
    prices = costs.prices[present]
    # What is free is worth more than anything that has a price, or less where it harms.
    density = np.where(worth > 0, np.inf, np.where(worth < 0, -np.inf, 0.0))
    np.divide(worth, prices, out=density, where=prices > 0)
    order = np.argsort(-density, kind="stable")
    n_units = int(np.searchsorted(np.cumsum(prices[order]), target * (1 + 1e-12), side="right"))
    stays = np.zeros(len(costs.prices), dtype=bool)
    stays[present[order[: max(n_units, 1)]]] = True
    smaller: NDArray[np.bool_] = selected & stays[costs.units]
    return smaller
