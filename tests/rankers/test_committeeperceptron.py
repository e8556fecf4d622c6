from __future__ import annotations

import numpy as np
import pytest

from ranksieve import MAP, NDCG, CommitteePerceptron, make_ranking
from ranksieve.data import from_arrays, letor_folds
from ranksieve.errors import DataError, ParameterError
from ranksieve.rankers import committeeperceptron as module
from ranksieve.rankers._committee import Committee
from ranksieve.rankers._row_order import in_own_order
from tests.reference.boosting import perceptron
from tests.reference.cases import random_arrays, row_ids
from tests.reference.pairs import pair_differences


def test_one_mistake_gives_the_weight_of_pencil_and_paper():
    # Two pairs with differences 1 and 3: the spread is sqrt((1 + 9) / 2). The first pair that
    # is drawn is a mistake of w = 0, and whichever it is, all are ordered then.
    model = CommitteePerceptron().fit([[0.0], [1.0], [3.0], [0.0]], [0, 1, 1, 0], qid=[1, 1, 2, 2])
    assert model.coef_[0] == pytest.approx(1 / np.sqrt((1 + 9) / 2))
    np.testing.assert_array_equal(model.mistakes_, [1 / 4, 0])
    np.testing.assert_array_equal(model.member_values_, [1.0])
    assert model.converged_
    assert model.n_iter_ == 2


def slow_committee(X, y, query_ptr, *, n_members, n_epochs, n_judged, measure, seed):
    """The model with sorted lists in plain Python, and the draws of the random state."""
    qid, random = row_ids(query_ptr), np.random.default_rng(seed)
    differences = pair_differences(X, y, query_ptr)
    spreads = np.sqrt((differences**2).mean(axis=0))
    rates = np.divide(1.0, spreads**2, out=np.zeros(len(spreads)), where=spreads > 0)
    useful = [q for q in range(len(query_ptr) - 1) if len(set(y[qid == q])) > 1]
    w, judged = np.zeros(X.shape[1]), []
    for _ in range(n_epochs):
        order = random.permutation(np.array(useful))
        draws = random.random(len(y))
        for visits in np.array_split(order, min(n_judged, len(order))):
            w, mistakes = perceptron(X, y, query_ptr, visits, draws, rates, w)
            if mistakes:
                member = w / np.linalg.norm(w * spreads)
                judged.append((measure(y, X @ member, qid=qid), member))
    best = sorted(judged, key=lambda each: -each[0])[:n_members]
    votes = np.array([value for value, _ in best])
    return votes, votes @ np.array([member for _, member in best]) / votes.sum()


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("n_members", [1, 4, 1000])
def test_model_is_that_of_plain_python_with_the_same_draws(seed, n_members):
    X, y, query_ptr = random_arrays(seed, n_grades=2 + seed)
    own = in_own_order(from_arrays(X, y, row_ids(query_ptr)))
    options = {"n_members": n_members, "n_epochs": 5, "n_judged": 3}
    measure = MAP(ties="average")
    values, coef = slow_committee(
        own.X, own.y, own.query_ptr, **options, measure=measure, seed=seed
    )
    model = CommitteePerceptron(**options, measure=measure, random_state=seed)
    model.fit(X, y, qid=row_ids(query_ptr))
    np.testing.assert_allclose(model.member_values_, values, rtol=1e-12)
    np.testing.assert_allclose(model.coef_, coef, rtol=1e-9, atol=1e-12)


def test_members_are_the_best_of_all_that_were_judged(monkeypatch):
    seen = []
    judge = module._Judge.__call__

    def watched(self, w):
        seen.append(judge(self, w))
        return seen[-1]

    monkeypatch.setattr(module._Judge, "__call__", watched)
    data, _ = make_ranking(40, 10, random_state=0)
    model = CommitteePerceptron(7, n_epochs=6).fit(data)
    assert len(seen) > 7
    np.testing.assert_array_equal(model.member_values_, sorted(seen, reverse=True)[:7])


@pytest.mark.parametrize("seed", range(3))
def test_separable_data_ends_without_mistakes(seed):
    rng = np.random.default_rng(seed)
    X, truth = rng.normal(size=(600, 4)), rng.normal(size=4)
    utility = X @ truth
    keep = np.abs(utility) > 0.5  # a margin between the grades
    X, y = X[keep], (utility[keep] > 0).astype(float)
    qid = np.arange(len(y)) // 10
    model = CommitteePerceptron(1, n_epochs=500, random_state=seed).fit(X, y, qid=qid)
    assert model.converged_
    assert model.mistakes_[-1] == 0.0
    assert model.member_values_[0] == 1.0
    assert MAP()(y, model.predict(X), qid=qid) == 1.0


def test_units_of_features_do_not_matter_however_huge_or_tiny():
    rng = np.random.default_rng(0)
    # Two documents a query meet each other in any order of rows.
    X, y, qid = rng.normal(size=(60, 4)), np.tile([0.0, 1.0], 30), np.arange(60) // 2
    X[:, 3] = 7.0
    units = np.array([2.0**-900, 2.0**900, 1024.0, 2.0**1000])
    first = CommitteePerceptron(n_epochs=4).fit(X, y, qid=qid)
    second = CommitteePerceptron(n_epochs=4).fit(X * units, y, qid=qid)
    np.testing.assert_allclose(second.coef_ * units, first.coef_, rtol=1e-9)
    np.testing.assert_allclose(second.predict(X * units), first.predict(X), rtol=1e-9)
    assert first.coef_[3] == 0.0  # a constant feature


def test_float32_features_give_the_model_of_their_values_in_float64():
    X, y, query_ptr = random_arrays(6, dtype=np.float32)
    qid = row_ids(query_ptr)
    single = CommitteePerceptron(n_epochs=5).fit(X, y, qid=qid)
    double = CommitteePerceptron(n_epochs=5).fit(X.astype(np.float64), y, qid=qid)
    np.testing.assert_allclose(single.coef_, double.coef_, rtol=1e-6)


def test_seed_decides():
    data, _ = make_ranking(40, 10, random_state=0)
    fits = [CommitteePerceptron(n_epochs=3, random_state=seed).fit(data) for seed in (1, 1, 2)]
    np.testing.assert_array_equal(fits[0].coef_, fits[1].coef_)
    assert not np.array_equal(fits[0].coef_, fits[2].coef_)


def test_validation_queries_judge_the_members():
    data, _ = make_ranking(60, 10, random_state=0)
    train, aside = data.queries(range(40)), data.queries(range(40, 60))
    model = CommitteePerceptron(1, measure="ndcg@5", patience=50).fit(train, validation=aside)
    # With one member, the model of an epoch is the best hypothesis so far.
    assert (np.diff(model.validation_values_) >= 0).all()
    assert model.member_values_[0] == pytest.approx(model.validation_values_.max())


def test_features_that_do_not_vary_inside_queries_get_no_weight():
    X, y, qid = [[1.0], [1.0], [2.0], [2.0]], [0, 1, 0, 1], [1, 1, 2, 2]
    model = CommitteePerceptron(n_epochs=2).fit(X, y, qid=qid)
    np.testing.assert_array_equal(model.coef_, [0.0])
    assert not model.converged_
    np.testing.assert_array_equal(model.mistakes_, [1.0, 1.0])


def test_values_below_zero_do_not_turn_members_round():
    committee = Committee(3)
    committee.offer(-0.5, np.array([1.0]))
    committee.offer(-0.25, np.array([3.0]))
    np.testing.assert_array_equal(committee.average(), [2.0])
    committee.offer(0.25, np.array([5.0]))
    np.testing.assert_array_equal(committee.average(), [5.0])


def test_grades_that_the_measure_cannot_take_are_named():
    with pytest.raises(DataError, match="grade"):
        CommitteePerceptron(measure=NDCG()).fit([[0.0], [1.0]], [0.5, 1.25], qid=[1, 1])


@pytest.mark.parametrize("name", ["n_members", "n_epochs", "n_judged"])
def test_bad_parameters_are_named(name):
    with pytest.raises(ParameterError, match=f"{name} must be a whole number of at least 1"):
        CommitteePerceptron(**{name: 0}).fit([[0.0], [1.0]], [0, 1], qid=[1, 1])


@pytest.mark.slow
def test_a_committee_is_better_than_a_random_perceptron_on_real_data(real_data):
    train = letor_folds(real_data / "OHSUMED")[0].train
    model = CommitteePerceptron(10, n_epochs=5).fit(train)
    first = CommitteePerceptron(1, n_epochs=1, n_judged=1).fit(train)
    measure = MAP()
    ours, theirs = (measure(train.y, m.predict(train), qid=train.qid) for m in (model, first))
    assert ours > theirs
