"""Laws that every selector in the catalog obeys."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.base import clone

from ranksieve import catalog, load, make_ranking
from ranksieve.choices import Validation
from ranksieve.data import from_arrays
from ranksieve.errors import DataError, ParameterError
from ranksieve.rankers import LinearRanker
from ranksieve.threads import threads
from tests.reference.cases import MAGNITUDES, in_blocks, sized

SELECTORS = [
    pytest.param(entry.load(), id=entry.class_name) for entry in catalog.entries("selectors")
]
pytestmark = pytest.mark.parametrize("selector", SELECTORS)

# One feature of each cluster, by its ranking downwards: of features that are unlike each other
# it may keep any. That it keeps one of each planted group is in tests/selectors/test_fsscpr.py.
BY_CLUSTER = {"FSSCPR"}


def by_weights(selector):
    """Whether features are those with a weight in a model that iterations find."""
    return issubclass(selector, LinearRanker)


def planted(seed=0):
    return make_ranking(
        120, 20, n_relevant=3, n_redundant=0, n_irrelevant=6, n_constant=2, random_state=seed
    )


@pytest.mark.parametrize("seed", range(3))
def test_order_is_a_permutation_with_constant_features_last(selector, seed):
    data, truth = planted(seed)
    fitted = selector().fit(data)
    assert sorted(fitted.order_.tolist()) == list(range(data.n_features))
    assert sorted(fitted.order_[-2:].tolist()) == truth.constant.tolist()
    assert fitted.scores_.shape == (data.n_features,)


def test_features_of_the_query_that_order_nothing_come_last_too(selector):
    data, truth = planted(1)
    by_query = np.repeat(np.arange(data.n_queries) % 7, np.diff(data.query_ptr))
    X = np.column_stack([by_query, data.X])
    order = selector().fit(X, data.y, qid=data.qid).order_
    assert sorted(order[-3:].tolist()) == [0, *(truth.constant + 1).tolist()]


def assert_one_of_each_block_is_kept(selector, seed):
    data, truth = make_ranking(
        120,
        20,
        n_relevant=3,
        n_redundant=6,
        n_irrelevant=0,
        redundancy_noise=0.1,
        random_state=seed,
    )
    kept = selector(n_features_to_select=3).fit(data).order_[:3]
    sources = {truth.copies_of.get(int(feature), int(feature)) for feature in kept}
    assert sources == set(truth.relevant.tolist())


@pytest.mark.parametrize("seed", range(3))
def test_planted_features_are_found(selector, seed):
    if selector.__name__ in BY_CLUSTER:
        assert_one_of_each_block_is_kept(selector, seed)
        return
    data, truth = planted(seed)
    fitted = selector(n_features_to_select=3).fit(data)
    assert fitted.get_support(indices=True).tolist() == truth.relevant.tolist()


@pytest.mark.parametrize(
    ("wanted", "kept"), [(1, 1), (11, 11), (0.5, 6), (0.01, 1), (None, 6), (np.int64(4), 4)]
)
def test_support_is_the_head_of_the_order(selector, wanted, kept):
    data, _ = planted()
    fitted = selector(n_features_to_select=wanted).fit(data)
    if wanted is None and by_weights(selector):
        kept = np.count_nonzero(fitted.coef_)
        assert 0 < kept < data.n_features
    assert fitted.n_features_ == kept
    assert set(fitted.get_support(indices=True)) == set(fitted.order_[:kept])
    assert fitted.transform(data.X).shape == (data.n_documents, kept)
    view = fitted.transform(data)
    np.testing.assert_array_equal(view.X, fitted.transform(data.X))
    assert list(fitted.get_feature_names_out()) == list(view.feature_names)


@pytest.mark.parametrize("wanted", [0, 12, -1, 1.5, 0.0, 1.0, "ten", True])
def test_impossible_numbers_are_named(selector, wanted):
    data, _ = planted()
    with pytest.raises(ParameterError, match="n_features_to_select"):
        selector(n_features_to_select=wanted).fit(data)


@pytest.mark.parametrize("seed", range(2))
def test_queries_and_columns_may_stand_in_any_order(selector, seed):
    # Without constant features, whose place among each other is their index.
    data = make_ranking(24, 12, random_state=seed)[0]
    rng = np.random.default_rng(seed)
    starts, order = data.query_ptr, rng.permutation(data.n_queries)
    rows = np.concatenate([np.arange(starts[q], starts[q + 1]) for q in order])
    columns = rng.permutation(data.n_features)
    straight = selector().fit(data)
    moved = selector().fit(from_arrays(data.X[rows], data.y[rows], data.qid[rows]))
    np.testing.assert_array_equal(moved.order_, straight.order_)
    moved = selector().fit(from_arrays(data.X[:, columns], data.y, data.qid))
    np.testing.assert_array_equal(columns[moved.order_], straight.order_)


def test_same_data_gives_the_same_order_and_survives_clone_and_pickle(selector):
    data, _ = planted(1)
    fitted = selector().fit(data)
    again = clone(fitted).fit(data)
    kept = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.order_, fitted.order_)
    np.testing.assert_array_equal(again.scores_, fitted.scores_)
    np.testing.assert_array_equal(kept.order_, fitted.order_)


@pytest.mark.usefixtures("always_threads")
def test_arrays_blocks_and_threads_agree(selector):
    data, _ = planted(2)
    one = selector().fit(data.X, data.y, qid=data.qid)
    with threads(1):
        blocks = selector().fit(in_blocks(data.X, data.y, data.query_ptr, [1, 7, 60]))
    if by_weights(selector):
        assert_same_order_up_to_ties(blocks, one, rtol=1e-5)
        return
    np.testing.assert_array_equal(blocks.order_, one.order_)
    np.testing.assert_allclose(blocks.scores_, one.scores_, rtol=1e-12)


def assert_same_order_up_to_ties(left, right, rtol):
    """Iterations end within a tolerance, so scores within it of each other may swap places."""
    largest = np.abs(right.scores_).max()
    np.testing.assert_allclose(left.scores_, right.scores_, rtol=rtol, atol=rtol * largest)
    for order, scores in ((left.order_, right.scores_), (right.order_, left.scores_)):
        varying = order[: len(order) - 2]  # constant features are last, whatever their score
        assert np.all(np.diff(scores[varying]) <= 2 * rtol * largest)


@pytest.mark.parametrize("number", ["validation", Validation(rule="one-standard-error", share=0.3)])
def test_the_number_can_be_chosen_on_validation_queries(selector, number):
    data, _ = planted(0)
    fitted = selector(n_features_to_select=number).fit(data)
    curve = fitted.validation_
    least = 2 if selector.__name__ in BY_CLUSTER else 1  # one cluster is no clustering
    assert curve.numbers.tolist() == list(range(least, 10))  # all that are not constant
    assert fitted.n_features_ == curve.chosen == fitted.get_support().sum()
    fixed = selector(n_features_to_select=curve.chosen).fit(data)
    np.testing.assert_array_equal(fixed.order_, fitted.order_)
    np.testing.assert_array_equal(fixed.scores_, fitted.scores_)
    assert clone(fitted).get_params()["n_features_to_select"] == number
    assert repr(catalog.parse(repr(clone(fitted)), "selectors")) == repr(clone(fitted))


def test_refitting_with_a_number_forgets_the_validation(selector):
    data, _ = planted(0)
    fitted = selector(n_features_to_select="validation").fit(data)
    assert not hasattr(fitted.set_params(n_features_to_select=2).fit(data), "validation_")


def test_text_form_builds_the_same_selector(selector):
    made = selector(n_features_to_select=3)
    assert repr(catalog.parse(repr(made), "selectors")) == repr(made)


def test_copied_features_and_one_document_queries_are_no_problem(selector):
    data, _ = planted(0)
    X = np.hstack([data.X, data.X])
    fitted = selector().fit(X, data.y, qid=data.qid)
    assert sorted(fitted.order_.tolist()) == list(range(X.shape[1]))
    singles = selector().fit(X, data.y, qid=np.arange(len(X)))
    assert sorted(singles.order_.tolist()) == list(range(X.shape[1]))


def test_bad_data_is_named(selector):
    X, y, qid = np.random.default_rng(0).random((6, 2)), [0, 1, 2, 0, 1, 2], [1, 1, 1, 2, 2, 2]
    with pytest.raises(DataError, match="qid is required"):
        selector().fit(X, y)
    with pytest.raises(DataError, match="rows of a query must be adjacent"):
        selector().fit(X, y, qid=[1, 2, 1, 2, 1, 2])
    with pytest.raises(DataError, match="X contains NaN"):
        selector().fit(np.where(X[3, 1] == X, np.nan, X), y, qid=qid)
    with pytest.raises(DataError, match="not negative"):
        selector().fit(X, [0, 1, 2, 0, 1, -2], qid=qid)
    fitted = selector().fit(X, y, qid=qid)
    with pytest.raises(ValueError, match="features"):
        fitted.transform(np.ones((3, 5)))
    with pytest.raises(DataError, match="was fitted on 2"):
        fitted.transform(from_arrays(np.ones((3, 5)), [0, 1, 2], [1, 1, 1]))


def test_advice_of_an_error_can_be_followed(selector):
    X, y = np.random.default_rng(0).random((6, 2)), [0, 1, 2, 0, 1, 2]
    with pytest.raises(DataError, match=r"sort=True.*ranksieve.load\(\(X, y, qid\)"):
        selector().fit(X, y, qid=[1, 2, 1, 2, 1, 2])
    fitted = selector().fit(load((X, y, [1, 2, 1, 2, 1, 2]), sort=True))
    assert fitted.n_features_ in ((1, 2) if by_weights(selector) else (1,))


def test_an_all_missing_feature_is_a_constant_one_and_comes_last(selector):
    data, _ = planted(0)
    X = np.column_stack([np.full(data.n_documents, np.nan), data.X[:, :4]])
    filled = load((X, data.y, data.qid), missing="query-minimum")
    constant = {f for f in range(5) if np.ptp(filled.X[:, f]) == 0}
    order = selector().fit(filled).order_.tolist()
    assert 0 in constant
    assert set(order[-len(constant) :]) == constant


def test_one_grade_only_gives_an_order_all_the_same(selector):
    data, _ = planted(1)
    order = selector().fit(data.X, np.ones(data.n_documents), qid=data.qid).order_
    assert sorted(order.tolist()) == list(range(data.n_features))


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(("size", "dtype"), MAGNITUDES)
def test_features_of_any_size_give_an_order_or_a_clear_error(selector, size, dtype):
    X, y, qid = sized(size, dtype)
    try:
        model = selector().fit(X, y, qid=qid)
    except DataError as error:
        if size == 1.0 or "Scale the features first" not in str(error):
            raise
        return
    assert sorted(model.order_) == list(range(X.shape[1]))
    assert not np.isnan(model.scores_).any()
    assert np.isfinite(getattr(model, "coef_", 0.0)).all()
    if model.n_features_:
        assert model.transform(X).shape == (len(X), model.n_features_)
