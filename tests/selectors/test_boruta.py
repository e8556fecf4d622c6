"""Boruta: decisions against plain counting, the level of its test, planted features, corners."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from ranksieve import Boruta, LightGBMRanker, RankSVM, make_ranking
from ranksieve.data import from_arrays
from ranksieve.errors import ParameterError
from ranksieve.selectors.wrappers.boruta import _Tally, _within_queries
from tests.reference.boruta import decisions, two_sided


def some(seed, n_irrelevant=9, n_queries=60):
    return make_ranking(
        n_queries, 12, n_relevant=3, n_redundant=0, n_irrelevant=n_irrelevant, random_state=seed
    )


@pytest.mark.parametrize("correction", ["holm", "bonferroni"])
@pytest.mark.parametrize("seed", range(6))
def test_decisions_are_those_of_plain_counting(seed, correction):
    rng = np.random.default_rng(seed)
    chances = rng.choice([0.02, 0.2, 0.5, 0.9, 1.0], size=7)
    table = rng.random((40, 7)) < chances
    tally = _Tally.of(7)
    for row in table:
        if not (tally.decision == 0).any():
            break
        left = np.flatnonzero(tally.decision != -1)
        tally.add(left, np.ones(len(left)), row[left])
        tally.decide(0.05, correction)
    decided, hits, rounds = decisions(table.tolist(), 0.05, correction)
    assert tally.decision.tolist() == decided
    assert tally.hits.tolist() == hits
    assert tally.rounds.tolist() == rounds


def test_nine_features_need_nine_hits_in_a_row():
    # 2 / 2^8 x 9 = 0.07, 2 / 2^9 x 9 = 0.035.
    assert 9 * two_sided(8, 8) > 0.05 > 9 * two_sided(9, 9)
    tally = _Tally.of(9)
    for number in range(1, 10):
        tally.add(np.arange(9), np.ones(9), np.arange(9) < 4)
        tally.decide(0.05, "bonferroni")
        assert tally.decision.any() == (number == 9)
    assert tally.decision.tolist() == [1] * 4 + [-1] * 5


@pytest.mark.parametrize("seed", range(3))
def test_shadows_keep_the_values_of_each_query(seed):
    rng = np.random.default_rng(seed)
    query_ptr = np.array([0, 1, 5, 17, 40])
    rows = _within_queries(query_ptr, rng)
    assert (rows != np.arange(40)).any()
    for start, stop in pairwise(query_ptr):
        assert sorted(rows[start:stop]) == list(range(start, stop))


@pytest.mark.parametrize("seed", range(4))
def test_planted_features_are_confirmed_and_noise_is_rejected(seed):
    data, truth = some(seed)
    boruta = Boruta().fit(data)
    assert boruta.confirmed_[truth.relevant].all()
    assert boruta.rejected_[truth.irrelevant].sum() >= 7
    assert (boruta.confirmed_.astype(int) + boruta.tentative_ + boruta.rejected_ == 1).all()
    assert boruta.n_features_ == boruta.confirmed_.sum()
    group = np.where(boruta.confirmed_, 0, np.where(boruta.tentative_, 1, 2))[boruta.order_]
    assert (np.diff(group) >= 0).all()
    np.testing.assert_array_equal(boruta.scores_[truth.relevant], 1.0)


def test_noise_is_confirmed_at_most_at_the_level():
    wrong = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(600, 10)), rng.integers(0, 3, 600)
        boruta = Boruta(ranker="RankSVM(C=0.01)").fit(X, y, qid=np.repeat(np.arange(50), 12))
        wrong += bool(boruta.confirmed_.any())
    # Of 30 data sets at a level of 0.05: more than 5 in three of a thousand cases.
    assert wrong <= 5


def test_the_same_queries_in_every_round_confirm_more_noise():
    confirmed = {0.5: 0, 1.0: 0}
    for seed in range(5):
        data, truth = some(seed)
        for share in confirmed:
            boruta = Boruta(ranker="RankSVM(C=0.01)", query_share=share).fit(data)
            confirmed[share] += int(boruta.confirmed_[truth.irrelevant].sum())
    assert confirmed[0.5] < confirmed[1.0]


@pytest.mark.parametrize("factor", [1e-4, 1.0, 512.0])
def test_units_do_not_matter_to_trees(factor):
    data, truth = some(1)
    X = data.X * np.where(np.arange(data.n_features) % 2, factor, 1.0)
    boruta = Boruta(ranker=LightGBMRanker(15, num_leaves=7), n_rounds=12)
    assert boruta.fit(X, data.y, qid=data.qid).confirmed_[truth.relevant].all()
    assert not boruta.confirmed_[truth.irrelevant].any()


@pytest.mark.parametrize("ranker", ["RankSVM(C=0.01)", "CatBoostRanker(15, depth=4)"])
def test_both_copies_of_a_feature_are_confirmed(ranker):
    data, truth = some(2)
    X = np.column_stack([data.X, data.X[:, truth.relevant[0]]])
    boruta = Boruta(ranker=ranker).fit(X, data.y, qid=data.qid)
    assert boruta.confirmed_[[*truth.relevant, -1]].all()


def test_greedy_trees_give_each_round_to_one_of_two_copies_and_decide_neither():
    data, truth = some(2)
    X = np.column_stack([data.X, data.X[:, truth.relevant[0]]])
    boruta = Boruta(ranker="LightGBMRanker(15)", n_rounds=16).fit(X, data.y, qid=data.qid)
    copies = [truth.relevant[0], -1]
    assert boruta.tentative_[copies].all()
    assert boruta.hits_[copies].sum() == boruta.n_rounds_ == 16


def test_trees_confirm_features_that_act_only_together():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 6))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    qid = np.repeat(np.arange(100), 20)
    trees = Boruta(ranker="LightGBMRanker(20, num_leaves=7)", n_rounds=15).fit(X, y, qid=qid)
    assert trees.confirmed_.tolist() == [True, True, False, False, False, False]
    linear = Boruta(ranker="RankSVM(C=0.01)").fit(X, y, qid=qid)
    assert not linear.confirmed_[:2].any()


@pytest.mark.parametrize("importance", ["shap", "permutation(n_folds=2)"])
def test_an_importance_asks_the_ranker(importance):
    data, truth = some(3, n_irrelevant=4)
    boruta = Boruta(ranker=RankSVM(C=0.01), importance=importance, n_rounds=10).fit(data)
    assert boruta.confirmed_[truth.relevant].all()
    assert not boruta.confirmed_[truth.irrelevant].any()


def test_shap_of_a_linear_ranker_is_its_weights_in_units_of_the_features():
    data, _ = some(0)
    by_shap, by_weights = (
        Boruta(ranker="RankSVM(C=0.01)", importance=name).fit(data) for name in ("shap", None)
    )
    np.testing.assert_array_equal(by_shap.hits_, by_weights.hits_)
    np.testing.assert_allclose(by_shap.importance_, by_weights.importance_, rtol=1e-2)


def test_a_lower_percentile_is_easier_to_beat():
    data, _ = some(4)
    hard, easy = (Boruta(percentile=percentile).fit(data) for percentile in (100.0, 50.0))
    assert (easy.hits_ / easy.n_rounds_).sum() > (hard.hits_ / hard.n_rounds_).sum()


def test_without_a_confirmed_feature_the_first_is_kept_and_said_not_to_be():
    data, _ = some(5)
    boruta = Boruta(n_rounds=1).fit(data)
    assert boruta.n_rounds_ == 1
    assert not boruta.confirmed_.any()
    assert boruta.tentative_.all()
    assert boruta.get_support(indices=True).tolist() == [boruta.order_[0]]
    nothing = Boruta().fit(data.X, np.ones(data.n_documents), qid=data.qid)
    assert nothing.n_rounds_ == 0
    assert nothing.tentative_.all()
    assert (nothing.p_values_ == 1.0).all()


def test_the_names_of_queries_do_not_matter():
    data, _ = some(6)
    renamed = from_arrays(data.X, data.y, np.char.add("q", data.qid.astype(str)))
    left, right = Boruta().fit(data), Boruta().fit(renamed)
    np.testing.assert_array_equal(left.hits_, right.hits_)


def test_a_seed_is_another_set_of_shuffles():
    data, _ = some(7)
    numbers = [Boruta(random_state=seed).fit(data).importance_ for seed in (0, 0, 1)]
    np.testing.assert_array_equal(numbers[0], numbers[1])
    assert (numbers[0] != numbers[2]).any()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"n_rounds": 0}, "n_rounds"),
        ({"query_share": 1.5}, "query_share must be at most 1"),
        ({"percentile": 0}, "percentile"),
        ({"level": 2}, "level"),
        ({"correction": "holms"}, "correction"),
        ({"ranker": "GAS"}, "GAS is a selector"),
        ({"ranker": "RankSVN"}, "RankSVM"),
        ({"ranker": "KernelRankSVM()"}, "coef_ or feature_importances_"),
        ({"importance": "shapp"}, "shap"),
    ],
)
def test_wrong_parameters_are_named(wrong, message):
    with pytest.raises(ParameterError, match=message):
        Boruta(**wrong).fit(some(0)[0])
