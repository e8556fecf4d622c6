"""Round numbers for the axes of pictures."""

from __future__ import annotations

import math


def nice_ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Return round numbers between low and high, at most `most` of them.

    Examples
    --------
    >>> nice_ticks(0.29, 0.48)
    [0.3, 0.35, 0.4, 0.45]
    """
    rough = (high - low) / (most - 1)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough * 0.999)
    first, last = math.ceil(low / step), math.floor(high / step)
    return [round(multiple * step, 12) for multiple in range(first, last + 1)]


def log_ticks(low: float, high: float) -> list[float]:
    """Return 1, 2 and 5 times powers of ten between low and high; only powers over a long way.

    Examples
    --------
    >>> log_ticks(3, 120), log_ticks(1, 1e6)
    ([5.0, 10.0, 20.0, 50.0, 100.0], [1.0, 10.0, 100.0, 1000.0, 10000.0, 100000.0, 1000000.0])
    """
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    factors = (1, 2, 5) if last - first <= 4 else (1,)
    ticks = [float(f"{factor}e{power}") for power in range(first, last + 1) for factor in factors]
    return [tick for tick in ticks if low <= tick <= high]
