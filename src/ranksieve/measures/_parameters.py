"""Checks of the parameters that measures share."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any

from ranksieve.errors import ParameterError

# Gains reach 2^960 at most, so that no sum over fewer than 2^63 documents overflows.
GRADE_LIMIT = 960
_COUNT_LIMIT = 10**18


def check_count(name: str, value: Any) -> None:
    """Raise unless the value is a whole number from 1 that a kernel can hold."""
    is_whole = not isinstance(value, bool) and isinstance(value, Integral)
    if not is_whole or not 1 <= int(value) < _COUNT_LIMIT:
        raise ParameterError(
            f"{name} must be a whole number of at least 1 and below 10^18, but is {value!r}"
        )


def check_cutoff(k: Any) -> None:
    """Raise unless k is None (all positions) or a whole number of at least 1."""
    if k is not None:
        check_count("k", k)


def check_threshold(threshold: Any) -> None:
    """Raise unless the threshold is a positive number."""
    if not _is_finite(threshold) or threshold <= 0:
        raise ParameterError(
            f"threshold must be a positive number, but is {threshold!r}. "
            "It is the least grade that counts as relevant: try threshold=1."
        )


def check_no_relevant(value: Any) -> None:
    """Raise unless the value is a finite number or "skip"."""
    if _is_finite(value) or (isinstance(value, str) and value == "skip"):
        return
    raise ParameterError(
        f"no_relevant must be a finite number or 'skip', but is {value!r}. "
        "Try 0.0, which counts such queries as failures, or 'skip', which leaves them out."
    )


def literal(value: Any) -> str:
    """Return the text that parses back to a parameter's value, numpy numbers as plain ones."""
    if isinstance(value, str):
        return f'"{value}"'
    if value is None:
        return "None"
    return str(int(value)) if isinstance(value, Integral) else repr(float(value))


def _is_finite(value: Any) -> bool:
    return not isinstance(value, bool) and isinstance(value, Real) and math.isfinite(value)
