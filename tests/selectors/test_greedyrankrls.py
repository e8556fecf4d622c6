"""GreedyRankRLS against fits that really leave queries out, and its laws."""

from __future__ import annotations

import numpy as np
import pytest

from ranksieve import GreedyRankRLS, load, make_ranking
from ranksieve.data import scale
from ranksieve.errors import DataError, ParameterError
from ranksieve.experiment.plan import is_embedded
from ranksieve.selectors.wrappers._greedy_rls import GreedySteps
from ranksieve.testing.cases import in_blocks, random_arrays, row_ids, uneven_arrays
from tests.reference import greedyrankrls as reference

CRITERIA = {
    "leave-query-out": reference.left_out_error,
    "training": reference.training_value,
}


def fit(arrays, strength=0.05, **options):
    X, y, query_ptr = arrays
    return GreedyRankRLS(strength, **options).fit(X, y, qid=row_ids(query_ptr))


@pytest.mark.parametrize("arrays", [uneven_arrays, random_arrays])
@pytest.mark.parametrize("weighting", ["pairs", "queries"])
@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("seed", range(3))
def test_order_errors_and_weights_are_those_of_the_definition(arrays, weighting, criterion, seed):
    X, y, query_ptr = arrays(seed)
    greedy = fit(
        (X, y, query_ptr), n_features_to_select=4, criterion=criterion, weighting=weighting
    )
    chosen, errors, weights = reference.greedy(
        X, y, query_ptr, 4, 0.05, criterion=CRITERIA[criterion], weighting=weighting
    )
    assert greedy.order_[:4].tolist() == chosen
    np.testing.assert_allclose(greedy.errors_, errors, rtol=1e-11)
    np.testing.assert_allclose(greedy.coef_[chosen], weights, rtol=1e-9)


@pytest.mark.parametrize("strength", [1e-7, 1e-3, 1e3])
def test_steps_lose_no_digits_to_a_small_strength(strength):
    X, y, query_ptr = uneven_arrays(1, n_features=8)
    X[:, 5] = X[:, 0] + 1e-3 * X[:, 5]
    greedy = fit((X, y, query_ptr), strength, n_features_to_select=8)
    _, errors, _ = reference.greedy(X, y, query_ptr, 8, strength, weighting="queries")
    np.testing.assert_allclose(greedy.errors_, errors, rtol=1e-7)


def test_two_queries_of_two_documents_are_as_by_hand():
    X, y = np.array([[0.0], [2.0], [0.0], [1.0]]), np.array([0.0, 1.0, 0.0, 3.0])
    greedy = GreedyRankRLS(0.5, standardise=False).fit(X, y, qid=[1, 1, 2, 2])
    # Each query has one pair: differences 2 and 1 of the feature, 1 and 3 of the grade.
    alone = [(2 * 1 / 2) / (2 * 2 / 2 + 0.5), (1 * 3 / 2) / (1 * 1 / 2 + 0.5)]
    left_out = ((1 - 2 * alone[1]) ** 2 + (3 - 1 * alone[0]) ** 2) / 2
    assert greedy.errors_ == pytest.approx([(1 + 9) / 2, left_out])
    assert greedy.coef_ == pytest.approx([(2 * 1 + 1 * 3) / 2 / ((4 + 1) / 2 + 0.5)])


@pytest.mark.parametrize("seed", range(3))
def test_units_offsets_and_directions_of_features_change_nothing(seed):
    X, y, query_ptr = uneven_arrays(seed, n_features=6)
    rng = np.random.default_rng(seed)
    factors = rng.choice([-1, 1], 6) * 10.0 ** rng.integers(-6, 7, 6)
    offsets = rng.normal(size=(len(query_ptr) - 1, 6))[row_ids(query_ptr)]
    ours = fit((X, y, query_ptr), n_features_to_select=4)
    theirs = fit(((X + offsets) * factors, y, query_ptr), n_features_to_select=4)
    assert theirs.order_.tolist() == ours.order_.tolist()
    np.testing.assert_allclose(theirs.coef_ * factors, ours.coef_, rtol=1e-8)


def test_units_matter_where_features_are_taken_as_given():
    X, y, query_ptr = uneven_arrays(0)
    ours = fit((X, y, query_ptr), n_features_to_select=1, standardise=False)
    X[:, ours.order_[0]] *= 1e-6
    small = fit((X, y, query_ptr), n_features_to_select=1, standardise=False)
    assert ours.order_[0] != small.order_[0]


def test_of_copies_the_lowest_index_comes_and_a_later_copy_adds_little():
    data, _ = make_ranking(40, 12, n_relevant=2, n_redundant=0, n_irrelevant=2, random_state=3)
    X = data.X[:, [0, 1, 2, 3, 0, 1]]
    order = GreedyRankRLS(n_features_to_select=2).fit(X, data.y, qid=data.qid).order_
    assert sorted(order[:2].tolist()) == [0, 1]


@pytest.mark.parametrize("seed", range(3))
def test_without_a_number_it_ends_before_the_first_step_that_does_not_lower_the_error(seed):
    arrays = uneven_arrays(seed, n_features=8)
    open_end = fit(arrays)
    n = open_end.n_features_
    assert np.count_nonzero(open_end.coef_) == n == len(open_end.errors_) - 1
    assert (np.diff(open_end.errors_) < 0).all()
    longer = fit(arrays, n_features_to_select=min(n + 1, 8))
    np.testing.assert_array_equal(longer.order_[:n], open_end.order_[:n])
    assert n == 8 or longer.errors_[n + 1] >= longer.errors_[n]


def test_feature_sets_are_what_fits_select():
    data, _ = make_ranking(30, 10, n_constant=1, random_state=2)
    sets = GreedyRankRLS().feature_sets(data)
    assert sets.largest == data.n_features - 1
    for number in (3, 1, 7):
        fitted = GreedyRankRLS(n_features_to_select=number).fit(data)
        np.testing.assert_array_equal(sets.of_size(number), fitted.order_[:number])


def test_queries_of_one_grade_do_not_count():
    X, y, query_ptr = random_arrays(4)
    counted = [
        q for q in range(len(query_ptr) - 1) if np.ptp(y[query_ptr[q] : query_ptr[q + 1]]) > 0
    ]
    data = in_blocks(X, y, query_ptr, [3])
    ours, theirs = (GreedyRankRLS().fit(each) for each in (data, data.queries(counted)))
    assert len(counted) < data.n_queries
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-12)


def test_one_query_is_selected_by_the_error_of_training():
    data, _ = make_ranking(1, (40, 40), random_state=0)
    ours, theirs = (
        GreedyRankRLS(n_features_to_select=5, criterion=criterion).fit(data)
        for criterion in CRITERIA
    )
    np.testing.assert_array_equal(ours.order_, theirs.order_)
    np.testing.assert_array_equal(ours.errors_, theirs.errors_)


def test_without_pairs_all_weights_are_0_and_the_order_is_that_of_the_columns():
    data, _ = make_ranking(5, 6, n_irrelevant=2, random_state=0)
    greedy = GreedyRankRLS(n_features_to_select=3).fit(data.X, np.ones(len(data.y)), qid=data.qid)
    assert not greedy.coef_.any()
    assert greedy.order_.tolist() == list(range(data.n_features))
    assert greedy.errors_.tolist() == [0.0]


def test_a_model_ranks_scaled_data_as_it_was_scaled_for_the_fit():
    data, _ = make_ranking(30, 10, random_state=0)
    greedy = GreedyRankRLS(n_features_to_select=4).fit(scale(data, "minmax"))
    np.testing.assert_allclose(greedy.predict(data), greedy.predict(scale(data, "minmax")))
    assert greedy.score(data) > 0.7


def test_a_comparison_takes_its_steps_and_not_its_largest_weights():
    assert not is_embedded(GreedyRankRLS())


def test_pieces_of_any_size_give_the_same_steps(monkeypatch):
    rng = np.random.default_rng(0)
    query_ptr = np.array([0, 3, 4, 9, 15, 17])
    V, t = rng.normal(size=(17, 5)), rng.normal(size=17)
    expected = GreedySteps(V.copy(), t, query_ptr, leave_out=True)
    monkeypatch.setattr("ranksieve.selectors.wrappers._greedy_rls._PIECE", 1)
    pieces = GreedySteps(V.copy(), t, query_ptr, leave_out=True)
    for steps in (expected, pieces):
        steps.add(2, V[:, 2])
    np.testing.assert_allclose(pieces.candidates, expected.candidates, rtol=1e-13)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"strength": 0}, "strength must be"),
        ({"strength": "cv"}, "strength must be"),
        ({"criterion": "leave-one-out"}, "did you mean 'leave-query-out'"),
        ({"weighting": "documents"}, "weighting must be one of"),
        ({"standardise": "yes"}, "standardise must be True or False"),
    ],
)
def test_wrong_parameters_are_named(wrong, message):
    with pytest.raises(ParameterError, match=message):
        GreedyRankRLS(**wrong).fit([[0.0], [1.0]], [0, 1], qid=[1, 1])


def test_features_beyond_the_range_of_squares_are_named():
    X, y, query_ptr = uneven_arrays(0)
    with pytest.raises(DataError, match=r"of 1 of 4 features are not.*Scale the features first"):
        fit((X * [1, 1e200, 1, 1], y, query_ptr), standardise=False)


@pytest.mark.parametrize("name", ["OHSUMED", "MQ2008"])
def test_on_real_data_the_first_steps_are_those_of_the_definition(real_data, name):
    data = (
        load(real_data / name / "Fold1" / "vali.txt").queries(range(12)).features(range(0, 40, 5))
    )
    greedy = GreedyRankRLS(n_features_to_select=3).fit(data)
    chosen, errors, _ = reference.greedy(
        data.X.astype(np.float64), data.y, data.query_ptr, 3, 0.01, weighting="queries"
    )
    assert greedy.order_[:3].tolist() == chosen
    np.testing.assert_allclose(greedy.errors_, errors, rtol=1e-9)
