"""Logs of the engines with the same documents and values, and judgements of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

# Query, document, grade, features: a value of None did not match.
DOCUMENTS = (
    ("q1", "d1", 2, {"title": 1.5, "body": 0.25}),
    ("q1", "d2", 0, {"title": None, "body": 3.0}),
    ("q2", "d1", 1, {"title": 0.0, "body": -2.0}),
    ("q2", "d3", 3, {"title": 7.0, "body": 1e-4}),
)


def elasticsearch_hit(document, features):
    logged = [
        {"name": name} if value is None else {"name": name, "value": value}
        for name, value in features.items()
    ]
    return {"_id": document, "_score": 1.0, "fields": {"_ltrlog": [{"main": logged}]}}


def elasticsearch(query, documents):
    hits = [elasticsearch_hit(document, features) for document, features in documents]
    return {"took": 3, "hits": {"total": {"value": len(hits)}, "hits": hits}}


def solr(query, documents):
    written = [
        ",".join(f"{name}={value}" for name, value in features.items() if value is not None)
        for _, features in documents
    ]
    docs = [
        {"id": document, "[features]": text}
        for (document, _), text in zip(documents, written, strict=True)
    ]
    return {"responseHeader": {"status": 0}, "response": {"numFound": len(docs), "docs": docs}}


def vespa(query, documents):
    children = [
        {"id": f"id:shop:item::{document}", "relevance": 1.0, "fields": {"matchfeatures": features}}
        for document, features in documents
    ]
    return {"root": {"id": "toplevel", "fields": {"totalCount": 2}, "children": children}}


ENGINES = {"elasticsearch": elasticsearch, "solr": solr, "vespa": vespa}


def logged(engine, documents=DOCUMENTS):
    """The responses of an engine, each with the id of its query around it."""
    queries = dict.fromkeys(query for query, *_ in documents)
    return [
        {
            "query_id": query,
            "response": ENGINES[engine](
                query, [(name, values) for of, name, _, values in documents if of == query]
            ),
        }
        for query in queries
    ]


def lines(responses) -> str:
    return "".join(json.dumps(response) + "\n" for response in responses)


@pytest.fixture
def write(tmp_path):
    def written(content: str | bytes, name: str) -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return written


@pytest.fixture
def qrels(write) -> Path:
    text = "".join(f"{query} 0 {document} {grade}\n" for query, document, grade, _ in DOCUMENTS)
    return write(text, "qrels.txt")
