"""The number of features, chosen on validation queries."""

from __future__ import annotations

import pickle
from typing import ClassVar

import numpy as np
import pytest
from sklearn.base import clone

from ranksieve import GAS, NDCG, RankSVM, TopK, catalog, make_ranking
from ranksieve.choices import Choice, FeatureSets, Validation, as_choice
from ranksieve.choices._curve import curve, grid
from ranksieve.data import from_arrays
from ranksieve.errors import DataError, ParameterError
from ranksieve.progress import listening


@pytest.fixture(scope="module")
def data():
    return make_ranking(60, 12, n_relevant=3, n_redundant=2, n_irrelevant=5, random_state=3)[0]


def test_the_grid_has_every_number_up_to_twelve_and_then_grows_by_a_quarter():
    assert grid(0).tolist() == grid(1).tolist() == [1]
    assert grid(5).tolist() == [1, 2, 3, 4, 5]
    assert grid(13).tolist() == [*range(1, 13), 13]
    large = grid(700)
    assert large[-1] == 700
    steps = large[13:-1] / large[12:-2]
    assert ((steps >= 1.25) & (steps < 1.32)).all()


def test_the_best_mean_wins_and_the_smallest_among_equals():
    values = np.array([[0.2, 0.4], [0.5, 0.7], [0.7, 0.5], [0.1, 0.1]])
    found = curve(np.array([1, 2, 3, 4]), values, "map", "best")
    assert (found.chosen, found.best) == (2, 2)
    np.testing.assert_allclose(found.means, [0.3, 0.6, 0.6, 0.1])
    # Two values a and b: standard deviation |a - b| / sqrt 2, of the mean |a - b| / 2.
    np.testing.assert_allclose(found.standard_errors, [0.1, 0.1, 0.1, 0.0])
    np.testing.assert_allclose(found.difference_errors, [0.0, 0.0, 0.2, 0.1], atol=1e-12)


def test_one_standard_error_is_that_of_differences_query_by_query():
    best = np.array([0.9, 0.1, 0.5])
    values = np.array([best - [0.3, 0.3, 0.3], best - [0.0, 0.3, 0.0], best])
    # First row: 0.3 below throughout, error 0. Second: 0.1 below, error 0.3 / sqrt 3 / sqrt 3.
    found = curve(np.array([1, 2, 3]), values, "map", "one-standard-error")
    np.testing.assert_allclose(found.difference_errors, [0.0, 0.1, 0.0], atol=1e-12)
    assert (found.chosen, found.best) == (2, 3)
    # The errors of the means, 0.4 / sqrt 3 = 0.23 for the best, are of another kind.
    assert found.standard_errors[2] == pytest.approx(0.4 / np.sqrt(3))


class Choosing(RankSVM):
    """RankSVM that remembers of which data folds chose its C."""

    seen: ClassVar[list[tuple[int, int]]] = []

    def _choose(self, data):
        if self.C is None:
            Choosing.seen.append((data.n_queries, data.n_features))
        return super()._choose(data)


def test_the_rankers_c_is_chosen_once_on_the_training_part_with_all_features(data, monkeypatch):
    monkeypatch.setattr(Choosing, "seen", [])
    choice = Validation(ranker=Choosing())
    by_folds = TopK(n_features_to_select=choice).fit(data).validation_
    assert Choosing.seen == [(48, 10)]
    C = RankSVM().fit(choice.split(data)[0]).C_
    fixed = TopK(n_features_to_select=Validation(ranker=RankSVM(C=C))).fit(data).validation_
    np.testing.assert_array_equal(by_folds.means, fixed.means)
    named = TopK(n_features_to_select="validation").fit(data).validation_
    np.testing.assert_array_equal(named.means, fixed.means)


def test_the_curve_is_what_training_and_measuring_by_hand_gives(data):
    choice = Validation(ranker=RankSVM(C=0.01), measure="ndcg@5", share=0.25, random_state=7)
    fitted = TopK(n_features_to_select=choice).fit(data)
    training, validation = choice.split(data)
    assert (training.n_queries, validation.n_queries) == (45, 15)
    assert not set(training.query_ids) & set(validation.query_ids)
    order = TopK(n_features_to_select=1).fit(training).order_
    for row, k in enumerate(fitted.validation_.numbers):
        svm = RankSVM(C=0.01).fit(training.features(order[:k]))
        scores = svm.predict(validation.features(order[:k]))
        values = NDCG(5).per_query(validation.y, scores, qid=validation.qid)
        assert fitted.validation_.means[row] == pytest.approx(values.mean(), rel=1e-12)
        assert fitted.validation_.standard_errors[row] == pytest.approx(
            values.std(ddof=1) / np.sqrt(15)
        )
    assert fitted.validation_.n_queries == 15
    assert fitted.validation_.measure == "ndcg@5"


def test_queries_of_your_own_leave_all_data_for_training(data):
    other = make_ranking(20, 12, n_relevant=3, n_redundant=2, n_irrelevant=5, random_state=8)[0]
    choice = Validation(data=other)
    assert choice.split(data) == (data, other)
    fitted = GAS(choice).fit(data)
    assert fitted.validation_.n_queries == 20
    # Features are matched by name, whatever their order.
    names = [f"feature {place}" for place in range(other.n_features)]
    named = from_arrays(other.X, other.y, other.qid, feature_names=names)
    mixed = named.features(np.arange(other.n_features)[::-1])
    training = from_arrays(data.X, data.y, data.qid, feature_names=names)
    again = GAS(Validation(data=mixed)).fit(training)
    np.testing.assert_allclose(again.validation_.means, fitted.validation_.means)
    # Arrays have no names to match.
    arrays = GAS(Validation(data=named)).fit(data.X, data.y, qid=data.qid)
    np.testing.assert_allclose(arrays.validation_.means, fitted.validation_.means)
    with pytest.raises(DataError, match="has 3 features"):
        GAS(Validation(data=other.features([0, 1, 2]))).fit(data)


def test_seeds_repeat_and_differ(data):
    one, same, other = (Validation(random_state=seed).split(data)[1] for seed in (0, 0, 1))
    assert one.fingerprint == same.fingerprint != other.fingerprint


@pytest.mark.parametrize(("n_queries", "share", "aside"), [(2, 0.2, 1), (2, 0.99, 1), (10, 0.3, 3)])
def test_either_part_has_a_query(n_queries, share, aside):
    data, _ = make_ranking(n_queries, 5)
    training, validation = Validation(share=share).split(data)
    assert (training.n_queries, validation.n_queries) == (n_queries - aside, aside)


def test_one_query_cannot_be_split():
    data = make_ranking(1, 30)[0]
    with pytest.raises(DataError, match="needs at least two queries, but there is 1"):
        GAS("validation").fit(data)


def test_one_standard_error_needs_two_validation_queries():
    data = make_ranking(3, 30)[0]
    with pytest.raises(DataError, match="needs at least two validation queries, but 1 counts"):
        GAS(Validation(rule="one-standard-error")).fit(data)
    assert np.isnan(GAS("validation").fit(data).validation_.standard_errors).all()


def test_queries_without_relevant_documents_can_be_left_out(data):
    y = data.y.copy()
    for query in range(0, data.n_queries, 2):
        y[data.query_ptr[query] : data.query_ptr[query + 1]] = 0
    half = from_arrays(data.X, y, data.qid)
    skip = Validation(measure='NDCG(10, no_relevant="skip")', share=0.5)
    fitted = TopK(n_features_to_select=skip).fit(half)
    assert 0 < fitted.validation_.n_queries < 30
    assert np.isfinite(fitted.validation_.means).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"share": 0.0}, "share of the queries must be between 0 and 1, but is 0.0"),
        ({"share": 1}, "share of the queries"),
        ({"share": True}, "share of the queries"),
        ({"share": "half"}, "share of the queries"),
        ({"rule": "most"}, "rule must be one of 'best', 'one-standard-error', but is 'most'"),
        ({"data": np.ones((3, 2))}, "must be RankingData"),
        ({"ranker": 3}, "ranker must be a ranker or its name"),
        ({"ranker": "RankSVN"}, "did you mean 'RankSVM'"),
        ({"measure": "ndgc"}, "did you mean 'ndcg'"),
    ],
)
def test_mistakes_are_named(data, change, message):
    with pytest.raises(ParameterError, match=message):
        GAS(Validation(**change)).fit(data)


@pytest.mark.parametrize("wanted", ["ten", "valid", "0.5", ""])
def test_unknown_text_lists_what_is_possible(data, wanted):
    with pytest.raises(
        ParameterError, match=r"n_features_to_select must be .* a share .* 'validation', or None"
    ):
        GAS(wanted).fit(data)


def test_text_forms(data):
    made = GAS(Validation(measure="map", ranker=RankSVM(C=0.1)))
    parsed = catalog.parse(repr(made), "selectors")
    assert repr(parsed) == repr(made)
    assert parsed.n_features_to_select.measure == "map"
    assert parsed.n_features_to_select.ranker.C == 0.1
    assert as_choice("Validation") == as_choice(" validation ") == Validation()
    assert as_choice('Validation(rule="one-standard-error")').rule == "one-standard-error"
    from_text = GAS('Validation(measure="map")').fit(data)
    assert from_text.validation_.measure == "map"


def test_clones_share_the_data_of_a_choice_and_pickles_keep_it(data):
    gas = GAS(Validation(data=data))
    assert clone(gas).n_features_to_select is gas.n_features_to_select
    again = pickle.loads(pickle.dumps(gas)).n_features_to_select
    assert again.data.fingerprint == data.fingerprint
    gas.set_params(n_features_to_select=Validation(share=0.5))
    assert gas.get_params()["n_features_to_select"] == Validation(share=0.5)


def test_progress_is_reported(data):
    seen = []
    with listening(lambda label, done, total: seen.append((label, done, total))):
        GAS("validation").fit(data)
    assert [part for part in seen if part[0] == "validation"] == [
        ("validation", k, 10) for k in range(11)
    ]


def test_the_ranker_given_is_never_fitted(data):
    svm = RankSVM(C=0.1)
    GAS(Validation(ranker=svm)).fit(data)
    assert not hasattr(svm, "coef_")


def test_sets_that_are_not_nested_are_tried_as_they_are(data):
    # What is measured for k features must be GAS's own set for k, not the head of another.
    gas = GAS("validation", solver="swap", balance=2.0)
    sets = gas.feature_sets(data)
    for k in (1, 3, 6, sets.largest):
        alone = GAS(k, solver="swap", balance=2.0).fit(data)
        assert sorted(sets.of_size(k)) == alone.get_support(indices=True).tolist()
    assert not hasattr(gas, "importance_")


def test_importance_and_similarity_are_computed_once_for_all_numbers(data, monkeypatch):
    from ranksieve.similarity import KendallSimilarity

    calls = []
    matrix = KendallSimilarity.matrix
    monkeypatch.setattr(
        KendallSimilarity, "matrix", lambda self, given: calls.append(1) or matrix(self, given)
    )
    GAS("validation", solver="swap").fit(data)
    assert len(calls) == 2  # on the training part, and at last on all


def test_a_choice_of_ones_own_is_taken(data):
    class Two(Choice):
        def split(self, data):
            return data, data

        def choose(self, sets, training, validation):
            assert isinstance(sets, FeatureSets)
            return curve(np.array([2]), np.ones((1, 3)), "none", "best")

    assert GAS(Two()).fit(data).n_features_ == 2


def test_planted_features_are_enough():
    data, truth = make_ranking(
        200, 20, n_relevant=3, n_redundant=0, n_irrelevant=9, n_constant=1, random_state=5
    )
    fitted = GAS(Validation(rule="one-standard-error")).fit(data)
    assert fitted.n_features_ <= 4
    assert set(fitted.order_[: fitted.n_features_]) <= {*truth.relevant, *fitted.order_[3:4]}
