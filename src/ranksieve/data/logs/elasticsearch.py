"""Responses of Elasticsearch and OpenSearch, with `_ltrlog`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ranksieve.data.logs.base import EngineLog
from ranksieve.errors import DataError

_QUERY_MARK = "qid:"
# What scripts add to the log, which is no feature.
_EXTRA = "extra_logging"


class ElasticsearchLog(EngineLog):
    """A search response: hits.hits[] with fields._ltrlog, a list of features by log entry."""

    name = "Elasticsearch or OpenSearch"
    feature_place = "fields._ltrlog (ask for it with ext.ltr_log.log_specs in the request)"
    query_places = (f"a named query '{_QUERY_MARK}ID' in the hits' matched_queries",)

    def answers(self, response: dict[str, Any]) -> bool:
        """Tell whether there is a list of hits, or an error with a status."""
        hits = response.get("hits")
        return (isinstance(hits, dict) and isinstance(hits.get("hits"), list)) or (
            "error" in response and "status" in response
        )

    def problem(self, response: dict[str, Any]) -> str | None:
        """Return the reason of an error."""
        error = response.get("error")
        if error is None:
            return None
        return str(error.get("reason", error) if isinstance(error, dict) else error)

    def query_id(self, response: dict[str, Any]) -> Any:
        """Return what follows the mark in the name of a query that a hit matches."""
        for hit in self.hits(response):
            for name in hit.get("matched_queries", ()) if isinstance(hit, dict) else ():
                if str(name).startswith(_QUERY_MARK):
                    return str(name).removeprefix(_QUERY_MARK)
        return None

    def hits(self, response: dict[str, Any]) -> list[Any]:
        """Return hits.hits."""
        hits: list[Any] = response["hits"]["hits"]
        return hits

    def document_ids(self, hit: dict[str, Any]) -> list[Any]:
        """Return _id."""
        return [hit.get("_id")]

    def fields(self, hit: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Yield the source, the fields, and the hit."""
        for inner in (hit.get("_source"), hit.get("fields"), hit):
            if isinstance(inner, dict):
                yield inner

    def features(self, hit: dict[str, Any]) -> dict[str, Any] | None:
        """Return the features of all log entries; one without a value did not match."""
        fields = hit.get("fields")
        log = fields.get("_ltrlog") if isinstance(fields, dict) else None
        if not isinstance(log, list):
            return None
        values: dict[str, Any] = {}
        for entry, name, value in _entries(log):
            if name in values:
                raise DataError(
                    f"feature {name!r} is logged twice, the second time in the log entry "
                    f"{entry!r}. Log one feature set, or rename the feature in one of them."
                )
            values[name] = value
        return values


def _entries(log: list[Any]) -> Iterator[tuple[str, str, Any]]:
    """Yield log entry, name and value of each feature; the value of one that did not match is None.

    The log is a list of objects that have, for each log entry, a list of features.
    """
    for entries in log:
        for entry, features in entries.items() if isinstance(entries, dict) else ():
            for feature in features if isinstance(features, list) else (features,):
                name = feature.get("name") if isinstance(feature, dict) else None
                if not isinstance(name, str):
                    raise DataError(
                        f"a feature of the log entry {entry!r} has no name: {str(feature)[:60]!r}"
                    )
                value = feature.get("value")
                if name != _EXTRA or not isinstance(value, dict):
                    yield entry, name, value
