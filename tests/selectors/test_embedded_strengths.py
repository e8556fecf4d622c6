"""Which strength embedded selectors take: by folds of queries, or for a number of features."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

from ranksieve import MAP, NDCG, FenchelRank, FSMRank, SparseRankSVM, catalog, load, make_ranking
from ranksieve.choices import Validation
from ranksieve.data import k_folds
from ranksieve.errors import DataError
from ranksieve.importance import PearsonImportance
from tests.reference.cases import row_ids

# The others are computed from data, or are one of these with weights.
PENALTIES = [
    entry.short_name
    for entry in catalog.entries("penalties")
    if entry.short_name not in ("redundancy", "weighted-l1")
]


def planted(seed=0, n_queries=30, **sizes):
    sizes = {"n_relevant": 3, "n_redundant": 1, "n_irrelevant": 4, "n_constant": 1} | sizes
    return make_ranking(n_queries, 12, random_state=seed, **sizes)[0]


def held_out_values(data, penalty, strengths, measure, n_folds, random_state=0):
    """One row a strength, one column a query that took no part in the fit; and mean sizes."""
    values, sizes = [], []
    for train, test in k_folds(data, n_folds, random_state=random_state):
        fits = [SparseRankSVM(penalty, strength, tol=1e-8).fit(train) for strength in strengths]
        values.append([measure.per_query(test.y, svm.predict(test), qid=test.qid) for svm in fits])
        sizes.append([svm.n_features_ for svm in fits])
    return np.hstack(values), np.array(sizes)


@pytest.mark.parametrize(
    "selector",
    [
        SparseRankSVM("l1", n_strengths=12, n_folds=3),
        SparseRankSVM("mcp", n_strengths=12, n_folds=3),
        FSMRank(n_strengths=12, n_folds=3),
        FenchelRank(n_strengths=12, n_folds=3),
    ],
    ids=repr,
)
@pytest.mark.parametrize("seed", range(2))
def test_the_order_of_queries_does_not_choose_the_strength(selector, seed):
    data = planted(seed, n_queries=20)
    starts, order = data.query_ptr, np.random.default_rng(seed).permutation(20)
    rows = np.concatenate([np.arange(starts[q], starts[q + 1]) for q in order])
    straight = clone(selector).fit(data)
    moved = clone(selector).fit(data.X[rows], data.y[rows], qid=data.qid[rows])
    np.testing.assert_allclose(
        moved.cross_validation_.chosen, straight.cross_validation_.chosen, rtol=1e-9
    )
    np.testing.assert_allclose(moved.coef_, straight.coef_, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("penalty", ["l1", "mcp"])
@pytest.mark.parametrize(
    ("measure", "spelled"), [(NDCG(10), "ndcg@10"), (MAP(), "map"), (NDCG(5), NDCG(5))]
)
def test_folds_give_the_values_of_a_slow_loop(penalty, measure, spelled):
    data = planted(1, n_queries=15)
    options = {"n_folds": 3, "n_strengths": 5, "random_state": 4, "tol": 1e-8}
    svm = SparseRankSVM(penalty, measure=spelled, **options).fit(data)
    found = svm.cross_validation_
    values, sizes = held_out_values(data, penalty, found.numbers, measure, 3, random_state=4)
    np.testing.assert_allclose(found.means, values.mean(axis=1), rtol=1e-12)
    errors = values.std(axis=1, ddof=1) / np.sqrt(data.n_queries)
    np.testing.assert_allclose(found.standard_errors, errors, rtol=1e-9)
    np.testing.assert_array_equal(found.n_features, sizes.mean(axis=0))
    allowed = np.flatnonzero((sizes > 0).all(axis=0))
    best = allowed[np.argmax(values.mean(axis=1)[allowed])]
    assert found.best == found.chosen == svm.strength_ == found.numbers[best]
    assert (found.measure, found.rule, found.n_folds) == (str(measure), "best", 3)
    np.testing.assert_array_equal(
        svm.coef_, SparseRankSVM(penalty, svm.strength_, tol=1e-8).fit(data).coef_
    )


@pytest.mark.parametrize("seed", range(3))
def test_one_standard_error_takes_the_sparsest_model_that_is_as_good(seed):
    data = planted(seed)
    options = {"n_folds": 3, "n_strengths": 8, "tol": 1e-8}
    svm = SparseRankSVM(rule="one-standard-error", **options).fit(data)
    found = svm.cross_validation_
    values, sizes = held_out_values(data, "l1", found.numbers, NDCG(10), 3)
    allowed = np.flatnonzero((sizes > 0).all(axis=0))
    means = values.mean(axis=1)
    best = allowed[np.argmax(means[allowed])]
    less = values - values[best]
    error = less.std(axis=1, ddof=1) / np.sqrt(values.shape[1])
    near = [place for place in allowed if -less[place].mean() <= error[place] + 1e-12]
    assert found.best == found.numbers[best]
    assert found.chosen == svm.strength_ == found.numbers[near[0]]
    assert found.chosen >= found.best
    assert svm.n_features_ <= SparseRankSVM(**options).fit(data).n_features_


def test_strengths_are_those_of_a_path_down_to_a_thousandth():
    data = planted(0)
    found = SparseRankSVM(n_strengths=5).fit(data).cross_validation_
    path = SparseRankSVM().path(data, n_strengths=5)
    np.testing.assert_array_equal(found.numbers, path.strengths)
    assert found.numbers[-1] == pytest.approx(1e-3 * found.numbers[0])


def test_seeds_deal_queries_and_the_same_seed_deals_the_same():
    data = planted(2)
    options = {"strength": "cv", "n_strengths": 8, "n_folds": 4}
    one, again, other = (
        SparseRankSVM(**options, random_state=seed).fit(data) for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(one.coef_, again.coef_)
    np.testing.assert_array_equal(one.cross_validation_.means, again.cross_validation_.means)
    assert np.any(one.cross_validation_.means != other.cross_validation_.means)


def test_more_folds_than_queries_hold_out_one_query_each():
    data = planted(0, n_queries=6)
    svm = SparseRankSVM(n_folds=50, n_strengths=4).fit(data)
    assert svm.cross_validation_.n_folds == 6


def test_one_query_has_no_folds_and_the_error_says_what_to_do():
    data = planted(0).queries([3])
    for svm in (SparseRankSVM(), SparseRankSVM(strength="cv", n_features_to_select=2)):
        with pytest.raises(DataError, match=r"at least two queries.*as a number"):
            svm.fit(data)
    assert SparseRankSVM(n_features_to_select=2).fit(data).n_features_ == 2
    assert SparseRankSVM(strength=0.1).fit(data).n_features_ >= 1


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("penalty", ["l1", "lp"])
def test_a_file_sorted_by_grade_does_not_hand_its_order_to_empty_models(penalty, seed):
    data = planted(seed)
    rows = np.lexsort((-data.y, data.qid))
    X, y, qid = data.X[rows], data.y[rows], data.qid[rows]
    perfect = NDCG(10)(y, y, qid=qid)
    assert NDCG(10)(y, np.zeros(len(y)), qid=qid) == perfect
    svm = SparseRankSVM(penalty, n_strengths=8, n_folds=3).fit(X, y, qid=qid)
    assert svm.n_features_ >= 1
    for train, _ in k_folds(load((X, y, qid)), 3):
        assert SparseRankSVM(penalty, svm.cross_validation_.best).fit(train).n_features_ >= 1


@pytest.mark.parametrize("seed", range(3))
def test_a_strength_by_folds_keeps_a_feature_even_in_noise(seed):
    rng = np.random.default_rng(seed)
    X, y, qid = rng.normal(size=(40, 3)), rng.integers(0, 3, 40), np.repeat(np.arange(4), 10)
    for penalty in ("l1", "lp", "log"):
        svm = SparseRankSVM(penalty, n_strengths=6, n_folds=3).fit(X, y, qid=qid)
        assert svm.n_features_ >= 1
        assert svm.strength_ < svm.cross_validation_.numbers[0]


def test_folds_without_pairs_do_not_forbid_every_strength():
    # Of three queries one has two grades: the fold that holds it out trains on nothing.
    data = planted(0, n_queries=3)
    y = np.where(data.qid == data.qid[0], data.y, 1.0)
    svm = SparseRankSVM(n_folds=3, n_strengths=5).fit(data.X, y, qid=data.qid)
    assert svm.n_features_ >= 1


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("penalty", PENALTIES)
def test_any_number_of_features_is_met_exactly(penalty, seed):
    data = planted(seed, n_queries=12, n_irrelevant=3)
    for number in range(1 + seed, 8, 2):
        svm = SparseRankSVM(penalty, n_features_to_select=number).fit(data)
        assert np.count_nonzero(svm.coef_) == svm.n_features_ == number
        assert svm.converged_
        # What was found is the whole model at its strength, not the head of a larger one.
        alone = SparseRankSVM(penalty, svm.strength_).fit(data)
        assert alone.n_features_ == number
        np.testing.assert_allclose(alone.coef_, svm.coef_, atol=1e-3)


@pytest.mark.parametrize("penalty", ["l1", "mcp"])
def test_the_search_goes_between_strengths_of_its_grid(penalty):
    # Features that enter within a thousandth of each other: no two strengths of a grid part them.
    rng = np.random.default_rng(0)
    query_ptr = np.arange(0, 201, 10)
    y = np.tile([0.0, 1.0], 100)
    scales = 1.0 - 1e-3 * np.arange(6)
    X = (y[:, None] + rng.normal(size=(200, 6))) * scales
    X -= (X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0) - scales) * y[:, None]
    for number in range(1, 7):
        svm = SparseRankSVM(penalty, n_features_to_select=number, tol=1e-10)
        svm.fit(X, y, qid=row_ids(query_ptr))
        assert np.count_nonzero(svm.coef_) == number


def test_copies_enter_together_and_the_head_of_the_order_is_kept():
    data = planted(0, n_redundant=0)
    X = np.hstack([data.X, data.X])
    copies = data.n_features
    penalty = "elastic-net"  # which shares a weight among copies
    one = SparseRankSVM(penalty, n_features_to_select=1).fit(X, data.y, qid=data.qid)
    assert one.get_support().sum() == np.count_nonzero(one.coef_) == 1
    assert one.order_[1] == one.order_[0] + copies
    two = SparseRankSVM(penalty, n_features_to_select=2).fit(X, data.y, qid=data.qid)
    np.testing.assert_array_equal(np.flatnonzero(two.coef_), np.sort(one.order_[:2]))


def test_a_share_of_the_features_is_a_number_of_them():
    data = planted(0)  # 9 features
    svm = SparseRankSVM("mcp", n_features_to_select=0.3).fit(data)
    assert np.count_nonzero(svm.coef_) == svm.n_features_ == 3


def test_more_features_than_can_have_a_weight_are_filled_up():
    data = planted(0)
    svm = SparseRankSVM(n_features_to_select=9).fit(data)
    assert np.count_nonzero(svm.coef_) == 8  # one is constant
    assert svm.get_support().all()


@pytest.mark.parametrize("penalty", ["l1", "mcp"])
def test_validation_trains_on_the_models_of_each_number(penalty):
    data = planted(3, n_queries=20, n_irrelevant=2)
    svm = SparseRankSVM(penalty, n_features_to_select="validation").fit(data)
    assert svm.validation_.numbers.tolist() == list(range(1, 7))
    assert svm.n_features_ == np.count_nonzero(svm.coef_) == svm.validation_.chosen
    train, _ = Validation().split(data)
    sets = SparseRankSVM(penalty, n_features_to_select="validation").feature_sets(train)
    for number in (1, 4):
        alone = SparseRankSVM(penalty, n_features_to_select=number).fit(train)
        np.testing.assert_array_equal(np.sort(sets.of_size(number)), np.flatnonzero(alone.coef_))


def test_validation_with_a_strength_takes_heads_of_one_order():
    data = planted(3)
    svm = SparseRankSVM(strength=0.05, n_features_to_select="validation").fit(data)
    assert svm.n_features_ == svm.validation_.chosen
    assert svm.strength_ == 0.05


def test_validation_keeps_nothing_of_the_part_it_trained_on():
    data = planted(3)
    fsm = FSMRank(n_features_to_select="validation").fit(data)
    np.testing.assert_array_equal(
        fsm.importance_, np.maximum(PearsonImportance().scores(data), 0.0)
    )
