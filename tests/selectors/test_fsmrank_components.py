"""FSMRank's importance, similarity and loss: of the catalog, switched off, or arrays."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

from ranksieve import FSMSVM, GAS, FSMRank, SparseRankSVM, TopK, catalog, make_ranking
from ranksieve.errors import ParameterError
from ranksieve.importance import OnesImportance, PearsonImportance, as_importance
from ranksieve.losses import HingeLoss
from ranksieve.penalties import ElasticNetPenalty
from ranksieve.similarity import IdentitySimilarity, KendallSimilarity, PearsonSimilarity
from tests.reference.cases import in_blocks, random_arrays


@pytest.fixture(scope="module")
def data():
    return in_blocks(*random_arrays(3), [4])


def test_switched_off_it_is_a_ridge_and_the_sum_of_sizes(data):
    # lambda1 / 2 sum w^2 + lambda2 sum |w|, which is the elastic net.
    lambda1, lambda2 = 0.06, 0.02
    fsm = FSMRank(lambda1, lambda2, importance="ones", similarity="identity", tol=1e-10).fit(data)
    strength = lambda1 + lambda2
    net = SparseRankSVM(ElasticNetPenalty(lambda2 / strength), strength, tol=1e-10).fit(data)
    np.testing.assert_allclose(fsm.coef_, net.coef_, atol=1e-7)
    assert fsm.objective_ == pytest.approx(net.objective_, rel=1e-9)


def test_without_a_similarity_strength_and_importance_it_is_the_lasso(data):
    fsm = FSMRank(0.0, 0.02, importance="ones", tol=1e-10).fit(data)
    lasso = SparseRankSVM("l1", 0.02, tol=1e-10).fit(data)
    np.testing.assert_allclose(fsm.coef_, lasso.coef_, atol=1e-7)


@pytest.mark.parametrize("offset", [0.5, 1e9 / 3])
@pytest.mark.parametrize("importance", ["ones", np.ones(5)])
def test_a_constant_feature_is_never_selected_without_importance(importance, offset):
    X, y, query_ptr = random_arrays(1)
    X[:, -1] = offset
    data = in_blocks(X, y, query_ptr, [])
    for lambda2 in (0.0, 1e-6, 0.01):
        fsm = FSMRank(0.01, lambda2, importance=importance, similarity="identity").fit(data)
        assert fsm.importance_.tolist() == [1.0, 1.0, 1.0, 1.0, 0.0]
        assert fsm.coef_[-1] == 0.0
        assert fsm.order_[-1] == 4


@pytest.mark.parametrize(
    "text",
    [
        'TopK("ones", n_features_to_select=3)',
        'GAS(3, importance="ones", similarity="identity")',
        'FSMRank(importance="ones", similarity="identity", n_features_to_select=3)',
        'FSMSVM(3, importance="ones", similarity="identity")',
        'FSSCPR(3, similarity="identity")',
    ],
)
def test_what_is_switched_off_has_a_spelling_that_every_selector_takes(text):
    data, _ = make_ranking(20, n_relevant=2, n_redundant=1, n_irrelevant=3)
    assert catalog.parse(text, "selectors").fit(data).get_support().sum() == 3


def test_gas_without_similarity_is_the_order_by_importance():
    data, _ = make_ranking(20, n_relevant=2, n_redundant=1, n_irrelevant=3)
    without = GAS(6, importance="map", similarity=IdentitySimilarity()).fit(data)
    np.testing.assert_array_equal(
        without.order_, TopK("map", n_features_to_select=6).fit(data).order_
    )
    assert as_importance("ones") == OnesImportance()


def test_arrays_are_what_the_catalog_would_have_measured(data):
    s, A = PearsonImportance().scores(data), PearsonSimilarity().matrix(data)
    for importance, similarity in [(s, A), (s.tolist(), A.tolist()), (tuple(s), (A, A))]:
        given = FSMRank(0.1, 0.01, importance=importance, similarity=similarity).fit(data)
        measured = FSMRank(0.1, 0.01).fit(data)
        np.testing.assert_allclose(given.coef_, measured.coef_, atol=1e-12)
        np.testing.assert_array_equal(given.similarity_, A)


def test_a_pair_of_matrices_has_mirror_images_second(data):
    alike, mirrored = KendallSimilarity().doubled(data)
    given = FSMRank(0.3, 0.005, similarity=(alike, mirrored), tol=1e-9).fit(data)
    measured = FSMRank(0.3, 0.005, similarity="kendall", tol=1e-9).fit(data)
    np.testing.assert_allclose(given.coef_, measured.coef_, atol=1e-9)
    np.testing.assert_array_equal(
        given.mirrored_similarity_used_, measured.mirrored_similarity_used_
    )
    alone = FSMRank(0.3, 0.005, similarity=alike, tol=1e-9).fit(data)
    assert alone.mirrored_similarity_used_ is alone.similarity_used_


def test_signs_of_a_matrix_do_not_matter(data):
    A = np.eye(5)
    A[0, 1] = A[1, 0] = -0.6
    signed, sizes = (FSMRank(0.3, 0.005, similarity=B).fit(data) for B in (A, np.abs(A)))
    np.testing.assert_array_equal(signed.coef_, sizes.coef_)
    assert signed.similarity_[0, 1] == -0.6
    assert signed.similarity_used_[0, 1] == 0.6


def test_folds_use_arrays_as_they_are_and_copies_and_texts_work(data):
    s, A = np.array([0.9, 0.1, 0.4, 0.8, 0.3]), np.eye(5) + 0.1
    fsm = FSMRank(importance=s, similarity=A, n_folds=3, n_strengths=4)
    first, second = fsm.fit(data), clone(fsm).fit(data)
    np.testing.assert_array_equal(first.coef_, second.coef_)
    assert first.importance_[:4].tolist() == [0.9, 0.1, 0.4, 0.8]
    assert "importance=array([0.9, 0.1, 0.4, 0.8, 0.3])" in repr(fsm)
    assert fsm.importance is s
    both = FSMSVM(2, importance=s, similarity=(A, A), importance_strength=0.01).fit(data)
    assert both.n_features_ == 2
    long = FSMRank(importance=np.ones(5000), similarity=np.eye(200))
    assert len(repr(long)) < 1000


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"importance": np.ones(4)}, r"a vector of 5 numbers.*has the\s+shape \(4,\)"),
        ({"importance": np.ones((5, 1))}, r"a vector of 5 numbers.*\(5, 1\)"),
        ({"importance": [1, 1, np.nan, 1, 1]}, "all finite, but 1 of 5 numbers are not"),
        ({"importance": [1, 1, -0.5, 1, 1]}, "must not be negative, but has -0.5 at feature 2"),
        ({"importance": ["a", "b"]}, "importance must be a vector with one number per feature"),
        ({"similarity": np.eye(4)}, r"a matrix of 5 by 5 numbers.*\(4, 4\)"),
        ({"similarity": np.ones(5)}, r"a matrix of 5 by 5 numbers.*\(5,\)"),
        ({"similarity": (np.eye(5), np.eye(3))}, r"similarity\[1\] must be a matrix of 5 by 5"),
        ({"similarity": np.triu(np.ones((5, 5)))}, "symmetric, but features 0 and 1 have 1 and 0"),
        ({"similarity": np.full((5, 5), np.inf)}, "all finite, but 25 of 25 numbers are not"),
        ({"similarity": (np.eye(5), -np.eye(5))}, "must not be negative, but its least entry"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(data, parameters, message):
    with pytest.raises(ParameterError, match=message):
        FSMRank(0.1, 0.01, **parameters).fit(data)


@pytest.mark.parametrize("seed", range(2))
def test_the_logistic_loss_is_that_of_sparseranksvm(seed):
    data = in_blocks(*random_arrays(seed), [])
    options = {"loss": "logistic", "tol": 1e-9}
    fsm = FSMRank(0.0, 0.01, importance="ones", **options).fit(data)
    lasso = SparseRankSVM("l1", 0.01, **options).fit(data)
    np.testing.assert_allclose(fsm.coef_, lasso.coef_, atol=1e-6)
    assert fsm.objective_ == pytest.approx(lasso.objective_, rel=1e-8)
    other = FSMRank(0.0, 0.01, importance="ones", tol=1e-9).fit(data)
    assert np.abs(other.coef_ - fsm.coef_).max() > 1e-3
    svm = FSMSVM(2, similarity_strength=0.0, importance_strength=0.01, importance="ones", **options)
    np.testing.assert_array_equal(svm.fit(data).selector_.coef_, fsm.coef_)


@pytest.mark.parametrize("selector", [FSMRank, FSMSVM, SparseRankSVM])
def test_a_loss_with_kinks_is_refused(selector, data):
    for loss in ("hinge", HingeLoss()):
        with pytest.raises(ParameterError, match="must be 'squared-hinge' or 'logistic'"):
            selector(loss=loss).fit(data)
