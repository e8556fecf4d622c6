"""How a fit ended: warnings in plain words, and what was proven."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

_NUMBERS = ("objective_", "bound_", "gap_", "greedy_objective_", "greedy_shortfall_", "balance_")


@contextmanager
def plain_warnings() -> Iterator[None]:
    """Say warnings on standard error in one line each, without file and source line."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for warning in caught:
        if not issubclass(warning.category, DeprecationWarning | FutureWarning):
            click.echo(f"Warning: {warning.message}", err=True)


def ending(selector: Any) -> dict[str, Any]:
    """Return the numbers that a fitted selector has on its search, where it has any."""
    found = {name.rstrip("_"): getattr(selector, name, math.nan) for name in _NUMBERS}
    known = {name: float(value) for name, value in found.items() if math.isfinite(value)}
    if "bound" in known:
        known["converged"] = bool(selector.converged_)
    return known


def ending_in_words(selector: Any) -> str | None:
    """Return a sentence on a search whose result has a proven bound, or None.

    Examples
    --------
    >>> class Search:
    ...     objective_, bound_, gap_, converged_, greedy_shortfall_ = 2.0, 2.5, 0.5, False, 0.25
    >>> ending_in_words(Search())
    'Objective 2.0000, no set above 2.5000 (gap 0.5000, not proven best); greedy: 0.2500 less.'
    """
    known = ending(selector)
    if "bound" not in known:
        return None
    proof = (
        "proven best"
        if known["converged"]
        else f"no set above {known['bound']:.4f} (gap {known['gap']:.4f}, not proven best)"
    )
    less = known["greedy_shortfall"]
    return f"Objective {known['objective']:.4f}, {proof}; greedy: {less:.4f} less."
