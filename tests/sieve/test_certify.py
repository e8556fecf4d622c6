"""Queries that certify: unseen, opened once, and tested in a fixed order."""

from __future__ import annotations

import numpy as np
import pytest

from ranksieve import NDCG, load, make_ranking
from ranksieve.errors import DataError, ParameterError
from ranksieve.sieve import Sieve
from ranksieve.sieve.certify import Frozen, certify
from ranksieve.sieve.margin import Margin
from ranksieve.sieve.openings import open_once, openings_file
from tests.sieve.test_contract import Blind

RANKER = "RankSVM(C=0.01)"

# What certifies are models that the search has found: how thorough it is does not matter here.
QUICK = {"ranker": RANKER, "cv": 3, "repeats": 1}


@pytest.fixture(autouse=True)
def _fresh_list(tmp_path, monkeypatch):
    monkeypatch.setenv("RANKSIEVE_STATE", str(tmp_path / "state"))


def planted(n_queries=80, seed=0):
    return make_ranking(
        n_queries, 8, n_relevant=3, n_redundant=0, n_irrelevant=5, random_state=seed
    )[0]


def halves(seed=0):
    data = planted(160, seed)
    first = np.arange(data.n_queries) < 80
    return data.queries(first).gathered(), data.queries(~first).gathered()


def reordered(data, rng):
    """The same queries with other ids, and their documents in another order."""
    rows = np.concatenate(
        [
            rng.permutation(np.arange(data.query_ptr[query], data.query_ptr[query + 1]))
            for query in range(data.n_queries)
        ]
    )
    return load((data.X[rows], data.y[rows], data.qid[rows] + 500)).features(
        np.arange(data.n_features)
    )


class Scores:
    """A model that is as good as it is told to be."""

    def __init__(self, noise, seed):
        self._noise, self._seed = noise, seed

    def predict(self, data):
        return data.y + self._noise * np.random.default_rng(self._seed).normal(size=len(data))


def test_the_first_failure_ends_the_tests():
    noises = [0.3, 0.3, 5.0, 0.3]
    tests = certify(
        [
            Frozen(at, 9 - at, Scores(noise, at), deviation=0.1)
            for at, noise in enumerate(noises, 1)
        ],
        Scores(0.3, 100),
        planted(400),
        NDCG(10, ties="average"),
        margin=Margin(0.05),
        level=0.05,
        random_state=0,
    )
    assert [(test.position, test.proven) for test in tests] == [(1, True), (2, True), (3, False)]


def test_a_second_question_to_the_same_queries_is_refused_unless_asked_for():
    training, unseen = halves()
    first = Sieve(**QUICK, margin=0.1, certify=unseen).fit(training)
    assert first.result_.claim == "certified"
    assert not first.result_.certificate.reopened
    with pytest.raises(DataError, match="76 of the 76 queries that certify were opened before"):
        Sieve(**QUICK, margin=0.05, certify=unseen).fit(training)
    again = Sieve(**QUICK, margin=0.05, certify=unseen, reopen=True).fit(training).result_
    assert again.certificate.reopened
    assert again.claim != "certified"
    assert again.certified is None
    assert "had been opened before" in again.sentences()[1]


def test_the_same_question_may_be_asked_again():
    training, unseen = halves()
    first = Sieve(**QUICK, margin=0.1, certify=unseen).fit(training).result_
    second = Sieve(**QUICK, margin=0.1, certify=unseen).fit(training).result_
    assert not second.certificate.reopened
    assert first.certificate == second.certificate


def test_a_part_of_opened_queries_in_another_order_is_known():
    training, unseen = halves()
    Sieve(**QUICK, margin=0.1, certify=unseen).fit(training)
    part = unseen.queries(range(40)).gathered()
    with pytest.raises(DataError, match="38 of the 38"):
        Sieve(**QUICK, certify=reordered(part, np.random.default_rng(0))).fit(training)


def test_a_set_of_the_first_features_certifies_where_names_are_those_of_a_matrix():
    data, truth = make_ranking(80, n_relevant=2, n_redundant=0, n_irrelevant=4, shuffle=False)
    training, certifying = data.queries(range(40)), data.queries(range(40, 80))
    sieve = Sieve(**QUICK, margin=0.02, certify=certifying).fit(training)
    assert sieve.get_support(indices=True).tolist() == truth.relevant.tolist() == [0, 1]
    assert sieve.result_.certificate.tests[-1].n_features in (2, 5)


# `Blind` would be refused by the first rung of a search: what is named here is seen before that.
def test_training_queries_do_not_certify():
    training, unseen = halves()
    mixed = training.queries(range(5)).gathered().joined(unseen)
    with pytest.raises(DataError, match=r"5 of the 81 queries .* also training queries"):
        Sieve(Blind(), certify=mixed).fit(training)


def test_queries_that_cannot_tell_anything_do_not_certify():
    training, unseen = halves()
    flat = load((unseen.X, np.ones(unseen.n_documents), unseen.qid))
    with pytest.raises(DataError, match="none of the 80 queries"):
        Sieve(Blind(), certify=flat).fit(training)


def test_queries_that_were_opened_are_refused_before_the_search():
    training, unseen = halves()
    counting = unseen.query_fingerprints[:20]
    open_once(counting, "another question", reopen=False)
    with pytest.raises(DataError, match="of the 76 queries that certify were opened before"):
        Sieve(Blind(), certify=unseen).fit(training)
    with pytest.raises(DataError, match="it uses none of them"):
        Sieve(Blind(), certify=unseen, reopen=True).fit(training)


@pytest.mark.parametrize("folder", ["missing", "broken"])
def test_a_list_that_cannot_be_read_lets_the_search_begin(folder):
    if folder == "broken":
        openings_file().parent.mkdir()
        openings_file().write_text("no database")
    training, unseen = halves()
    with pytest.raises(DataError, match="it uses none of them"):
        Sieve(Blind(), certify=unseen).fit(training)


def test_queries_are_not_opened_before_models_are_frozen():
    """Whatever fails in the search or in training leaves them unopened."""
    training, unseen = halves()
    # Only the last feature is within the budget, and the search drops it, for it is constant.
    X = np.column_stack([training.X, np.zeros(training.n_documents)])
    wider = np.column_stack([unseen.X, np.zeros(unseen.n_documents)])
    with pytest.raises(ParameterError, match="below the cheapest set of the ladder"):
        Sieve(
            **QUICK,
            certify=load((wider, unseen.y, unseen.qid)),
            costs=[*np.ones(8), 0.1],
            budget=0.5,
        ).fit(load((X, training.y, training.qid)))
    assert not openings_file().exists()


def test_a_list_that_cannot_be_written_is_said(tmp_path, monkeypatch):
    blocked = tmp_path / "file"
    blocked.write_text("no folder")
    monkeypatch.setenv("RANKSIEVE_STATE", str(blocked / "state"))
    with pytest.warns(UserWarning, match="second look at them will not be noticed"):
        assert not open_once(np.array([1, 2], dtype=np.uint64), "q", reopen=False)


def test_many_queries_fit_into_the_list():
    numbers = np.random.default_rng(0).integers(0, 2**64 - 1, size=3000, dtype=np.uint64)
    assert not open_once(numbers, "first", reopen=False)
    assert not open_once(numbers, "first", reopen=False)
    with pytest.raises(DataError, match=r"1,200 of the 1,200 queries"):
        open_once(numbers[:1200], "second", reopen=False)
    assert open_once(numbers[:1200], "second", reopen=True)


@pytest.mark.parametrize("seed", range(3))
def test_fingerprints_of_queries_do_not_know_orders_or_ids(seed):
    data = planted(12, seed)
    other = reordered(data, np.random.default_rng(seed))
    assert data.query_fingerprints.tolist() == other.query_fingerprints.tolist()
    cut = data.queries(range(4, 9)).query_fingerprints
    assert cut.tolist() == data.query_fingerprints[4:9].tolist()
    changed = np.array(data.X)
    changed[data.query_ptr[3], 0] += 0.5
    third = load((changed, data.y, data.qid)).query_fingerprints
    assert np.flatnonzero(third != data.query_fingerprints).tolist() == [3]
