"""One TF-IDF feature per word, sparse, by query."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from sklearn.datasets import load_svmlight_file

from ranksieve import TopK, load
from ranksieve.data.feature_lists import read_names
from ranksieve.errors import DataError
from ranksieve.extract import extract_words, write_words

DOCUMENTS = {
    "d1": ("heat", "heat wing"),
    "d2": ("", "heat flow"),
    "d3": ("", "heat wing wing"),
    "d4": ("slab", "drag"),
}
QUERIES = {"q1": "heat", "q2": "wing"}
GRADES = {("q1", "d1"): 2, ("q1", "d2"): 0, ("q1", "d3"): 1, ("q2", "d3"): 1, ("q2", "d4"): 0}


def test_words_of_a_query_are_tf_times_idf_among_its_documents(collect):
    first, second = extract_words(collect(DOCUMENTS, QUERIES, GRADES))
    # All three documents of q1 have heat: it tells nothing, and is left out.
    assert first.words.tolist() == ["flow", "wing"]
    flow, wing = log(3 / 1), log(3 / 2)
    np.testing.assert_allclose(first.X.toarray(), [[0, wing], [flow, 0], [0, 2 * wing]])
    assert (first.query_id, first.y.tolist()) == ("q1", [2, 0, 1])
    assert first.document_ids.tolist() == ["d1", "d2", "d3"]
    assert second.words.tolist() == ["drag", "heat", "slab", "wing"]
    data = first.data()
    assert (data.feature_names, data.n_documents) == (("flow", "wing"), 3)


def test_a_file_of_words_is_what_was_extracted_and_zeros_are_left_out(collect, tmp_path):
    collection = collect(DOCUMENTS, QUERIES, GRADES)
    written = write_words(collection, tmp_path / "words.txt")
    names = read_names(written.names_path)
    assert list(names) == ["drag", "flow", "heat", "slab", "wing"]
    assert (written.n_documents, written.n_queries, written.n_words) == (5, 2, 5)
    assert written.n_values == 3 + 4
    assert written.dense_gib == 5 * 5 * 4 / 2**30
    assert (tmp_path / "words.txt").read_text().count(":") == written.n_values + 5  # and qid:
    data = load(tmp_path / "words.txt", names=written.names_path, n_features=5)
    expected = np.zeros((5, 5))
    start = 0
    for words in extract_words(collection):
        expected[start : start + len(words.y), words.columns] = words.X.toarray()
        start += len(words.y)
    np.testing.assert_allclose(data.X, expected, rtol=1e-6)
    assert data.feature_names == tuple(names)
    assert data.document_ids.tolist() == ["d1", "d2", "d3", "d3", "d4"]


def test_topk_selects_from_sparse_words_as_from_dense_ones(collect, tmp_path):
    queries = {"1": "heat", "2": "wing"}
    grades = {(query.removeprefix("q"), document): g for (query, document), g in GRADES.items()}
    written = write_words(collect(DOCUMENTS, queries, grades), tmp_path / "words.txt.gz")
    X, y, qid = load_svmlight_file(str(written.path), query_id=True, n_features=5)
    dense = load(written.path, n_features=5, dtype="float64")
    top = TopK("pearson", unproven="published").fit(X, y, qid=qid)
    np.testing.assert_array_equal(
        top.order_, TopK("pearson", unproven="published").fit(dense).order_
    )


def test_an_id_that_svmlight_cannot_hold_is_an_error(tmp_path):
    from ranksieve.extract import read_collection

    files = [tmp_path / name for name in ("d.jsonl", "q.tsv", "j.tsv")]
    files[0].write_text('{"_id": "d1", "text": "heat"}\n')
    files[1].write_text("a query\theat\n")
    files[2].write_text("query\tdocument\tgrade\na query\td1\t1\n")
    collection = read_collection(*files)
    with pytest.raises(DataError, match="the query id 'a query' has a blank"):
        write_words(collection, tmp_path / "words.txt")
