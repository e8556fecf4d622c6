"""Feature values: finite, and without holes once the rule for missing values has run."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.data.missing import REMEDY, Missing, fill
from ranksieve.errors import DataError
from ranksieve.kernels.columns.scans import first_infinite, first_missing


def check_values(
    X: NDArray[Any],
    missing: Missing,
    names: tuple[str, ...],
    *,
    first_row: int = 0,
    source: str = "X",
) -> bool:
    """Raise for an infinite value, or for NaN where that is an error; return whether any is NaN."""
    row, column = first_infinite(X)
    if row >= 0:
        raise DataError(
            f"feature values must be finite, but row {row + first_row}, feature "
            f"{names[column]!r} is {X[row, column]}: {source} contains infinity{_narrow(X)}. "
            "Clip it or leave the row out."
        )
    row, column = first_missing(X)
    if row >= 0 and missing == "error":
        raise DataError(
            f"row {row + first_row}, feature {names[column]!r} is missing: "
            f"{source} contains NaN. {REMEDY}"
        )
    return bool(row >= 0)


def without_missing(
    X: NDArray[Any], query_ptr: NDArray[np.int64], missing: Missing, names: tuple[str, ...]
) -> NDArray[Any]:
    """Return X if all its values are there, or a copy in which missing ones are filled."""
    if not check_values(X, missing, names):
        return X
    filled = X.copy(order="F")
    fill(filled, query_ptr, missing)
    return filled


def _narrow(X: NDArray[Any]) -> str:
    return " or a value too large for float32" if X.dtype == np.float32 else ""
