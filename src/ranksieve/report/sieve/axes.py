"""From numbers to positions in a picture."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ranksieve.report.shared.ticks import log_ticks


@dataclass(frozen=True)
class Frame:
    """The area of a picture in which marks stand, inside room for labels."""

    left: float
    right: float
    top: float
    bottom: float

    def y(self, value: float, low: float, high: float) -> float:
        """Return the height of a value, at an edge where it lies outside low to high."""
        share = (min(max(value, low), high) - low) / (high - low)
        return round(self.bottom - share * (self.bottom - self.top), 2)

    def x(self, value: float, low: float, high: float) -> float:
        """Return the horizontal position of a value, at an edge where it lies outside."""
        share = (min(max(value, low), high) - low) / (high - low)
        return round(self.left + share * (self.right - self.left), 2)


@dataclass(frozen=True)
class PriceAxis:
    """A logarithmic axis of costs or of numbers of features.

    What costs nothing stands at half of the least cost above 0.
    """

    prices: tuple[float, ...]
    frame: Frame

    @property
    def least(self) -> float:
        """The least cost above 0."""
        return min((price for price in self.prices if price > 0), default=1.0)

    @property
    def low(self) -> float:
        """The cost at the left end."""
        return self.least / 2 if min(self.prices) <= 0 else self.least

    @property
    def high(self) -> float:
        """The cost at the right end."""
        return max(*self.prices, self.low)

    def x(self, price: float) -> float:
        """Return the horizontal position of a cost; the middle where all costs are equal."""
        if self.high == self.low:
            return round((self.frame.left + self.frame.right) / 2, 2)
        return self.frame.x(math.log(max(price, self.low)), math.log(self.low), math.log(self.high))

    def ticks(self, at_prices: bool, room: float) -> list[tuple[float, str]]:
        """Return positions and labels at least `room` apart: the costs themselves, or round ones.

        The ends come first, then from the dearest down.
        """
        if at_prices:
            values = sorted(set(self.prices), reverse=True)
        else:
            values = [self.high, *reversed(log_ticks(self.least, self.high))]
        values = [values[0], self.low if min(self.prices) <= 0 else values[-1], *values[1:]]
        labels: list[tuple[float, str]] = []
        for value in values:
            x = self.x(value)
            if all(abs(x - other) >= room for other, _ in labels):
                labels.append((x, "0" if value < self.least else f"{value:,.10g}"))
        return sorted(labels)


def spread_apart(heights: Sequence[float], step: float) -> list[float]:
    """Return two or more falling heights moved down until they are a step apart.

    Examples
    --------
    >>> spread_apart([10.0, 14.0, 40.0], 12.0)
    [10.0, 22.0, 40.0]
    """
    positions: list[float] = []
    for height in heights:
        positions.append(max(height, positions[-1] + step) if positions else height)
    return positions
