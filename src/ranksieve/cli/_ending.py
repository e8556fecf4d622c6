"""How a fit ended: warnings in plain words, and what was proven."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from ranksieve.estimator import Ending
    from ranksieve.selectors import Selector


@contextmanager
def plain_warnings() -> Iterator[None]:
    """Say warnings on standard error in one line each, without file and source line."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for warning in caught:
        if not issubclass(warning.category, DeprecationWarning | FutureWarning):
            click.echo(f"Warning: {warning.message}", err=True)


def ending_summary(selector: Selector) -> dict[str, Any]:
    """Return the numbers that a fitted selector has on its search, where it has any."""
    ending = selector.ending()
    totals = {"objective": ending.objective, "bound": ending.bound, "gap": ending.gap}
    numbers = {**totals, **ending.details, **ending.settled}
    summary: dict[str, Any] = {
        name: float(number)
        for name, number in numbers.items()
        if number is not None and math.isfinite(number)
    }
    if "bound" in summary or selector.strength_parameter is not None:
        summary["converged"] = ending.converged
    return summary


def ending_in_words(selector: Selector) -> str | None:
    """Return a sentence on a search whose result has a proven bound, or on a model, or None."""
    ending = selector.ending()
    return _strength_in_words(selector) if ending.bound is None else _search_in_words(ending)


def _search_in_words(ending: Ending) -> str:
    """Return what a search reached, and whether that is proven to be the best.

    Examples
    --------
    >>> from ranksieve.estimator import Ending
    >>> details = {"greedy_shortfall": 0.25}
    >>> _search_in_words(Ending(False, None, 2.0, 0.5, 2.5, details=details))
    'Objective 2.0000, no set above 2.5000 (gap 0.5000, not proven best); greedy: 0.2500 less.'
    """
    proof = (
        "proven best"
        if ending.converged
        else f"no set above {ending.bound:.4f} (gap {ending.gap:.4f}, not proven best)"
    )
    less = ending.details["greedy_shortfall"]
    return f"Objective {ending.objective:.4f}, {proof}; greedy: {less:.4f} less."


def cross_validation_summary(selector: Any) -> dict[str, Any]:
    """Return how each strength did on held-out queries, where one was chosen by folds."""
    validated = getattr(selector, "cross_validation_", None)
    if validated is None:
        return {}
    columns: list[Any] = [
        validated.numbers,
        validated.means,
        validated.standard_errors,
        validated.n_features,
    ]
    names = [str(selector.strength_parameter), "mean", "standard_error", "features"]
    both: dict[str, Any] = {}
    if validated.similarity_strengths is not None:
        columns, names = [validated.similarity_strengths, *columns], ["similarity_strength", *names]
        both = {
            "chosen_similarity_strength": validated.chosen_similarity_strength,
            "best_similarity_strength": validated.best_similarity_strength,
        }
    return {
        "cross_validation": {
            "measure": validated.measure,
            "rule": validated.rule,
            "folds": validated.n_folds,
            "chosen": validated.chosen,
            "best": validated.best,
            **both,
            "curve": [
                dict(zip(names, map(float, row), strict=True)) for row in zip(*columns, strict=True)
            ],
        }
    }


def _strength_in_words(selector: Any) -> str | None:
    """Return the strength of an embedded model, and where it is from."""
    name = selector.strength_parameter
    if name is None or getattr(selector, "n_pairs_", 1) == 0:
        # Without two grades in a query no strength says anything.
        return None
    strength = selector.ending().settled[name]
    sentence = f"{name.replace('_', ' ').capitalize()} {strength:.4g}"
    chosen = getattr(selector, "cross_validation_", None)
    if chosen is not None:
        sentence += _folds_in_words(chosen, strength)
    clipped = getattr(selector, "n_clipped_eigenvalues_", 0)
    if clipped:
        sentence += (
            f"; of the similarity {clipped} negative eigenvalues (least "
            f"{selector.least_eigenvalue_:.3g}) were clipped"
        )
    if selector.n_features_ == 0:
        sentence += (
            ": all weights are 0, so no feature is kept. Take a smaller one, or -k in its place"
        )
    return f"{sentence}."


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
