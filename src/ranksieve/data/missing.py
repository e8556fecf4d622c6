"""The rule for missing values: one for all sources, chosen by the caller."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ranksieve.catalog import suggestion
from ranksieve.data.missing_counts import count_missing
from ranksieve.errors import ParameterError
from ranksieve.kernels.columns.scans import fill_missing, fill_missing_with_query_minimum

Missing = float | Literal["error", "query-minimum"]

REMEDY = (
    "Pass missing=0.0 (any number) or missing='query-minimum' to fill missing values, "
    "or remove them from the source."
)


def check_missing(missing: Missing) -> None:
    """Raise unless `missing` is a rule: 'error', a finite number, or 'query-minimum'."""
    names = ("error", "query-minimum")
    if isinstance(missing, str):
        if missing not in names:
            raise ParameterError(
                f"unknown rule for missing values {missing!r}{suggestion(missing, names)} "
                "It is 'error', 'query-minimum', or a number."
            )
    elif not _is_finite_number(missing):
        raise ParameterError(
            f"missing must be 'error', 'query-minimum' or a finite number, but is {missing!r}"
        )


def fill(X: NDArray[Any], query_ptr: NDArray[np.int64], missing: Missing) -> None:
    """Replace NaN in place as the rule says; the rule 'error' leaves X as it is.

    'query-minimum' takes the least value that the feature has in the query, and 0 where the
    feature is missing in the whole query, as the "min" version of LETOR 4.0 does.
    """
    count_missing(X)
    if missing == "query-minimum":
        fill_missing_with_query_minimum(X, query_ptr)
    elif missing != "error":
        if abs(missing) > float(np.finfo(X.dtype).max):
            raise ParameterError(
                f"missing={missing!r} is too large for {X.dtype}: choose a smaller number, or "
                "dtype=np.float64"
            )
        fill_missing(X, float(missing))


def _is_finite_number(value: Any) -> bool:
    is_number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    return is_number and bool(np.isfinite(value))
