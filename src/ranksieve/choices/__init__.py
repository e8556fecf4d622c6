"""Choices: how many features a selector keeps, decided on data."""

from __future__ import annotations

from typing import Any

from ranksieve import catalog
from ranksieve.choices._curve import ValidationCurve
from ranksieve.choices.base import Choice, FeatureSets
from ranksieve.choices.validation import RULES, Validation

__all__ = [
    "RULES",
    "Choice",
    "FeatureSets",
    "Validation",
    "ValidationCurve",
    "as_choice",
    "choice_names",
]


def as_choice(spelled: Any) -> Choice | None:
    """Return the choice that a text spells, or None where it spells none.

    Examples
    --------
    >>> as_choice("validation")
    Validation()
    >>> as_choice('Validation(measure="map")')
    Validation(measure="map")
    >>> as_choice("ten") is None and as_choice(10) is None
    True
    """
    if isinstance(spelled, Choice):
        return spelled
    if not isinstance(spelled, str):
        return None
    if spelled.split("(", 1)[0].strip().lower() not in choice_names():
        return None
    choice: Choice = catalog.parse(spelled, "choices")
    return choice


def choice_names() -> list[str]:
    """Return the names by which choices are asked for."""
    return [entry.short_name for entry in catalog.entries("choices")]
