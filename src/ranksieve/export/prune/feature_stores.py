"""Feature stores of Solr: a list of features, none of which names another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ranksieve.errors import DataError

SOURCE = "the feature store"


def features_path(content: Any) -> list[str | int]:
    """Return the path of the list of features: as it is sent, or in `features` as it is got.

    Examples
    --------
    >>> features_path([]), features_path({"responseHeader": {}, "features": []})
    ([], ['features'])
    """
    if isinstance(content, list):
        return []
    if isinstance(content, dict) and isinstance(content.get("features"), list):
        return ["features"]
    raise DataError(
        f"{SOURCE} is no list of features: Solr takes a JSON list of objects with 'name', "
        "'class' and 'params', and answers with one in 'features'"
    )


def feature_names(features: Sequence[Any]) -> list[str]:
    """Return the name of each feature; one that several stores have comes several times."""
    seen: dict[tuple[str, str], int] = {}
    for number, feature in enumerate(features, start=1):
        name = feature.get("name") if isinstance(feature, dict) else None
        if not isinstance(name, str):
            raise DataError(
                f"feature {number} of {SOURCE} has no name: a feature is an object with 'name', "
                "'class' and 'params'"
            )
        key = name, str(feature.get("store", ""))
        if key in seen:
            raise DataError(
                f"{SOURCE} has two features {name!r}, numbers {seen[key]} and {number}. Names "
                "are unique in a store: rename or remove one of them."
            )
        seen[key] = number
    return [name for name, _ in seen]
