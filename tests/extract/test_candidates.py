"""The documents of a query: judged ones, and a pool by BM25."""

from __future__ import annotations

import numpy as np
import pytest

from ranksieve.errors import ParameterError
from ranksieve.extract import extract_features
from ranksieve.extract.candidates import Pool
from tests.extract.test_features_reference import random_collection

DOCUMENTS = {
    "d1": ("", "heat"),
    "d2": ("", "heat heat flow"),
    "d3": ("", "heat flow wing drag slab lift"),
    "d4": ("", "wing"),
    "d5": ("", "heat"),
}


def ids(collection, pool, within=False):
    index = collection.index
    candidates = Pool(collection, pool, within).candidates(collection.queries[0])
    return dict(
        zip([index.document_ids[d] for d in candidates.documents], candidates.grades, strict=True)
    )


def test_without_a_pool_only_judged_documents_have_rows(collect):
    collection = collect(DOCUMENTS, {"q": "heat"}, {("q", "d4"): 1, ("q", "d2"): 2})
    assert ids(collection, 0) == {"d2": 2, "d4": 1}


def test_a_pool_adds_the_best_that_nobody_judged_as_not_relevant(collect):
    collection = collect(DOCUMENTS, {"q": "heat"}, {("q", "d4"): 1, ("q", "d2"): 2})
    # d1 and d5 are alike: the lesser id is first. d3 is longer.
    assert ids(collection, 1) == {"d1": 0, "d2": 2, "d4": 1}
    assert ids(collection, 2) == {"d1": 0, "d2": 2, "d4": 1, "d5": 0}
    assert ids(collection, 99) == {"d1": 0, "d2": 2, "d3": 0, "d4": 1, "d5": 0}


def test_a_document_whose_judgement_has_no_grade_is_left_out(collect):
    grades = {("q", "d4"): 1, ("q", "d1"): -1}
    collection = collect(DOCUMENTS, {"q": "heat"}, grades, grades={1: 1.0, -1: None})
    assert ids(collection, 99) == {"d2": 0, "d3": 0, "d4": 1, "d5": 0}


def test_judged_documents_behind_the_pool_are_counted_and_left_out_if_asked_for(collect):
    # By BM25 of heat: d1 and d5, which are short, then d2, then d3; d4 has no term of the query.
    grades = {("q", "d1"): 2, ("q", "d3"): 1, ("q", "d4"): 1}
    collection = collect(DOCUMENTS, {"q": "heat"}, grades)
    assert ids(collection, 1) == {"d1": 2, "d3": 1, "d4": 1, "d5": 0}
    assert ids(collection, 1, within=True) == {"d1": 2, "d5": 0}
    everything = extract_features(collection, pool=1)
    assert everything.notes[0].startswith("2 of 3 judged documents are behind the last of the pool")
    assert "--within-pool" in everything.notes[0]
    inside = extract_features(collection, pool=1, within_pool=True)
    assert inside.notes[0].endswith("by BM25 and have no rows.")
    assert inside.data.document_ids.tolist() == ["d1", "d5"]
    assert not extract_features(collection).notes
    with pytest.raises(ParameterError, match="within_pool=True needs a pool"):
        extract_features(collection, within_pool=True)


@pytest.mark.parametrize("size", [1, 3, 5])
def test_the_pool_is_the_first_by_the_feature_both_bm25(collect, size):
    documents, queries, grades = random_collection(3, n_documents=15)
    collection = collect(documents, queries, grades)
    data = extract_features(collection).data
    scores = data.X[:, data.feature_names.index("both.bm25")]
    pool = Pool(collection)
    for number, query in enumerate(collection.queries):
        rows = slice(data.query_ptr[number], data.query_ptr[number + 1])
        best = pool.best(query, size)
        expected = np.sort(scores[rows])[::-1][: len(best)]
        np.testing.assert_allclose(scores[rows][best], expected, rtol=1e-6)


def test_rows_stand_in_the_order_of_the_collection_which_says_nothing_of_grades(collect):
    collection = collect(DOCUMENTS, {"q": "heat"}, {("q", "d4"): 1, ("q", "d2"): 2})
    data = extract_features(collection, pool=2).data
    assert data.document_ids.tolist() == ["d1", "d2", "d4", "d5"]
    assert data.y.tolist() == [0, 2, 1, 0]
