"""Responses of Vespa, with match features."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ranksieve.data.logs.base import EngineLog

_PLACES = ("matchfeatures", "summaryfeatures", "rankfeatures")
# What Vespa itself adds to summary features.
_INTERNAL = "vespa."


class VespaLog(EngineLog):
    """A result: root.children[] with fields.matchfeatures, an object of values by name."""

    name = "Vespa"
    feature_place = (
        "fields.matchfeatures, summaryfeatures or rankfeatures (list them in the rank profile)"
    )
    query_places = ("root.fields.qid", "root.fields.query_id")

    def answers(self, response: dict[str, Any]) -> bool:
        """Tell whether there is a root."""
        return isinstance(response.get("root"), dict)

    def problem(self, response: dict[str, Any]) -> str | None:
        """Return the message of the first error of a result without documents."""
        errors = response["root"].get("errors")
        if not isinstance(errors, list) or not errors or self.hits(response):
            return None
        first = errors[0]
        return str(first.get("message", first) if isinstance(first, dict) else first)

    def query_id(self, response: dict[str, Any]) -> Any:
        """Return the field qid or query_id of the root."""
        fields = response["root"].get("fields")
        return fields.get("qid", fields.get("query_id")) if isinstance(fields, dict) else None

    def hits(self, response: dict[str, Any]) -> list[Any]:
        """Return the documents under the root, also those in groups."""
        return list(_documents(response["root"]))

    def document_ids(self, hit: dict[str, Any]) -> list[Any]:
        """Return documentid, or id, and its last part, which the user has given."""
        fields = hit.get("fields")
        full = fields.get("documentid") if isinstance(fields, dict) else None
        full = hit.get("id") if full is None else full
        parts = str(full).split(":", 4)
        return [full, parts[4]] if len(parts) == 5 and parts[0] == "id" else [full]

    def fields(self, hit: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Yield the fields, and the hit."""
        for inner in (hit.get("fields"), hit):
            if isinstance(inner, dict):
                yield inner

    def features(self, hit: dict[str, Any]) -> dict[str, Any] | None:
        """Return the first of match, summary and rank features that there is."""
        fields = hit.get("fields")
        if not isinstance(fields, dict):
            return None
        for key in _PLACES:
            values = fields.get(key)
            if isinstance(values, dict):
                return {
                    name: value for name, value in values.items() if not name.startswith(_INTERNAL)
                }
        return None


def _documents(root: dict[str, Any]) -> Iterator[Any]:
    """Yield what is under the root and is no group, in its order, to any depth."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        children = node.get("children")
        if isinstance(children, list):
            waiting += [child for child in reversed(children) if isinstance(child, dict)]
        elif node is not root and not str(node.get("id", "")).startswith("group"):
            yield node
