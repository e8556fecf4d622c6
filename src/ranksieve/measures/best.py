"""Which of several means is the best, where rounding must not decide for more features."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

# Means this close are equal.
EQUAL = 1e-12


def best_mean(means: ArrayLike, sizes: ArrayLike | None = None) -> int:
    """Return the position of the best mean; among equals of the smallest size, then the first.

    Parameters
    ----------
    means : (n,) array, larger is better; NaN is worse than any number
        Means within 1e-12 of the largest one are equal to it.
    sizes : (n,) array, such as numbers of features; None where simpler models come first

    Examples
    --------
    >>> best_mean([0.3, 0.5, 0.5 - 1e-15], sizes=[1, 9, 4])
    2
    >>> best_mean([0.3, 0.5, 0.5 + 1e-15])
    1
    """
    values = np.array(means, dtype=np.float64)
    values[np.isnan(values)] = -np.inf
    equal = np.flatnonzero(values >= values.max() - EQUAL)
    if sizes is None:
        return int(equal[0])
    return int(equal[np.argmin(np.asarray(sizes)[equal])])
