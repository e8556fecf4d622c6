"""All features of random collections, against a slow reference, and laws that they obey."""

from __future__ import annotations

import numpy as np
import pytest

from ranksieve.extract import extract_features
from tests.extract.conftest import by_document
from tests.reference import text_features

STOP = ("the", "of")
WORDS = ("heat", "flow", "wing", "drag", "slab", "lift", "mach", *STOP)


def random_collection(seed, n_documents=12, n_queries=5):
    draw = np.random.default_rng(seed)

    def text(longest):
        return " ".join(draw.choice(WORDS, draw.integers(0, longest)))

    documents = {f"d{number}": (text(4), text(15)) for number in range(n_documents)}
    documents["d0"] = ("", "")
    queries = {
        f"q{number}": f"heat {text(5)} {'unheard' if number % 2 else ''}"
        for number in range(n_queries)
    }
    grades = {
        (query, document): int(draw.integers(0, 3)) for query in queries for document in documents
    }
    return documents, queries, grades


def terms(text):
    return [None if word in STOP else word for word in text.split()]


def field_texts(documents, field):
    parts = {
        "title": lambda title, body: terms(title),
        "body": lambda title, body: terms(body),
        "both": lambda title, body: terms(title) + terms(body),
    }
    return [parts[field](*texts) for texts in documents.values()]


def extracted(collect, documents, queries, grades):
    options = {"language": "none", "stop_words": STOP}
    return by_document(extract_features(collect(documents, queries, grades, **options)))


@pytest.mark.parametrize("seed", range(4))
def test_features_are_those_of_the_slow_reference(collect, seed):
    documents, queries, grades = random_collection(seed)
    rows = extracted(collect, documents, queries, grades)
    assert len(rows) == len(documents) * len(queries)
    ids = list(documents)
    for (query, document), features in rows.items():
        asked = [term for term in terms(queries[query]) if term is not None]
        for field in ("title", "body", "both"):
            texts = field_texts(documents, field)
            expected = text_features.features(asked, texts, ids.index(document))
            values = {
                name.partition(".")[2]: value
                for name, value in features.items()
                if name.startswith(f"{field}.")
            }
            assert values.keys() == expected.keys()
            for name, value in expected.items():
                assert values[name] == pytest.approx(value, rel=1e-5, abs=1e-6), (field, name)


def test_the_order_of_documents_does_not_matter(collect):
    documents, queries, grades = random_collection(7)
    shuffled = dict(reversed(documents.items()))
    first = extracted(collect, documents, queries, grades)
    second = extracted(collect, shuffled, queries, grades)
    assert first.keys() == second.keys()
    for key, features in first.items():
        assert features == pytest.approx(second[key], rel=1e-6)


def test_a_copy_of_a_document_has_its_features(collect):
    documents, queries, grades = random_collection(8)
    documents["copy"] = documents["d3"]
    grades |= {(query, "copy"): 0 for query in queries}
    rows = extracted(collect, documents, queries, grades)
    for query in queries:
        assert rows[query, "copy"] == rows[query, "d3"]


def test_ids_do_not_matter(collect):
    documents, queries, grades = random_collection(9)
    renamed = {f"other-{id_}": texts for id_, texts in documents.items()}
    first = extracted(collect, documents, queries, grades)
    second = extracted(
        collect, renamed, queries, {(q, f"other-{d}"): grade for (q, d), grade in grades.items()}
    )
    for (query, document), features in first.items():
        assert features == second[query, f"other-{document}"]


def test_features_of_the_title_do_not_depend_on_bodies(collect):
    documents, queries, grades = random_collection(10)
    emptied = {id_: (title, "") for id_, (title, _) in documents.items()}
    first = extracted(collect, documents, queries, grades)
    # A body that mentions a term keeps it in the collection; those it loses match no title either.
    second = extracted(collect, emptied, queries, grades)
    for key, features in first.items():
        for name, value in features.items():
            if name.startswith("title."):
                assert value == second[key][name], name


def test_the_order_of_queries_and_of_judgements_does_not_matter(collect):
    documents, queries, grades = random_collection(11)
    first = extracted(collect, documents, queries, grades)
    second = extracted(
        collect, documents, dict(reversed(queries.items())), dict(reversed(grades.items()))
    )
    assert first == second
