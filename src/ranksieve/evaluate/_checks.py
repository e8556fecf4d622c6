"""What goes into a statistic: numbers of the right shape, levels and names."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ranksieve import catalog
from ranksieve.errors import DataError, ParameterError

Alternative = Literal["two-sided", "greater", "less"]
ALTERNATIVES = ("two-sided", "greater", "less")

# Values that differ by no more than this share of the largest are equal: rounding made the rest.
NEGLIGIBLE = 1e-12


def check_alternative(alternative: Any) -> None:
    """Raise unless the alternative is a known one."""
    catalog.check_choice("alternative", alternative, ALTERNATIVES)


def check_level(level: Any) -> None:
    """Raise unless a level is a number strictly between 0 and 1."""
    if not is_number(level) or not 0.0 < level < 1.0:
        raise ParameterError(f"level must be between 0 and 1, such as 0.95, but is {level!r}")


def is_number(value: Any) -> bool:
    """Tell whether a value is a finite number; True and False are none."""
    return not isinstance(value, bool) and isinstance(value, Real) and math.isfinite(value)


def numbers(name: str, values: ArrayLike, *, axes: tuple[str, ...]) -> NDArray[np.float64]:
    """Return values as float64, one axis for each name in `axes`; NaN may be among them.

    Examples
    --------
    >>> numbers("a", [[0.5]], axes=("queries",))
    Traceback (most recent call last):
    ...
    ranksieve.errors.DataError: a must have the shape (queries), but has 2 axes: (1, 1)
    """
    try:
        array = np.asarray(values, dtype=np.float64)
    except (ValueError, TypeError):
        raise DataError(f"{name} must be numbers, in the shape ({', '.join(axes)})") from None
    if array.ndim != len(axes):
        kind = "axis" if array.ndim == 1 else "axes"
        raise DataError(
            f"{name} must have the shape ({', '.join(axes)}), but has {array.ndim} {kind}: "
            f"{array.shape}"
        )
    infinite = np.argwhere(np.isinf(array))
    if len(infinite):
        raise DataError(
            f"{name} must be finite, but {len(infinite)} values are infinite "
            f"(first: at {_position(infinite[0])})"
        )
    return array


def counting_columns(values: NDArray[np.float64], statistic: str) -> NDArray[np.float64]:
    """Return the columns (queries) without NaN; a query counts in all rows or in none.

    Raises where a column is NaN in some rows alone, or where no column is left.
    """
    missing = np.isnan(values)
    counts = ~missing.all(axis=0)
    torn = np.flatnonzero(missing.any(axis=0) & counts)
    if len(torn):
        raise DataError(
            f"{statistic}: a query that does not count must be NaN for every method, but "
            f"{len(torn)} of {values.shape[1]} are NaN for some alone (first: query {torn[0]}). "
            "Were all measured alike, on the same queries?"
        )
    if not counts.any():
        raise DataError(
            f"{statistic} needs at least one query that counts (is not NaN), but there is none "
            f"among {values.shape[1]}"
        )
    return values if counts.all() else values[:, counts]


def _position(index: NDArray[np.int64]) -> str:
    return ", ".join(str(int(position)) for position in index)
