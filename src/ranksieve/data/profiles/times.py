"""Milliseconds of a response by feature, and those that belong to none."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ranksieve.errors import DataError


@dataclass(frozen=True)
class ProfiledFeature:
    """A feature of a definition, in its order.

    Attributes
    ----------
    name : what it is called
    language : that of its template, which tells what its query is called in a profile
    """

    name: str
    language: str | None = None


@dataclass
class Times:
    """Milliseconds that a response took.

    Attributes
    ----------
    features : of each feature
    unattributed : of everything else, by what it is
    """

    features: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    unattributed: dict[str, float] = field(default_factory=lambda: defaultdict(float))

    def add(self, feature: str, milliseconds: float) -> None:
        """Add to the time of a feature."""
        self.features[feature] += milliseconds

    def add_unattributed(self, kind: str, milliseconds: float) -> None:
        """Add to the time of something that is no feature; clocks may make it less than 0."""
        if milliseconds > 0:
            self.unattributed[kind] += milliseconds

    @property
    def total(self) -> float:
        """All of the time."""
        return sum(self.features.values()) + sum(self.unattributed.values())


def time_in(content: Mapping[str, Any], key: str) -> float:
    """Return a time that is written in an object, in whatever unit; 0 where there is none."""
    value = content.get(key, 0.0)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0 <= value < math.inf:
        raise DataError(f"{key!r} must be a time, a number of at least 0, but is {value!r}.")
    return float(value)
