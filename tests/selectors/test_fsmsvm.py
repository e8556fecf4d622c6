"""FSMSVM: FSMRank's order, RankSVM's weights."""

from __future__ import annotations

import numpy as np
import pytest

from ranksieve import FSMSVM, FSMRank, RankSVM
from ranksieve.errors import ParameterError
from tests.reference.cases import in_blocks, random_arrays


@pytest.mark.parametrize("k", [1, 2, 4])
@pytest.mark.parametrize("seed", range(3))
def test_it_is_ranksvm_on_the_first_features_of_fsmrank(seed, k):
    data = in_blocks(*random_arrays(seed), [4])
    two = FSMSVM(k, similarity_strength=0.1, importance_strength=0.01, C=0.5).fit(data)
    first = FSMRank(0.1, 0.01).fit(data)
    kept = np.sort(first.order_[:k])
    second = RankSVM(0.5).fit(data.features(kept))
    np.testing.assert_array_equal(two.order_, first.order_)
    np.testing.assert_array_equal(two.get_support(indices=True), kept)
    np.testing.assert_array_equal(two.coef_[kept], second.coef_)
    assert np.count_nonzero(two.coef_) == k
    np.testing.assert_allclose(two.predict(data), second.predict(data.features(kept)))
    assert two.n_iter_ == first.n_iter_ + second.n_iter_


def test_without_a_number_for_c_folds_choose_it_on_the_features_that_are_kept():
    data = in_blocks(*random_arrays(1), [])
    options = {"measure": "map", "n_folds": 3, "random_state": 2}
    two = FSMSVM(3, importance_strength=0.01, **options).fit(data)
    kept = two.get_support(indices=True)
    alone = RankSVM(**options).fit(data.features(kept))
    assert two.ranker_.C_ == alone.C_
    np.testing.assert_array_equal(
        two.coef_[kept], RankSVM(C=alone.C_).fit(data.features(kept)).coef_
    )


def test_without_a_number_all_features_with_a_weight_are_kept():
    data = in_blocks(*random_arrays(1), [])
    two = FSMSVM(similarity_strength=0.01, importance_strength=1e-3).fit(data)
    first = FSMRank(0.01, 1e-3).fit(data)
    np.testing.assert_array_equal(two.coef_ != 0, first.coef_ != 0)
    assert two.n_features_ == first.n_features_


def test_its_parameters_reach_fsmrank():
    data = in_blocks(*random_arrays(1), [])
    options = {"importance": "map", "similarity": "kendall", "stopping": "paper"}
    two = FSMSVM(2, similarity_strength=0.2, importance_strength=0.01, **options).fit(data)
    first = FSMRank(0.2, 0.01, **options).fit(data)
    np.testing.assert_array_equal(two.selector_.coef_, first.coef_)
    np.testing.assert_array_equal(two.selector_.importance_, first.importance_)


def test_the_strength_is_chosen_by_folds_where_none_is_given():
    data = in_blocks(*random_arrays(1), [])
    two = FSMSVM(2, n_folds=3, n_strengths=5).fit(data)
    first = FSMRank(importance_strength="cv", n_folds=3, n_strengths=5).fit(data)
    assert two.selector_.importance_strength_ == first.importance_strength_
    np.testing.assert_array_equal(two.order_, first.order_)


def test_a_charge_that_keeps_nothing_leaves_all_weights_0():
    data = in_blocks(*random_arrays(1), [])
    two = FSMSVM(importance_strength=1e3).fit(data)
    assert two.ranker_ is None
    assert not two.coef_.any()
    assert two.converged_


def test_a_C_that_is_no_number_above_0_is_refused():
    data = in_blocks(*random_arrays(1), [])
    with pytest.raises(ParameterError, match="C must be"):
        FSMSVM(2, importance_strength=0.01, C=0.0).fit(data)
