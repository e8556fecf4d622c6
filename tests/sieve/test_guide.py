"""What steadies the search: folds dealt out twice, orders of one fit, memory, typical choices."""

from __future__ import annotations

import numpy as np
import pytest

from ranksieve import FSMRank, LightGBMRanker, make_ranking
from ranksieve.data.canonical import in_own_order
from ranksieve.data.sampling import enough_queries
from ranksieve.sieve.decide.choice import choose, choose_typical
from ranksieve.sieve.search.elimination import RunningWorth
from ranksieve.sieve.search.folds import Folds
from ranksieve.sieve.search.guide import Guide, guide_for


@pytest.mark.parametrize(("n_queries", "n_folds", "n_repeats"), [(23, 5, 2), (7, 3, 1), (12, 4, 3)])
def test_every_query_is_in_one_fold_of_each_repeat(n_queries, n_folds, n_repeats):
    folds = Folds.dealt(n_queries, n_folds, n_repeats, random_state=1)
    assert (folds.n_folds, folds.per_repeat) == (n_folds * n_repeats, n_folds)
    members = np.array([folds.members(fold) for fold in range(folds.n_folds)])
    for repeat in range(n_repeats):
        same = [fold for fold in range(folds.n_folds) if folds.repeat(fold) == repeat]
        assert (members[same].sum(axis=0) == 1).all()
        assert np.ptp(members[same].sum(axis=1)) <= 1
        for fold in same:
            assert sorted([fold, *folds.others(fold)]) == same
            assert not (members[folds.others(fold)] & members[fold]).any()


def test_repeats_are_dealt_out_differently_and_the_first_does_not_know_of_others():
    folds = Folds.dealt(40, 5, 2, random_state=3)
    assert (folds.of_query[0] != folds.of_query[1] - 5).any()
    np.testing.assert_array_equal(
        folds.of_query[0], Folds.dealt(40, 5, 1, random_state=3).of_query[0]
    )


def test_more_queries_are_dealt_out_around_those_that_stay():
    searched = np.arange(30) % 3 == 0
    folds = Folds.dealt(10, 5, 2, random_state=0)
    full = folds.among(searched, 30, random_state=0)
    np.testing.assert_array_equal(full.of_query[:, searched], folds.of_query)
    assert all(full.members(fold).sum() == 6 for fold in range(10))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("noise", [0.0, 1e9])
def test_a_blend_of_equally_clear_numbers_keeps_what_both_agree_on(seed, noise):
    rng = np.random.default_rng(seed)
    worth, selected = rng.random(9) + 0.1, rng.random(9) < 0.7
    guide = Guide(rng.permutation(9), np.empty((0, 9), dtype=np.int64))
    blended = guide.blended(worth, np.full(9, noise), selected)
    share = 0.2 if noise == 0 else 0.8
    assert blended[selected].sum() == pytest.approx((1 - share / 2) * worth[selected].sum())
    np.testing.assert_array_equal(blended[~selected], worth[~selected])
    for left in np.flatnonzero(selected):
        for right in np.flatnonzero(selected):
            if worth[left] > worth[right] and guide.full_rank[left] < guide.full_rank[right]:
                assert blended[left] > blended[right]


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_a_blend_does_not_know_the_unit_of_worth(scale):
    guide = Guide(np.array([2, 0, 1, 3]), np.empty((0, 4), dtype=np.int64))
    worth, everything = np.array([3.0, 1.0, 0.5, -0.2]), np.ones(4, dtype=bool)
    noise = np.array([1.0, 0.5, 0.1, 0.0])
    expected = guide.blended(worth, noise, everything)
    scaled = guide.blended(scale * worth, scale**2 * noise, everything)
    np.testing.assert_allclose(scaled, scale * expected)


@pytest.mark.parametrize("seed", range(4))
def test_the_order_counts_more_the_less_clear_a_feature_is_worth_something(seed):
    rng = np.random.default_rng(seed)
    guide = Guide(rng.permutation(6), np.empty((0, 6), dtype=np.int64))
    worth, noise = rng.normal(size=6), rng.random(6)
    weights = guide.weights(worth, noise)
    assert ((weights >= 0.2) & (weights <= 0.8)).all()
    assert (weights[worth <= 0] == 0.8).all()
    assert (guide.weights(worth, 4 * noise) >= weights).all()
    # By the definition: as much noise as signal is a half.
    clear = np.abs(worth)
    np.testing.assert_allclose(guide.weights(clear, clear**2), 0.5)


def test_a_feature_that_is_clearly_needed_outlives_noise_that_the_order_prefers():
    guide = Guide(np.array([3, 2, 1, 0]), np.empty((0, 4), dtype=np.int64))
    worth, everything = np.array([3.0, 2.5, 0.1, 0.05]), np.ones(4, dtype=bool)
    blended = guide.blended(worth, np.full(4, 0.1), everything)
    assert set(np.argsort(-blended)[:2]) == {0, 1}
    # With noise as large as everything, the order decides.
    unclear = guide.blended(worth, np.full(4, 1e3), everything)
    assert set(np.argsort(-unclear)[:2]) == {2, 3}


@pytest.mark.parametrize("n_repeats", [1, 3])
def test_the_noise_of_a_sum_over_folds_is_that_of_its_queries_however_often_they_are_dealt(
    n_repeats,
):
    folds = Folds.dealt(20, 4, n_repeats, random_state=0)
    per_fold = np.random.default_rng(0).normal(1.0, 1.0, (4, 5))
    worth = RunningWorth(folds, 5)
    worth.learn(np.ones((4 * n_repeats, 5), dtype=bool), np.tile(per_fold, (n_repeats, 1)))
    seen = []

    class Noting(Guide):
        def blended(self, worth, noise, selected, fold=None):
            seen.append((worth, noise))
            return worth

    worth.guided(Noting(np.arange(5), np.empty((0, 5), dtype=np.int64)), np.ones(5, dtype=bool))
    (total, noise), n_rows = seen[0], 4 * n_repeats
    # The same folds again: the sum is larger by the number of repeats, and its variance by the
    # square, up to what the sample variance of repeated rows loses.
    np.testing.assert_allclose(total, n_repeats * per_fold.sum(axis=0))
    expected = n_repeats**2 * 4 * per_fold.var(axis=0) * n_rows / (n_rows - 1)
    np.testing.assert_allclose(noise, expected)


def test_orders_of_a_fold_do_not_see_its_queries():
    data, _ = make_ranking(40, 10, n_relevant=3, n_redundant=0, n_irrelevant=5)
    data, _ = in_own_order(data)
    folds = Folds.dealt(40, 4, 2, random_state=0)
    start = np.ones(8, dtype=bool)
    guide = guide_for(data, folds, start, random_state=0)
    shuffled = np.array(data.y)
    rng = np.random.default_rng(0)
    for query in np.flatnonzero(folds.members(5)):
        rows = slice(data.query_ptr[query], data.query_ptr[query + 1])
        shuffled[rows] = rng.permutation(shuffled[rows])
    block = next(iter(data.blocks()))
    changed = type(data)(
        [type(block)(data.X, shuffled, data.query_ptr, data.query_ids)], data.feature_names
    )
    other = guide_for(changed, folds, start, random_state=0)
    np.testing.assert_array_equal(guide.fold_ranks[5], other.fold_ranks[5])
    assert (guide.fold_ranks != other.fold_ranks).any()


def test_an_order_is_fsmrank_s_and_what_is_not_in_the_set_comes_last():
    data, _ = make_ranking(40, 10, n_relevant=3, n_redundant=0, n_irrelevant=5, random_state=2)
    from ranksieve.data import scale

    start = np.array([True] * 6 + [False] * 2)
    guide = guide_for(data, Folds.dealt(40, 4, 1, 0), start, random_state=0)
    selector = FSMRank(n_folds=3, n_strengths=6).fit(scale(data.features(np.arange(6))))
    np.testing.assert_array_equal(np.argsort(guide.full_rank[:6]), selector.order_)
    assert (guide.full_rank[6:] >= 8).all()


def test_what_features_were_worth_before_counts_by_half():
    folds = Folds(np.array([[0, 1]]))
    worth = RunningWorth(folds, 3)
    everything = np.ones((2, 3), dtype=bool)
    worth.learn(everything, np.array([[4.0, 2, 0], [0, 0, 8]]))
    inside = np.array([[True, False, True], [True, True, True]])
    worth.learn(inside, np.array([[0.0, 9, 2], [2, 2, 0]]))
    # Fold 0: (4 + 0) / 2, 2 as it is not measured again, (0 + 2) / 2; fold 1 likewise.
    np.testing.assert_allclose(worth.guided(None, everything[0]), [2 + 1, 2 + 1, 1 + 4])
    np.testing.assert_allclose(worth.guided(None, everything[0], fold=0), [1, 1, 4])


def test_a_typical_choice_is_the_choice_where_queries_agree():
    values = np.outer([0.50, 0.52, 0.519, 0.516, 0.40], np.ones(50))
    costs = [40.0, 20.0, 10.0, 5.0, 1.0]
    for amount in (0.001, 0.005, 0.01):
        typical = choose_typical(values, costs, amount=amount, random_state=0)
        assert typical == choose(values.mean(axis=1).tolist(), costs, amount=amount)


@pytest.mark.parametrize("seed", range(3))
def test_a_typical_choice_moves_less_with_a_little_noise(seed):
    rng = np.random.default_rng(seed)
    n_sets, n_queries = 12, 200
    truth = 0.5 - 0.1 / np.arange(n_sets, 0, -1) ** 2
    costs = list(np.arange(n_sets, 0, -1.0))
    query_noise = 0.1 * rng.normal(size=(n_sets, n_queries))
    raw, typical = [], []
    for _ in range(20):
        training_noise = 0.003 * rng.normal(size=(n_sets, 1))
        values = truth[:, None] + query_noise + training_noise
        raw.append(choose(values.mean(axis=1).tolist(), costs, amount=0.005))
        typical.append(choose_typical(values, costs, amount=0.005, random_state=seed))
    assert np.std(typical) <= np.std(raw)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("lead", [0.0, 0.001, 0.01])
def test_all_features_are_chosen_only_where_at_least_half_of_the_resamples_choose_them(seed, lead):
    rng = np.random.default_rng(seed)
    n_queries, amount, costs = 120, 0.004, [20.0, 16.0]
    # The second set misses half the margin by `lead` or by chance.
    behind = 0.002 + lead + 0.02 * rng.normal(size=n_queries)
    values = np.stack([np.full(n_queries, 0.5), 0.5 - behind])
    draws = np.random.default_rng([seed, 5])
    weights = draws.multinomial(n_queries, np.full(n_queries, 1 / n_queries), size=200)
    n_all = sum(
        choose((row @ values.T / n_queries).tolist(), costs, amount=amount) == 0 for row in weights
    )
    assert n_all > 0
    typical = choose_typical(values, costs, amount=amount, random_state=seed)
    assert typical == (0 if n_all >= 100 else 1)


def test_stages_of_trees_end_with_the_model_itself():
    data, _ = make_ranking(30, 8)
    model = LightGBMRanker(30, validation_share=None).fit(data)
    stages = list(model.staged_predict(data))
    assert len(stages) == 3
    np.testing.assert_array_equal(stages[-1], model.predict(data))
    assert (stages[0] != stages[-1]).any()


def test_enough_queries_are_whole_and_not_too_many():
    data, _ = make_ranking(50, 10)
    part = enough_queries(data, 100, seed=[0, 1])
    assert 80 < part.n_documents <= 100
    assert set(part.query_ids) <= set(data.query_ids)
    assert enough_queries(data, 10**6, seed=0) is data
    assert enough_queries(data, 1, seed=0).n_queries == 1
