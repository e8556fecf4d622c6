"""What does not fit together: an error that says what to do, or a count of what was left out."""

from __future__ import annotations

import json

import pytest

from ranksieve.errors import DataError, MissingDependencyError, ParameterError
from ranksieve.extract import extract_features, read_collection
from ranksieve.extract.words import word_rule

DOCUMENTS = {"d1": ("wings", "lift of wings"), "d2": ("", "heat"), "d3": ("", "")}
QUERIES = {"q1": "the lift of wings", "q2": "of the"}


def test_what_is_left_out_is_counted_with_its_first_example(collect):
    grades = {
        ("q1", "d1"): 2,
        ("q1", "d3"): 0,
        ("q1", "unknown"): 1,
        ("q2", "d1"): 1,
        ("q9", "d1"): 1,
        ("q9", "d2"): -1,
    }
    queries = {**QUERIES, "q3": "heat"}
    collection = collect(DOCUMENTS, queries, grades)
    assert [query.id for query in collection.queries] == ["q1"]
    assert collection.tally.counts == {
        "negative grade": 1,
        "empty document": 1,
        "judgement of an unknown query": 2,
        "judgement of an unknown document": 1,
        "query without words": 1,
        "query without judgements": 1,
    }
    notes = " ".join(collection.notes())
    assert "1 document has no words (first: 'd3')." in notes
    assert (
        "2 judgements are for queries that are not there, and were left out (first: 'q9')." in notes
    )
    assert "('unknown' for query 'q1')" in notes.replace("first: ", "")
    assert "1 query has no words but stop words and was left out (first: 'q2'," in notes
    assert extract_features(collection).data.n_documents == 2


def test_files_that_do_not_belong_together_are_an_error_with_their_first_ids(collect):
    with pytest.raises(DataError, match=r"query 'x' and document 'y', the queries with 'q1'"):
        collect(DOCUMENTS, QUERIES, {("x", "y"): 1})


def test_an_id_of_two_documents_is_an_error(write):
    paths = write(DOCUMENTS, QUERIES, {("q1", "d1"): 1})
    with paths[0].open("a") as file:
        file.write(json.dumps({"_id": "d1", "text": "again"}) + "\n")
    with pytest.raises(DataError, match=r"line 4: the id 'd1' belongs to another document already"):
        read_collection(*paths)


def test_a_document_of_a_hundred_megabytes_is_left_out_in_little_memory(write):
    import tracemalloc

    paths = write(DOCUMENTS, QUERIES, {("q1", "d1"): 1, ("q1", "huge"): 1})
    with paths[0].open("a") as file:
        file.write('{"_id": "huge", "text": "')
        for _ in range(100):
            file.write("word " * 200_000)
        file.write('"}\n')
    tracemalloc.start()
    collection = read_collection(*paths, max_document_bytes=1 << 20)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert collection.tally.counts["long document"] == 1
    assert collection.tally.counts["judgement of an unknown document"] == 1
    assert "'huge'" in collection.tally.examples["long document"]
    assert peak < 32 << 20


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"language": "englisch"}, "Snowball has no language 'englisch': did you mean 'english'"),
        ({"encoding": "utf-9"}, "no encoding is called 'utf-9'"),
        ({"encoding": "utf-16"}, "files in utf-16 cannot be cut into lines"),
    ],
)
def test_a_parameter_that_is_not_valid_says_what_would_be(collect, options, message):
    with pytest.raises(ParameterError, match=message):
        collect(DOCUMENTS, QUERIES, {("q1", "d1"): 1}, **options)


def test_a_pool_is_a_number_of_at_least_0(collect):
    collection = collect(DOCUMENTS, QUERIES, {("q1", "d1"): 1})
    with pytest.raises(ParameterError, match="pool must be a number of at least 0, but is -1"):
        extract_features(collection, pool=-1)


def test_a_stemmer_that_is_absent_is_named_with_its_install_line(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "snowballstemmer", None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'ranksieve\[text\]'"):
        word_rule("english")
    assert word_rule("none").stemmer()("wings") == "wings"


def test_cranfields_judgements_count_queries_and_other_judgements_name_them(tmp_path):
    documents, queries, judgements = (tmp_path / name for name in ("docs", "queries", "qrels"))
    documents.write_text(".I 1\n.W\nlift\n.I 2\n.W\nheat\n")
    queries.write_text(".I 001\n.W\nlift\n.I 004\n.W\nheat\n")
    judgements.write_text("1 1 2\n2 2 2\n")  # the second query has the number 4
    collection = read_collection(documents, queries, judgements)
    assert [(query.id, query.grades) for query in collection.queries] == [
        ("1", {0: 3.0}),
        ("2", {1: 3.0}),
    ]
    assert collection.by_position
    assert "by their position in the file" in collection.notes()[0]
    judgements.write_text("1 1 2\n4 2 2\n")
    collection = read_collection(documents, queries, judgements)
    assert [query.id for query in collection.queries] == ["1", "4"]
    assert not collection.by_position
