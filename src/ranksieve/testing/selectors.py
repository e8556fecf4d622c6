"""Laws that every selector obeys."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from copy import deepcopy
from functools import cache, lru_cache
from typing import Any, ClassVar

import numpy as np
import pytest
from sklearn.base import clone

from ranksieve import RankingData, load, make_ranking
from ranksieve.choices import Validation
from ranksieve.data import from_arrays
from ranksieve.errors import DataError, ParameterError
from ranksieve.rankers import LinearRanker
from ranksieve.testing.cases import MAGNITUDES, in_blocks, sized
from ranksieve.testing.estimators import EstimatorSuite
from ranksieve.threads import threads


def by_weights(selector: type) -> bool:
    """Tell whether features are those with a weight in a model that iterations find."""
    return issubclass(selector, LinearRanker)


def decides_number(selector: Any) -> bool:
    """Tell whether n_features_to_select=None lets the data decide: by weights, or otherwise."""
    return bool(selector.decides_number) or by_weights(selector)


@cache
def planted(seed: int = 0) -> tuple[RankingData, Any]:
    """Return data whose grades follow three features of eleven, and which these are."""
    return make_ranking(
        120, 20, n_relevant=3, n_redundant=0, n_irrelevant=6, n_constant=2, random_state=seed
    )


@cache
def small(seed: int = 0) -> tuple[RankingData, Any]:
    """Return data like `planted(seed)` with a fifth of its documents.

    For laws that hold whether or not the planted features are found.
    """
    return make_ranking(
        40, 12, n_relevant=3, n_redundant=0, n_irrelevant=6, n_constant=2, random_state=seed
    )


@lru_cache(maxsize=None, typed=True)
def fitted_on(seed: int, selector: Any, **parameters: Any) -> Any:
    """Return a selector fitted on `small(seed)`: laws share it, and leave it as it is."""
    return selector(**parameters).fit(small(seed)[0])


def assert_same_order_up_to_ties(left: Any, right: Any, rtol: float) -> None:
    """Compare fits whose iterations end within a tolerance: scores that near may swap places."""
    largest = np.abs(right.scores_).max()
    np.testing.assert_allclose(left.scores_, right.scores_, rtol=rtol, atol=rtol * largest)
    for order, scores in ((left.order_, right.scores_), (right.order_, left.scores_)):
        varying = order[: len(order) - 2]  # constant features are last, whatever their score
        assert np.all(np.diff(scores[varying]) <= 2 * rtol * largest)


def assert_one_of_each_block_is_kept(selector: Any, seed: int) -> None:
    """Of three features with two noisy copies each, the best three come from different ones."""
    data, truth = make_ranking(
        120,
        20,
        n_relevant=3,
        n_redundant=6,
        n_irrelevant=0,
        redundancy_noise=0.1,
        random_state=seed,
    )
    best = selector(n_features_to_select=3).fit(data).order_[:3]
    sources = {truth.copies_of.get(int(feature), int(feature)) for feature in best}
    assert sources == set(truth.relevant.tolist())


class SelectorSuite(EstimatorSuite):
    """Laws that every selector obeys, and scikit-learn's own checks.

    Components are classes whose defaults fit.

    Attributes
    ----------
    by_cluster : classes that keep one feature of each cluster, by its ranking downwards: of
        features that are unlike each other they may keep any
    """

    argument: ClassVar[str] = "selector"
    family: ClassVar[str] = "selectors"
    by_cluster: ClassVar[Sequence[type]] = ()

    def fitted(self, selector: Any, seed: int, **parameters: Any) -> Any:
        """Return a quick selector fitted on `small(seed)`."""
        return fitted_on(seed, selector, **self.quick.get(selector, {}), **parameters)

    @pytest.mark.parametrize("seed", range(3))
    def test_order_is_a_permutation_with_constant_features_last(
        self, selector: Any, seed: int
    ) -> None:
        data, truth = small(seed)
        fitted = self.fitted(selector, seed)
        assert sorted(fitted.order_.tolist()) == list(range(data.n_features))
        assert sorted(fitted.order_[-2:].tolist()) == truth.constant.tolist()
        assert fitted.scores_.shape == (data.n_features,)

    def test_features_of_the_query_that_order_nothing_come_last_too(self, selector: Any) -> None:
        data, truth = small(1)
        by_query = np.repeat(np.arange(data.n_queries) % 7, np.diff(data.query_ptr))
        X = np.column_stack([by_query, data.X])
        order = self.new(selector).fit(X, data.y, qid=data.qid).order_
        assert sorted(order[-3:].tolist()) == [0, *(truth.constant + 1).tolist()]

    @pytest.mark.parametrize("seed", range(3))
    def test_planted_features_are_found(self, selector: Any, seed: int) -> None:
        if selector in self.by_cluster:
            assert_one_of_each_block_is_kept(selector, seed)
            return
        data, truth = planted(seed)
        fitted = selector(n_features_to_select=3).fit(data)
        assert fitted.get_support(indices=True).tolist() == truth.relevant.tolist()

    @pytest.mark.parametrize(
        ("requested", "n_selected"),
        [(1, 1), (11, 11), (0.5, 6), (0.01, 1), (None, 6), (np.int64(4), 4)],
    )
    def test_support_is_the_head_of_the_order(
        self, selector: Any, requested: Any, n_selected: int
    ) -> None:
        data, _ = small(0)
        fitted = self.fitted(selector, 0, n_features_to_select=requested)
        if requested is None and decides_number(selector):
            n_selected = fitted.n_features_
            assert 0 < n_selected < data.n_features
            if by_weights(selector):
                assert n_selected == np.count_nonzero(fitted.coef_)
        assert fitted.n_features_ == n_selected
        assert set(fitted.get_support(indices=True)) == set(fitted.order_[:n_selected])
        assert fitted.transform(data.X).shape == (data.n_documents, n_selected)
        view = fitted.transform(data)
        np.testing.assert_array_equal(view.X, fitted.transform(data.X))
        assert list(fitted.get_feature_names_out()) == list(view.feature_names)

    @pytest.mark.parametrize("requested", [0, 12, -1, 1.5, 0.0, 1.0, "ten", True])
    def test_impossible_numbers_are_named(self, selector: Any, requested: Any) -> None:
        data, _ = small(0)
        with pytest.raises(ParameterError, match="n_features_to_select"):
            selector(n_features_to_select=requested).fit(data)

    @pytest.mark.parametrize("seed", range(2))
    def test_queries_and_columns_may_stand_in_any_order(self, selector: Any, seed: int) -> None:
        data, truth = small(seed)
        rng = np.random.default_rng(seed)
        starts, order = data.query_ptr, rng.permutation(data.n_queries)
        rows = np.concatenate([np.arange(starts[q], starts[q + 1]) for q in order])
        columns = rng.permutation(data.n_features)
        moved = self.new(selector).fit(
            from_arrays(data.X[rows][:, columns], data.y[rows], data.qid[rows])
        )
        # Constant features are last, and among each other in the order of their columns.
        n_varying = data.n_features - len(truth.constant)
        original, straight = columns[moved.order_], self.fitted(selector, seed).order_
        np.testing.assert_array_equal(original[:n_varying], straight[:n_varying])
        assert sorted(original[n_varying:].tolist()) == truth.constant.tolist()

    def test_same_data_gives_the_same_order_and_survives_clone_and_pickle(
        self, selector: Any
    ) -> None:
        data, _ = small(1)
        fitted = self.fitted(selector, 1)
        again = clone(fitted).fit(data.X, data.y, qid=data.qid)
        restored = pickle.loads(pickle.dumps(fitted))
        np.testing.assert_array_equal(again.order_, fitted.order_)
        np.testing.assert_array_equal(again.scores_, fitted.scores_)
        np.testing.assert_array_equal(restored.order_, fitted.order_)

    def test_blocks_and_threads_do_not_matter(
        self, selector: Any, request: pytest.FixtureRequest
    ) -> None:
        data, _ = planted(2)
        with threads(1):
            at_once = self.new(selector).fit(data)
        request.getfixturevalue("always_threads")
        blocks = self.new(selector).fit(in_blocks(data.X, data.y, data.query_ptr, [1, 7, 60]))
        if by_weights(selector):
            assert_same_order_up_to_ties(blocks, at_once, rtol=1e-5)
            return
        np.testing.assert_array_equal(blocks.order_, at_once.order_)
        np.testing.assert_allclose(blocks.scores_, at_once.scores_, rtol=1e-12)

    @pytest.mark.parametrize(
        "number",
        ["validation", Validation(ranker="RankSVM(C=0.01)", rule="one-standard-error", share=0.3)],
    )
    def test_the_number_can_be_chosen_on_validation_queries(
        self, selector: Any, number: Any
    ) -> None:
        fitted = self.fitted(selector, 0, n_features_to_select=number)
        curve = fitted.validation_
        least = 2 if selector in self.by_cluster else 1  # one cluster is no clustering
        assert curve.numbers.tolist() == list(range(least, 10))  # all that are not constant
        assert fitted.n_features_ == curve.chosen == fitted.get_support().sum()
        fixed = self.fitted(selector, 0, n_features_to_select=curve.chosen)
        np.testing.assert_array_equal(fixed.order_, fitted.order_)
        np.testing.assert_array_equal(fixed.scores_, fitted.scores_)
        assert clone(fitted).get_params()["n_features_to_select"] == number
        assert repr(self.read(repr(clone(fitted)), selector)) == repr(clone(fitted))

    def test_refitting_with_a_number_forgets_the_validation(self, selector: Any) -> None:
        fitted = deepcopy(self.fitted(selector, 0, n_features_to_select="validation"))
        assert hasattr(fitted, "validation_")
        fitted.set_params(n_features_to_select=2).fit(small(0)[0])
        assert not hasattr(fitted, "validation_")

    def test_text_form_builds_the_same_selector(self, selector: Any) -> None:
        configured = selector(n_features_to_select=3)
        assert repr(self.read(repr(configured), selector)) == repr(configured)

    def test_copied_features_and_one_document_queries_are_no_problem(self, selector: Any) -> None:
        data, _ = small(0)
        X = np.hstack([data.X, data.X])
        fitted = self.new(selector).fit(X, data.y, qid=data.qid)
        assert sorted(fitted.order_.tolist()) == list(range(X.shape[1]))
        singles = self.new(selector).fit(X, data.y, qid=np.arange(len(X)))
        assert sorted(singles.order_.tolist()) == list(range(X.shape[1]))

    def test_bad_data_is_named(self, selector: Any) -> None:
        X, y, qid = np.random.default_rng(0).random((6, 2)), [0, 1, 2, 0, 1, 2], [1, 1, 1, 2, 2, 2]
        with pytest.raises(DataError, match="qid is required"):
            self.new(selector).fit(X, y)
        with pytest.raises(DataError, match="rows of a query must be adjacent"):
            self.new(selector).fit(X, y, qid=[1, 2, 1, 2, 1, 2])
        with pytest.raises(DataError, match="X contains NaN"):
            self.new(selector).fit(np.where(X[3, 1] == X, np.nan, X), y, qid=qid)
        with pytest.raises(DataError, match="not negative"):
            self.new(selector).fit(X, [0, 1, 2, 0, 1, -2], qid=qid)
        fitted = self.new(selector).fit(X, y, qid=qid)
        with pytest.raises(ValueError, match="features"):
            fitted.transform(np.ones((3, 5)))
        with pytest.raises(DataError, match="was fitted on 2"):
            fitted.transform(from_arrays(np.ones((3, 5)), [0, 1, 2], [1, 1, 1]))

    def test_advice_of_an_error_can_be_followed(self, selector: Any) -> None:
        X, y = np.random.default_rng(0).random((6, 2)), [0, 1, 2, 0, 1, 2]
        with pytest.raises(DataError, match=r"sort=True.*ranksieve.load\(\(X, y, qid\)"):
            self.new(selector).fit(X, y, qid=[1, 2, 1, 2, 1, 2])
        fitted = self.new(selector).fit(load((X, y, [1, 2, 1, 2, 1, 2]), sort=True))
        assert fitted.n_features_ in ((1, 2) if decides_number(selector) else (1,))

    def test_an_all_missing_feature_is_a_constant_one_and_comes_last(self, selector: Any) -> None:
        data, _ = small(0)
        X = np.column_stack([np.full(data.n_documents, np.nan), data.X[:, :4]])
        filled = load((X, data.y, data.qid), missing="query-minimum")
        constant = {f for f in range(5) if np.ptp(filled.X[:, f]) == 0}
        order = self.new(selector).fit(filled).order_.tolist()
        assert 0 in constant
        assert set(order[-len(constant) :]) == constant

    def test_one_grade_only_gives_an_order_all_the_same(self, selector: Any) -> None:
        data, _ = small(1)
        order = self.new(selector).fit(data.X, np.ones(data.n_documents), qid=data.qid).order_
        assert sorted(order.tolist()) == list(range(data.n_features))

    @pytest.mark.filterwarnings("ignore::UserWarning")
    @pytest.mark.parametrize(("size", "dtype"), MAGNITUDES)
    def test_features_of_any_size_give_an_order_or_a_clear_error(
        self, selector: Any, size: float, dtype: str
    ) -> None:
        X, y, qid = sized(size, dtype)
        try:
            model = self.new(selector).fit(X, y, qid=qid)
        except DataError as error:
            if size == 1.0 or "Scale the features first" not in str(error):
                raise
            return
        assert sorted(model.order_) == list(range(X.shape[1]))
        assert not np.isnan(model.scores_).any()
        assert np.isfinite(getattr(model, "coef_", 0.0)).all()
        if model.n_features_:
            assert model.transform(X).shape == (len(X), model.n_features_)
