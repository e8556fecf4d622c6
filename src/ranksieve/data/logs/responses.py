"""A line of a log: which engine's response is in it, and which query that answers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ranksieve.data.logs.base import EngineLog, at
from ranksieve.data.logs.elasticsearch import ElasticsearchLog
from ranksieve.data.logs.json_stream import json_objects
from ranksieve.data.logs.solr import SolrLog
from ranksieve.data.logs.vespa import VespaLog
from ranksieve.errors import DataError

ENGINES: tuple[EngineLog, ...] = (ElasticsearchLog(), SolrLog(), VespaLog())
# Where a response may be inside an object that says more about it.
_WRAPPERS = ("response", "result", "body")
# What the id of the query may be called there.
_QUERY_KEYS = ("query_id", "qid", "queryId", "query")


@dataclass(frozen=True, eq=False)
class Response:
    """A response of an engine, with the line at which it begins."""

    engine: EngineLog
    content: dict[str, Any]
    wrapper: dict[str, Any]
    line: int
    where: str

    def hits(self) -> list[Any]:
        """Return its documents."""
        return self.engine.hits(self.content)

    def query_id(self, path: str | None) -> str:
        """Return the id of the query as text.

        It is at the path, in the response or around it, where one is named. Otherwise it is
        around the response, as query_id, qid, queryId or query, or where the engine has it.
        """
        if path is not None:
            query = at(self.wrapper, path)
            query = at(self.content, path) if query is None else query
            looked_for = [repr(path)]
        else:
            query = self._written_around()
            query = self.engine.query_id(self.content) if query is None else query
            looked_for = [
                f"{', '.join(_QUERY_KEYS)} around the response",
                *self.engine.query_places,
            ]
        if isinstance(query, str | int) and not isinstance(query, bool) and str(query).strip():
            return str(query).strip()
        problem = "has no query id" if query is None else f"has {query!r} for a query id"
        raise DataError(
            f"{self.where}: the response of {self.engine.name} {problem}: looked for "
            f"{'; '.join(looked_for)}. Write each response as "
            '{"query_id": ..., "response": ...}, or name the field with query=.'
        )

    def _written_around(self) -> Any:
        for key in _QUERY_KEYS:
            value = self.wrapper.get(key)
            if value is not None and not isinstance(value, dict | list):
                return value
        return None


def responses(path: Path) -> Iterator[Response]:
    """Yield the responses of a log, one at a time; DataError for what is none."""
    for line, content in json_objects(path):
        where = f"{path}, line {line}"
        response = _response(content, line, where)
        if response is None:
            raise DataError(
                f"{where}: this is no search response: looked for hits.hits (Elasticsearch, "
                "OpenSearch), response.docs (Solr) and root (Vespa), also inside "
                f"{', '.join(_WRAPPERS)}, but its keys are "
                f"{', '.join(map(repr, list(content)[:10])) or 'none'}."
            )
        problem = response.engine.problem(response.content)
        if problem is not None:
            raise DataError(
                f"{where}: the response is an error of {response.engine.name}: {problem[:200]}. "
                "Repeat the request, or leave the response out."
            )
        yield response


def _response(content: dict[str, Any], line: int, where: str) -> Response | None:
    for inner in (content, *(content.get(key) for key in _WRAPPERS)):
        for engine in ENGINES:
            if isinstance(inner, dict) and engine.answers(inner):
                return Response(engine, inner, content, line, where)
    return None
