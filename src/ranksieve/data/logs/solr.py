"""Responses of Solr, with the transformer `[features]`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ranksieve.data.logs.base import EngineLog
from ranksieve.errors import DataError


class SolrLog(EngineLog):
    """A response: response.docs[] with `[features]`, a text such as a=1.0,b=2.0.

    In the sparse format a feature that has its default is not written: it counts as missing.
    """

    name = "Solr"
    feature_place = "the field [features] (ask for it with fl=id,[features store=...])"
    query_places = ("responseHeader.params.qid", "responseHeader.params.query_id")
    sparse = True

    def answers(self, response: dict[str, Any]) -> bool:
        """Tell whether there is a list of documents, or an error with a header."""
        inner = response.get("response")
        return (isinstance(inner, dict) and isinstance(inner.get("docs"), list)) or (
            "responseHeader" in response and "error" in response
        )

    def problem(self, response: dict[str, Any]) -> str | None:
        """Return the message of an error."""
        error = response.get("error")
        if error is None:
            return None
        return str(error.get("msg", error) if isinstance(error, dict) else error)

    def query_id(self, response: dict[str, Any]) -> Any:
        """Return the parameter qid or query_id of the request, which Solr echoes."""
        header = response.get("responseHeader")
        parameters = header.get("params") if isinstance(header, dict) else None
        if not isinstance(parameters, dict):
            return None
        return parameters.get("qid", parameters.get("query_id"))

    def hits(self, response: dict[str, Any]) -> list[Any]:
        """Return response.docs."""
        documents: list[Any] = response["response"]["docs"]
        return documents

    def document_ids(self, hit: dict[str, Any]) -> list[Any]:
        """Return the field id."""
        return [hit.get("id")]

    def fields(self, hit: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Yield the document."""
        yield hit

    def features(self, hit: dict[str, Any]) -> dict[str, Any] | None:
        """Return the features that are written, their values as text."""
        written = hit.get("[features]")
        if not isinstance(written, str):
            return None
        values: dict[str, Any] = {}
        for pair in written.split(",") if written else ():
            name, sign, value = pair.rpartition("=")
            if not sign or not name:
                raise DataError(
                    f"{pair!r} in [features] is not of the form NAME=VALUE. Features are "
                    "separated by commas: leave csvKeyValueDelimiter and csvFeatureSeparator at "
                    "their defaults, and use no comma in names."
                )
            if name in values:
                raise DataError(f"feature {name!r} is in [features] twice.")
            values[name] = value
        return values
