"""Queries whose documents are on both sides of a split are warned of."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import sklearn
from sklearn.model_selection import GroupKFold, KFold, cross_validate
from sklearn.pipeline import make_pipeline

from ranksieve import RankSVM, SparseRankSVM, TopK, make_ranking

DATA, _ = make_ranking(20, 8, n_relevant=2, n_redundant=0, n_irrelevant=2, random_state=0)
MODELS = [RankSVM(C=0.01), make_pipeline(TopK(n_features_to_select=2), RankSVM(C=0.01))]


def scored(model, folds, qid=DATA.qid):
    with sklearn.config_context(enable_metadata_routing=True):
        params = {"qid": qid, "groups": qid} if isinstance(folds, GroupKFold) else {"qid": qid}
        return cross_validate(model, DATA.X, DATA.y, cv=folds, params=params)


@pytest.mark.parametrize("model", MODELS, ids=["ranker", "pipeline"])
@pytest.mark.parametrize("shuffle", [True, False])
def test_a_split_by_document_is_warned_of(model, shuffle):
    folds = KFold(3, shuffle=shuffle, random_state=0 if shuffle else None)
    with pytest.warns(UserWarning, match="Split by query, with GroupKFold and groups=qid"):
        scored(model, folds)


def test_the_warning_counts_the_queries():
    rows = np.arange(DATA.n_documents)
    first = DATA.query_ptr[:-1]
    training = np.setdiff1d(rows, first[:4])
    ranker = RankSVM(C=0.01).fit(DATA.X[training], DATA.y[training], qid=DATA.qid[training])
    with pytest.warns(UserWarning, match="^4 of the 20 queries were in fit too"):
        ranker.score(DATA.X, DATA.y, qid=DATA.qid)


@pytest.mark.parametrize("as_id", [int, str])
@pytest.mark.parametrize("model", MODELS, ids=["ranker", "pipeline"])
def test_a_split_by_query_and_training_data_are_not(model, as_id):
    qid = np.array([as_id(number) for number in DATA.qid])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(scored(model, GroupKFold(3), qid)["test_score"]) == 3
        RankSVM(C=0.01).fit(DATA.X, DATA.y, qid=qid).score(DATA.X, DATA.y, qid=qid)


def test_files_whose_ids_both_count_from_one_are_not():
    other, _ = make_ranking(20, 8, n_relevant=2, n_redundant=0, n_irrelevant=2, random_state=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        RankSVM(C=0.01).fit(DATA).score(other)


def test_a_second_fit_forgets_the_queries_of_the_first():
    ranker = SparseRankSVM(strength=0.01).fit(DATA.X, DATA.y, qid=DATA.qid)
    ranker.fit(DATA.X[10:], DATA.y[10:], qid=DATA.qid[10:] + 1000)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ranker.score(DATA.X[:50], DATA.y[:50], qid=DATA.qid[:50])
