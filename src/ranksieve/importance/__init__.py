"""Importances: how much each feature, taken alone, says about the grades."""

from __future__ import annotations

from ranksieve import catalog
from ranksieve.errors import ParameterError
from ranksieve.importance.base import Importance
from ranksieve.importance.measure import MeasureImportance
from ranksieve.measures import Measure, parse_measure

__all__ = ["Importance", "MeasureImportance", "as_importance"]


def as_importance(spelled: str | Importance | Measure) -> Importance:
    """Return the importance that a text spells: a measure's text, or a name of the catalog.

    Examples
    --------
    >>> as_importance("ndcg@10")
    MeasureImportance(measure=NDCG(10))
    """
    if isinstance(spelled, Importance):
        return spelled
    if isinstance(spelled, Measure):
        return MeasureImportance(spelled)
    names = [entry.short_name for entry in catalog.entries("importance")]
    stem = str(spelled).split("(", 1)[0].strip().lower()
    if stem in names or any(
        stem == entry.class_name.lower() for entry in catalog.entries("importance")
    ):
        found: Importance = catalog.parse(spelled, "importance")
        return found
    try:
        return MeasureImportance(parse_measure(spelled))
    except ParameterError as error:
        others = ", ".join(name for name in names if name != "measure")
        tail = f" Or an importance: {others}." if others else ""
        raise ParameterError(f"{error}{tail}") from None
