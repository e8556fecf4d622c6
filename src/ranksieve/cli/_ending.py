"""How a fit ended: warnings in plain words, and what was proven."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

_NUMBERS = ("objective_", "bound_", "gap_", "greedy_objective_", "greedy_shortfall_", "balance_")
# What makes embedded models sparse.
_STRENGTHS = ("strength_", "importance_strength_", "radius_")


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
    found = {name.rstrip("_"): getattr(selector, name, math.nan) for name in _NUMBERS + _STRENGTHS}
    known = {name: float(value) for name, value in found.items() if math.isfinite(value)}
    if "bound" in known or any(hasattr(selector, name) for name in _STRENGTHS):
        known["converged"] = bool(selector.converged_)
    return known


def ending_in_words(selector: Any) -> str | None:
    """Return a sentence on a search whose result has a proven bound, or on a model, or None.

    Examples
    --------
    >>> class Search:
    ...     objective_, bound_, gap_, converged_, greedy_shortfall_ = 2.0, 2.5, 0.5, False, 0.25
    >>> ending_in_words(Search())
    'Objective 2.0000, no set above 2.5000 (gap 0.5000, not proven best); greedy: 0.2500 less.'
    """
    known = ending(selector)
    if "bound" not in known:
        return _strength_in_words(selector)
    proof = (
        "proven best"
        if known["converged"]
        else f"no set above {known['bound']:.4f} (gap {known['gap']:.4f}, not proven best)"
    )
    less = known["greedy_shortfall"]
    return f"Objective {known['objective']:.4f}, {proof}; greedy: {less:.4f} less."


def cross_validation_summary(selector: Any) -> dict[str, Any]:
    """Return how each strength did on held-out queries, where one was chosen by folds."""
    found = getattr(selector, "cross_validation_", None)
    if found is None:
        return {}
    columns: list[Any] = [found.numbers, found.means, found.standard_errors, found.n_features]
    names = [str(_strength_name(selector)).strip("_"), "mean", "standard_error", "features"]
    both: dict[str, Any] = {}
    if found.similarity_strengths is not None:
        columns, names = [found.similarity_strengths, *columns], ["similarity_strength", *names]
        both = {
            "chosen_similarity_strength": found.chosen_similarity_strength,
            "best_similarity_strength": found.best_similarity_strength,
        }
    return {
        "cross_validation": {
            "measure": found.measure,
            "rule": found.rule,
            "folds": found.n_folds,
            "chosen": found.chosen,
            "best": found.best,
            **both,
            "curve": [
                dict(zip(names, map(float, row), strict=True)) for row in zip(*columns, strict=True)
            ],
        }
    }


def _strength_in_words(selector: Any) -> str | None:
    """Return the strength of an embedded model, and where it is from.

    Examples
    --------
    >>> class Model:
    ...     strength_, n_features_ = 0.0625, 3
    >>> _strength_in_words(Model())
    'Strength 0.0625.'
    """
    name = _strength_name(selector)
    if name is None or getattr(selector, "n_pairs_", 1) == 0:
        # Without two grades in a query no strength says anything.
        return None
    said = f"{name.strip('_').replace('_', ' ').capitalize()} {getattr(selector, name):.4g}"
    chosen = getattr(selector, "cross_validation_", None)
    if chosen is not None:
        said += _folds_in_words(chosen, getattr(selector, name))
    clipped = getattr(selector, "n_clipped_eigenvalues_", 0)
    if clipped:
        said += (
            f"; of the similarity {clipped} negative eigenvalues (least "
            f"{selector.least_eigenvalue_:.3g}) were clipped"
        )
    if selector.n_features_ == 0:
        said += ": all weights are 0, so no feature is kept. Take a smaller one, or -k in its place"
    return f"{said}."


def _folds_in_words(chosen: Any, strength: float) -> str:
    """Return what folds chose: the strength, the similarity strength beside it, or both."""
    words = f", chosen by {chosen.n_folds} folds of queries"
    # With a number of features the strength is that number's.
    if strength == chosen.chosen:
        words += f": mean {chosen.measure} {chosen.chosen_mean:.4f}"
    if chosen.similarity_strengths is None:
        return words
    by_folds = strength == chosen.chosen and (chosen.numbers != chosen.chosen).any()
    joint = " and" if by_folds else ";"
    return f"{joint} similarity strength {chosen.chosen_similarity_strength:.4g}{words}"


def _strength_name(selector: Any) -> str | None:
    return next((name for name in _STRENGTHS if hasattr(selector, name)), None)
