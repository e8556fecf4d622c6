"""What the methods of a study are called in its tables, charts and files."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ranksieve.experiment import ALL, Outcome

ALL_FEATURES = "all features"
OWN_WEIGHTS = "own weights"


def method_label(outcome: Outcome) -> str:
    """Return the method with its variant, without its ranker."""
    return f"{outcome.method}, refit" if outcome.variant == "refit" else outcome.method


def ranker_label(outcome: Outcome) -> str:
    """Return the ranker, or that the method's own weights rank."""
    return outcome.ranker or OWN_WEIGHTS


def wanted_label(number: int | None) -> str:
    """Return how many features were asked for.

    Examples
    --------
    >>> wanted_label(10), wanted_label(None), wanted_label(-1)
    ('10', 'chosen by validation', 'all it keeps')
    """
    if number is None:
        return "chosen by validation"
    return "all it keeps" if number == ALL else str(number)


def distinct(names: Iterable[str]) -> tuple[str, ...]:
    """Return each name once, in the order of first appearance."""
    return tuple(dict.fromkeys(names))


def file_name(*parts: str) -> str:
    """Return a readable name for a file, of letters that every system takes.

    Examples
    --------
    >>> file_name("features", "MQ2008", "own weights", "NDCG@10")
    'features-mq2008-own-weights-ndcg-10'
    """
    return re.sub(r"[^a-z0-9]+", "-", " ".join(parts).lower()).strip("-")[:120]
