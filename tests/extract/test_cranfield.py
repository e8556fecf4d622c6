"""Cranfield as it is, where it is at hand."""

from __future__ import annotations

import numpy as np
import pytest

from ranksieve import MAP
from ranksieve.extract import extract_features, read_collection
from ranksieve.extract.candidates import Pool


@pytest.fixture(scope="module")
def collection(real_data):
    folder = real_data / "cranfield"
    if not folder.is_dir():
        pytest.skip("the text of Cranfield is absent: put cranfield/ into RANKSIEVE_DATA")
    return read_collection(folder / "cran.all.1400", folder / "cran.qry", folder / "cranqrel")


def test_all_documents_and_queries_are_read_and_two_documents_are_empty(collection):
    assert collection.index.n_documents == 1400
    assert len(collection.queries) == 225
    assert collection.by_position
    assert collection.tally.counts == {"judgement without a grade": 225, "empty document": 2}
    grades = [g for query in collection.queries for g in query.grades.values() if g is not None]
    assert np.bincount(np.array(grades, dtype=int)).tolist() == [0, 363, 734, 387, 128]


def test_documents_without_a_grade_are_what_the_question_came_from(collection):
    """Each query has one, and half of them are first or second by BM25: not irrelevant."""
    pool, ranks = Pool(collection), []
    for query in collection.queries:
        ungraded = [document for document, grade in query.grades.items() if grade is None]
        assert len(ungraded) == 1
        order = pool.best(query, collection.index.n_documents).tolist()
        ranks.append(order.index(ungraded[0]) if ungraded[0] in order else len(order))
    assert np.median(ranks) <= 1


def test_bm25_of_the_text_finds_the_answers(collection):
    data = extract_features(collection, pool=100).data
    assert data.n_documents == 24_112
    assert np.isfinite(data.X).all()

    def quality(name):
        return MAP()(data.y, data.X[:, data.feature_names.index(name)], qid=data.qid)

    assert quality("both.bm25") > quality("title.bm25") > quality("both.length") + 0.2
