"""Choices: how many features a selector keeps, decided on data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ranksieve import catalog
from ranksieve.choices._curve import ValidationCurve as ValidationCurve
from ranksieve.choices.base import Choice as Choice
from ranksieve.choices.base import FeatureSets as FeatureSets
from ranksieve.choices.validation import RULES as RULES

if TYPE_CHECKING:
    from ranksieve.choices.validation import Validation as Validation


def __getattr__(name: str) -> Any:
    return catalog.exported(__name__, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *catalog.exported(__name__, "__all__")})


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
