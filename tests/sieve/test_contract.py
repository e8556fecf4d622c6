"""The sieve is a selector like the others; bad input gets an error or a documented answer."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import sklearn
from sklearn.pipeline import make_pipeline

from ranksieve import RankSVM, Sieve, make_ranking
from ranksieve.data import from_arrays
from ranksieve.errors import DataError, ParameterError
from ranksieve.rankers import Ranker
from ranksieve.sieve import best_so_far
from ranksieve.threads import threads

RANKER = "RankSVM(C=0.01)"

# For laws that a search of few trainings shows as well.
FEW_TRAININGS = {"cv": 3, "repeats": 1}


def planted(n_queries=60, seed=0, **changed):
    sizes = {"n_relevant": 3, "n_redundant": 0, "n_irrelevant": 5} | changed
    return make_ranking(n_queries, 8, **sizes, random_state=seed)


@pytest.fixture(scope="module")
def fitted():
    data, truth = planted()
    return Sieve(RANKER, margin=0.05).fit(data), data, truth


def test_what_it_keeps_is_the_head_of_its_order(fitted):
    sieve, data, _ = fitted
    assert sorted(sieve.order_) == list(range(data.n_features))
    support = sieve.get_support(indices=True)
    np.testing.assert_array_equal(support, np.sort(sieve.order_[: sieve.n_features_]))
    np.testing.assert_array_equal(sieve.transform(np.asarray(data.X)), data.X[:, support])
    assert list(sieve.get_feature_names_out()) == [data.feature_names[f] for f in support]


def test_it_works_in_a_pipeline():
    data, _ = planted()
    with sklearn.config_context(enable_metadata_routing=True):
        pipeline = make_pipeline(Sieve(RANKER, margin=0.05, **FEW_TRAININGS), RankSVM(C=0.01))
        pipeline.fit(np.asarray(data.X), data.y, qid=data.qid)
        scores = pipeline.predict(np.asarray(data.X))
    assert pipeline[-1].n_features_in_ == pipeline[0].n_features_
    assert np.isfinite(scores).all()


def test_a_pickled_sieve_selects_and_says_the_same(fitted):
    sieve, data, _ = fitted
    copy = pickle.loads(pickle.dumps(sieve))
    np.testing.assert_array_equal(copy.get_support(), sieve.get_support())
    assert copy.result_ == sieve.result_
    selected = copy.transform(data)
    np.testing.assert_array_equal(copy.model_.predict(selected), sieve.model_.predict(selected))


@pytest.mark.parametrize("seed", range(2))
def test_the_number_of_threads_decides_nothing(seed):
    data, _ = planted(40, seed)
    answers = []
    for number in (1, 3):
        with threads(number):
            answers.append(Sieve(RANKER, cv=3, repeats=2, random_state=seed).fit(data).result_)
    for left, right in zip(answers[0].ladder, answers[1].ladder, strict=True):
        assert left == right
    assert answers[0].features == answers[1].features


def test_missing_values_are_refused_with_a_remedy():
    data, _ = planted(30)
    X = np.array(data.X)
    X[5, 2] = np.nan
    with pytest.raises(DataError, match=r"(?i)nan"):
        Sieve(RANKER).fit(X, data.y, qid=data.qid)


def test_data_without_relevant_documents_is_named():
    data, _ = planted(30)
    with pytest.raises(DataError, match="0 of 30 queries have documents whose order changes"):
        Sieve(RANKER).fit(np.asarray(data.X), np.zeros(data.n_documents), qid=data.qid)


class Blind(Ranker):
    """Gives every document the same score."""

    def _fit(self, data):
        self.n_iter_ = 1

    def _scores(self, X):
        return np.zeros(len(X))


class FirstColumn(Ranker):
    """Ranks by the first of its columns, and says nothing about which it uses."""

    def _fit(self, data):
        self.n_iter_ = 1

    def _scores(self, X):
        return np.asarray(X[:, 0], dtype=np.float64)


def test_a_ranker_that_ignores_its_features_is_refused():
    data, _ = planted(30)
    with pytest.raises(DataError, match="it uses none of them"):
        Sieve(Blind(), **FEW_TRAININGS).fit(data)


def test_any_ranker_works_that_only_predicts():
    data, _ = planted(30)
    sieve = Sieve(FirstColumn(), margin=0.2, **FEW_TRAININGS).fit(data)
    assert sieve.result_.chosen.n_features == sieve.n_features_
    # What the ranker never reads is worth nothing.
    assert (sieve.scores_ != 0).sum() <= len(sieve.result_.ladder)


@pytest.mark.parametrize("costs", [{"1": 1.0, "nonsense": 2.0}, dict.fromkeys("12345678", -1.0)])
def test_wrong_costs_are_refused_before_any_training(costs):
    data, _ = planted(30)
    named = from_arrays(data.X, data.y, data.qid, feature_names=list("12345678"))
    with pytest.raises(ParameterError, match=r"nonsense|-1"):
        Sieve(Blind(), costs=costs).fit(named)


def test_one_feature_is_an_answer():
    data, _ = planted(30, n_relevant=1, n_irrelevant=0)
    sieve = Sieve(RANKER, **FEW_TRAININGS).fit(data)
    assert sieve.n_features_ == 1
    assert sieve.result_.claim == "supported"
    assert sieve.result_.chosen.change.mean == 0.0


def test_few_queries_say_that_another_seed_may_choose_other_features(fitted):
    sieve, _, _ = fitted
    assert any("another seed" in sentence for sentence in sieve.result_.sentences())


class Interrupted(RankSVM):
    """Ends like Ctrl-C after a number of trainings."""

    n_left = 10**9

    def _fit(self, data):
        if Interrupted.n_left == 0:
            raise KeyboardInterrupt
        Interrupted.n_left -= 1
        super()._fit(data)


@pytest.fixture
def _uninterrupted():
    yield
    Interrupted.n_left = 10**9


@pytest.mark.usefixtures("_uninterrupted")
def test_ctrl_c_gives_the_best_answer_so_far_where_that_is_wanted():
    data, _ = planted(40)
    whole = Sieve(Interrupted(C=0.01), **FEW_TRAININGS).fit(data).result_
    with threads(1):
        Interrupted.n_left = 17
        with pytest.raises(KeyboardInterrupt):
            Sieve(Interrupted(C=0.01), **FEW_TRAININGS).fit(data)
        Interrupted.n_left = 17
        with best_so_far(), pytest.raises(KeyboardInterrupt):
            # The final training is interrupted as well: there is nothing to give.
            Sieve(Interrupted(C=0.01), **FEW_TRAININGS).fit(data)
    Interrupted.n_left = 10**9
    assert not whole.making.interrupted


@pytest.mark.usefixtures("_uninterrupted")
def test_an_answer_so_far_is_labelled_and_claims_no_certificate(monkeypatch):
    data, _ = planted(80)
    from ranksieve.sieve.search import elimination

    shrink, calls = elimination.shrink, []

    def interrupted_later(*arguments):
        calls.append(arguments)
        if len(calls) == 20:
            raise KeyboardInterrupt
        return shrink(*arguments)

    monkeypatch.setattr(elimination, "shrink", interrupted_later)
    with best_so_far():
        sieve = Sieve(RANKER, certify=0.3).fit(data)
    result = sieve.result_
    assert result.making.interrupted
    assert result.sentences()[0].startswith("So far (the search was ended early)")
    assert result.certificate is None
    assert result.claim != "certified"
    assert sorted(sieve.order_) == list(range(data.n_features))
