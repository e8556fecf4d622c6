"""P-values of several comparisons."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ranksieve.errors import DataError
from ranksieve.evaluate._checks import numbers


def holm(p_values: ArrayLike) -> NDArray[np.float64]:
    """Return p-values adjusted by Holm's method, in the order given.

    Of m p-values, the j-th smallest becomes

        max over i <= j of min(1, (m - i + 1) p_(i)).

    To call significant what is then at most 0.05 keeps the chance of even one false claim
    among all comparisons at 0.05, however the tests depend on each other. It is never weaker
    than Bonferroni's m p.

    NaN, a comparison that was not made, stays NaN and does not count in m. No p-values give an
    empty array. Cost: O(m log m).

    References
    ----------
    Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of
    Statistics 1979.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03, float("nan")])  # 3 x 0.01; 2 x 0.03; not below the one before
    array([0.03, 0.06, 0.06,  nan])
    """
    values = check_p_values(p_values)
    compared = np.flatnonzero(~np.isnan(values))
    order = compared[np.argsort(values[compared], kind="stable")]
    factors = np.arange(len(compared), 0, -1)
    adjusted = np.full(len(values), np.nan)
    adjusted[order] = np.maximum.accumulate(np.minimum(1.0, factors * values[order]))
    return adjusted


def check_p_values(p_values: ArrayLike) -> NDArray[np.float64]:
    """Return p-values as an array: each between 0 and 1, or NaN."""
    values = numbers("p_values", p_values, axes=("comparisons",))
    outside = np.flatnonzero((values < 0.0) | (values > 1.0))
    if len(outside):
        raise DataError(
            f"p-values must be between 0 and 1, but {len(outside)} are not "
            f"(first: {values[outside[0]]} at {outside[0]})"
        )
    return values
