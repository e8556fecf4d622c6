"""What the log of an engine says: a class for each."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, ClassVar

from ranksieve.errors import DataError


class EngineLog(ABC):
    """Where a response of an engine has its query, its documents and their features.

    Attributes
    ----------
    name : what messages call the engine
    feature_place : where the features of a document are
    query_places : where the id of the query may be, besides around the response
    sparse : whether a document may lack features that others have
    """

    name: ClassVar[str]
    feature_place: ClassVar[str]
    query_places: ClassVar[tuple[str, ...]]
    sparse: ClassVar[bool] = False

    @abstractmethod
    def answers(self, response: dict[str, Any]) -> bool:
        """Tell whether a response is of this engine."""

    @abstractmethod
    def problem(self, response: dict[str, Any]) -> str | None:
        """Return what the engine says went wrong, or None."""

    @abstractmethod
    def query_id(self, response: dict[str, Any]) -> Any:
        """Return the id of the query that is written in a response, or None."""

    @abstractmethod
    def hits(self, response: dict[str, Any]) -> list[Any]:
        """Return the documents of a response."""

    @abstractmethod
    def document_ids(self, hit: dict[str, Any]) -> list[Any]:
        """Return the ids by which a document may be judged, the full one first."""

    @abstractmethod
    def fields(self, hit: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Yield the mappings in which a field of a document may be."""

    @abstractmethod
    def features(self, hit: dict[str, Any]) -> dict[str, Any] | None:
        """Return the features of a document as they are written, or None where there are none."""


def number(value: Any, feature: str) -> float:
    """Return a value of a log as a number: NaN where it is missing.

    Examples
    --------
    >>> number(2, "bm25"), number(None, "bm25"), number("NaN", "bm25")
    (2.0, nan, nan)
    """
    if value is None:
        return math.nan
    scalar = _scalar(value)
    if isinstance(scalar, bool) or not isinstance(scalar, int | float | str):
        kind = "a tensor" if isinstance(value, dict) and "type" in value else "no number"
        raise DataError(
            f"feature {feature!r} is {kind}: {_shortened(value)}. Leave it out with "
            f"exclude={feature!r}."
        )
    try:
        result = float(scalar)
    except (ValueError, OverflowError):
        raise DataError(
            f"the value {_shortened(value)} of feature {feature!r} is no number. Leave the "
            f"feature out with exclude={feature!r}, or correct the log."
        ) from None
    if math.isinf(result):
        raise DataError(
            f"the value {value} of feature {feature!r} is infinite. Clip it, or leave the "
            f"feature out with exclude={feature!r}."
        )
    return result


def at(content: Any, path: str) -> Any:
    """Return what is at a path of keys with dots, or None; a list of one stands for its value.

    Examples
    --------
    >>> at({"header": {"q.id": [7]}}, "header.q.id")
    7
    """
    if isinstance(content, dict):
        if path in content:
            inner = content[path]
            return inner[0] if isinstance(inner, list) and len(inner) == 1 else inner
        for key, inner in content.items():
            if (
                path.startswith(f"{key}.")
                and (value := at(inner, path[len(key) + 1 :])) is not None
            ):
                return value
    return None


def _scalar(value: Any) -> Any:
    """Return the number of a tensor without dimensions; other values as they are."""
    if isinstance(value, dict) and str(value.get("type", "")).endswith("()"):
        cells, values = value.get("cells"), value.get("values")
        if isinstance(values, list) and len(values) == 1:
            return values[0]
        if isinstance(cells, list) and len(cells) == 1 and isinstance(cells[0], dict):
            return cells[0].get("value")
    return value


def _shortened(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
