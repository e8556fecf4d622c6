"""Small collections, as files."""

from __future__ import annotations

import json

import pytest

from ranksieve.extract import read_collection


@pytest.fixture
def write(tmp_path):
    """Write a collection as JSON lines with qrels; return the three paths."""

    def files(documents, queries, grades):
        paths = [tmp_path / name for name in ("documents.jsonl", "queries.jsonl", "qrels.txt")]
        with paths[0].open("w") as file:
            for id_, (title, body) in documents.items():
                file.write(json.dumps({"_id": id_, "title": title, "text": body}) + "\n")
        with paths[1].open("w") as file:
            for id_, text in queries.items():
                file.write(json.dumps({"_id": id_, "text": text}) + "\n")
        paths[2].write_text("".join(f"{q} 0 {d} {grade}\n" for (q, d), grade in grades.items()))
        return paths

    return files


@pytest.fixture
def collect(write):
    """Write a collection and read it; options go to `read_collection`."""

    def collection(documents, queries, judged, **options):
        return read_collection(*write(documents, queries, judged), **options)

    return collection


def by_document(extraction):
    """The features of an extraction by query, document and name."""
    data = extraction.data
    return {
        (str(query), document): dict(zip(data.feature_names, row, strict=True))
        for query, document, row in zip(data.qid, data.document_ids, data.X.tolist(), strict=True)
    }
