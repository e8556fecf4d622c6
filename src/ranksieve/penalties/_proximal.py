"""What proximal steps of penalties that are not convex share: the best of some candidates."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


def shrink(v: Vector, pull: Vector | float) -> Vector:
    """Return v drawn towards 0 by `pull`."""
    drawn: Vector = np.sign(v) * np.maximum(np.abs(v) - pull, 0.0)
    return drawn


def best_candidate(
    v: Vector, candidates: Sequence[Vector], cost: Callable[[Vector], Vector]
) -> Vector:
    """Return, for each weight, the size z with the least (z - |v|)^2 / 2 + cost(z), signed as v.

    The first of equal ones: list the sparser candidates first.
    """
    sizes = np.abs(v)
    tried = np.array(candidates)
    totals = np.array([0.5 * (z - sizes) ** 2 + cost(z) for z in tried])
    best: Vector = np.take_along_axis(tried, totals.argmin(axis=0)[None], axis=0)[0]
    signed: Vector = np.sign(v) * best
    return signed
