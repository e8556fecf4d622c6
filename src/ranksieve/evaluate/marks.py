"""Marks of significance for tables."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ranksieve.evaluate._checks import check_level
from ranksieve.evaluate.adjustment import check_p_values


def significance_marks(
    p_values: ArrayLike, *, levels: Sequence[float] = (0.05, 0.01, 0.001)
) -> list[str]:
    """Return a star for each level that a p-value does not exceed; "" for NaN.

    Adjust p-values of several comparisons first, by `holm`.

    Examples
    --------
    >>> significance_marks([0.2, 0.05, 0.004, float("nan")])
    ['', '*', '**', '']
    """
    for level in levels:
        check_level(level)
    values = check_p_values(p_values)
    reached = np.less_equal.outer(values, np.asarray(levels, dtype=np.float64)).sum(axis=1)
    return ["*" * int(stars) for stars in reached]
