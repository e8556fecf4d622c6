"""MIQUBO: information of pairs by counting, its laws, and the best of all sets."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from ranksieve import MIQUBO, RankingData, TopK, make_ranking
from ranksieve.data import from_arrays, letor_folds
from ranksieve.data.memory import memory
from ranksieve.errors import ConvergenceWarning, DataError, ParameterError
from ranksieve.importance import as_importance
from ranksieve.threads import threads
from tests.reference import filters
from tests.reference.cases import in_blocks, random_arrays, row_ids


def some_data(seed):
    """Random features, one of few values, one that follows the grade, and a copy."""
    X, y, query_ptr = random_arrays(seed, n_queries=15)
    rng = np.random.default_rng(seed)
    X = np.column_stack(
        [X[:, :4], np.round(3 * rng.random(len(y))), y + rng.random(len(y)), X[:, 0]]
    )
    return X, y, query_ptr


def binned(X, n_bins):
    return [filters.equal_frequency_bins(column.tolist(), n_bins) for column in X.T]


@pytest.mark.parametrize("n_bins", [2, 3, 5])
@pytest.mark.parametrize("seed", range(3))
def test_information_is_that_of_counted_symbols(seed, n_bins):
    X, y, query_ptr = some_data(seed)
    model = MIQUBO(2, n_bins=n_bins).fit(in_blocks(X, y, query_ptr, [2, 7]))
    columns, grades = binned(X, n_bins), y.tolist()
    expected = [filters.information(column, grades) for column in columns]
    np.testing.assert_allclose(model.information_, expected, atol=1e-11)
    beside = [[filters.conditional_information(f, grades, g) for g in columns] for f in columns]
    np.testing.assert_allclose(model.conditional_information_, beside, atol=1e-11)


@pytest.mark.parametrize("seed", range(3))
def test_information_is_the_gain_in_equal_bins_and_the_chain_rule_holds(seed):
    X, y, query_ptr = some_data(seed)
    model = MIQUBO(2, n_bins=4).fit(from_arrays(X, y, row_ids(query_ptr)))
    gain = as_importance("information-gain(bins='equal-frequency', n_bins=4)")
    np.testing.assert_allclose(
        model.information_, gain.scores(from_arrays(X, y, row_ids(query_ptr))), atol=1e-11
    )
    # I(i, j; Y) = I(j; Y) + I(i; Y | j) = I(i; Y) + I(j; Y | i)
    joint = model.information_ + model.conditional_information_
    np.testing.assert_allclose(joint, joint.T, atol=1e-11)
    assert (model.conditional_information_ >= 0).all()
    assert (joint >= np.maximum.outer(model.information_, model.information_) - 1e-11).all()


def test_a_copy_tells_nothing_beside_the_feature():
    X, y, query_ptr = some_data(0)
    beside = MIQUBO(2).fit(from_arrays(X, y, row_ids(query_ptr))).conditional_information_
    assert (np.diag(beside) == 0.0).all()
    assert beside[0, 6] == beside[6, 0] == 0.0  # feature 6 copies feature 0
    np.testing.assert_array_equal(beside[:, 0], beside[:, 6])


@pytest.mark.parametrize("number", [1, 2, 3, 5])
@pytest.mark.parametrize("seed", range(3))
def test_exact_and_swap_find_the_best_of_all_sets(seed, number):
    X, y, query_ptr = some_data(seed)
    data = from_arrays(X, y, row_ids(query_ptr))
    columns, grades = binned(X, 3), y.tolist()
    best = max(filters.miqubo(chosen, columns, grades) for chosen in combinations(range(7), number))
    exact, swap, greedy = (
        MIQUBO(number, n_bins=3, solver=solver).fit(data) for solver in ("exact", "swap", "greedy")
    )
    assert exact.converged_
    assert exact.objective_ == pytest.approx(best, abs=1e-9)
    assert exact.gap_ <= 1e-6
    assert swap.objective_ == pytest.approx(best, abs=1e-9)
    assert greedy.objective_ == pytest.approx(swap.greedy_objective_)
    assert greedy.objective_ <= swap.objective_ + 1e-12
    chosen = exact.order_[:number].tolist()
    assert filters.miqubo(chosen, columns, grades) == pytest.approx(best, abs=1e-9)
    assert exact.scores_[exact.order_[:number]].sum() == pytest.approx(exact.objective_)


def exclusive_or(seed, n_documents=600):
    """Two flags whose exclusive or is the grade, two weak features, and noise."""
    rng = np.random.default_rng(seed)
    left, right = rng.integers(0, 2, size=(2, n_documents))
    y = left ^ right
    weak = y[:, None] + 3.0 * rng.normal(size=(n_documents, 2))
    X = np.column_stack([rng.normal(size=(n_documents, 3)), left, weak, right])
    return from_arrays(X, y, np.arange(n_documents) // 10)


@pytest.mark.parametrize("seed", range(3))
def test_two_features_that_only_tell_together_are_found_and_single_importances_miss_them(seed):
    data = exclusive_or(seed)
    model = MIQUBO(2).fit(data)
    assert set(model.order_[:2].tolist()) == {3, 6}
    assert model.information_[[3, 6]].max() < 0.02
    assert model.conditional_information_[3, 6] > 0.9
    by_one = TopK("information-gain(bins='equal-frequency', n_bins=5)", n_features_to_select=2)
    assert not {3, 6} & set(by_one.fit(data).order_[:2].tolist())


def test_more_features_are_never_worse_so_the_objective_has_no_number_of_its_own():
    data, _ = make_ranking(40, random_state=0)
    objectives = [MIQUBO(number).fit(data).objective_ for number in range(1, data.n_features + 1)]
    assert (np.diff(objectives) >= 0).all()


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_columns_decides_nothing_with_random_starts(seed):
    data, _ = make_ranking(60, n_relevant=5, n_redundant=5, n_irrelevant=5, random_state=seed)
    columns = np.random.default_rng(seed).permutation(data.n_features)
    moved = MIQUBO(6).fit(from_arrays(data.X[:, columns], data.y, data.qid))
    np.testing.assert_array_equal(columns[moved.order_], MIQUBO(6).fit(data).order_)


def test_a_rising_function_of_a_feature_changes_nothing():
    data, _ = make_ranking(40, random_state=1)
    changed = from_arrays(np.exp(data.X / 4), data.y, data.qid)
    np.testing.assert_array_equal(MIQUBO().fit(changed).scores_, MIQUBO().fit(data).scores_)


def test_a_constant_feature_is_not_offered_though_it_takes_nothing_away():
    data, truth = make_ranking(40, n_constant=2, random_state=2)
    model = MIQUBO(data.n_features).fit(data)
    assert sorted(model.order_[-2:].tolist()) == truth.constant.tolist()
    assert (model.scores_[truth.constant] == -np.inf).all()
    with threads(1):
        same = MIQUBO(data.n_features).fit(data)
    np.testing.assert_array_equal(same.scores_, model.scores_)


def test_what_is_not_proven_in_time_says_so():
    data, _ = make_ranking(60, n_relevant=20, n_redundant=20, n_irrelevant=0, random_state=0)
    with pytest.warns(
        ConvergenceWarning, match="MIQUBO: the optimum for 12 features is not proven"
    ):
        model = MIQUBO(12, solver="exact", time_limit=1e-3).fit(data)
    assert not model.converged_
    assert model.bound_ > model.objective_


def test_tables_that_do_not_fit_are_refused_with_the_size():
    data, _ = make_ranking(20, n_relevant=10, n_redundant=10, n_irrelevant=0, random_state=0)
    with (
        memory("100KiB"),
        pytest.raises(DataError, match=r"counts of all pairs of 20 features by 30"),
    ):
        MIQUBO(3, n_bins=30).fit(data)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_bins": 1}, "n_bins must be a whole number of at least 2, but is 1"),
        ({"n_bins": 2.5}, "n_bins"),
        ({"solver": "swaps"}, "did you mean 'swap'"),
        ({"time_limit": 0}, "time_limit must be a number above 0"),
        ({"n_restarts": -1}, "n_restarts"),
    ],
)
def test_wrong_parameters_are_named(options, message):
    with pytest.raises(ParameterError, match=message):
        MIQUBO(**options).fit(make_ranking(5)[0])


def test_fractional_grades_are_refused():
    data, _ = make_ranking(5)
    with pytest.raises(DataError, match="MIQUBO needs whole grades"):
        MIQUBO().fit(data.X, data.y / 2 + 0.25, qid=data.qid)


def test_on_real_data_the_objective_is_the_sum_written_out(real_data):
    train: RankingData = letor_folds(real_data / "MQ2008")[0].train
    swap = MIQUBO(10).fit(train)
    beside = swap.conditional_information_
    chosen = swap.order_[:10]
    inside = beside[np.ix_(chosen, chosen)]
    assert swap.objective_ == pytest.approx(swap.information_[chosen].sum() + inside.sum())
    assert swap.greedy_shortfall_ >= 0.0
