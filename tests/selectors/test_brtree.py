"""Trees' importances with discounted similarity: a plain loop, values by hand, planted features."""

from __future__ import annotations

import numpy as np
import pytest

from ranksieve import BRTree, LightGBMRanker, TopK, make_ranking
from ranksieve.data import from_arrays
from ranksieve.errors import ParameterError
from ranksieve.selectors.wrappers.brtree import discounted_order
from tests.reference.brtree import greedy


def some(seed, n_redundant=3):
    return make_ranking(
        60, 10, n_relevant=3, n_redundant=n_redundant, n_irrelevant=4, random_state=seed
    )


@pytest.mark.parametrize(("weight", "discount"), [(1.0, 0.0), (1.0, 0.3), (1.0, 2.0), (0.0, 1.0)])
@pytest.mark.parametrize("seed", range(4))
def test_the_greedy_order_is_that_of_a_plain_loop(seed, weight, discount):
    rng = np.random.default_rng(seed)
    importance = rng.integers(0, 6, 9) / 5.0  # with ties
    similarity = rng.random((9, 9))
    similarity = (similarity + similarity.T) / 2
    order, values = discounted_order(importance, similarity, weight=weight, discount=discount)
    expected, worths = greedy(importance.tolist(), similarity.tolist(), weight, discount)
    assert order.tolist() == expected
    np.testing.assert_allclose(values, worths, atol=1e-8)


@pytest.mark.parametrize("seed", range(3))
def test_the_three_criteria_on_data(seed):
    data, _ = some(seed)
    alone = BRTree(criterion="importance").fit(data)
    assert alone.importance_.max() == 1.0
    np.testing.assert_array_equal(alone.order_, np.argsort(-alone.importance_, kind="stable"))
    assert not hasattr(alone, "similarity_")
    without = BRTree(criterion="both", discount=0.0).fit(data)
    np.testing.assert_array_equal(without.order_, alone.order_)
    unlike = BRTree(criterion="similarity").fit(data)
    expected, _ = greedy(alone.importance_.tolist(), unlike.similarity_.tolist(), 0.0, 1.0)
    assert unlike.order_.tolist() == expected
    assert unlike.order_[0] == alone.order_[0]
    both = BRTree(discount=0.7).fit(data)
    expected, _ = greedy(alone.importance_.tolist(), both.similarity_.tolist(), 1.0, 0.7)
    assert both.order_.tolist() == expected


def test_importances_are_the_trees_gains_as_shares_of_the_largest():
    data, _ = some(1)
    ranker = LightGBMRanker(20, num_leaves=5, objective="regression")
    gains = ranker.fit(data).feature_importances_
    importance = BRTree(ranker=ranker).fit(data).importance_
    # Columns stand in another order in the two trainings, which decides between equal splits.
    np.testing.assert_allclose(importance, gains / gains.max(), atol=0.05)


def test_a_discount_chooses_new_information_before_a_copy():
    data, truth = some(2, n_redundant=0)
    best = int(truth.relevant[np.argmax(BRTree().fit(data).importance_[truth.relevant])])
    rng = np.random.default_rng(0)
    X = data.X.astype(np.float64)
    near = X[:, best] + 0.01 * X[:, best].std() * rng.normal(size=len(X))
    both = from_arrays(np.column_stack([X, near]), data.y, data.qid)
    chosen = BRTree(3, discount=1.5).fit(both).get_support(indices=True)
    sources = {best if f == X.shape[1] else int(f) for f in chosen}
    assert sources == set(truth.relevant.tolist())


def test_other_rankers_and_similarities_are_taken():
    data, _ = some(3)
    for ranker in ("XGBoostRanker(10)", "PointwiseRanker('Ridge')"):
        fitted = BRTree(ranker=ranker, similarity="spearman", discount=0.5).fit(data)
        assert sorted(fitted.order_.tolist()) == list(range(data.n_features))
    assert [part.parameter for part in BRTree().shared_components()] == ["similarity"]
    assert BRTree(criterion="importance").shared_components() == ()


def test_without_lightgbm_scikit_learn_grows_the_trees(monkeypatch):
    data, truth = some(4, n_redundant=0)
    where = "ranksieve.selectors.wrappers._usual_trees.find_spec"
    monkeypatch.setattr(where, lambda name: None)
    fitted = BRTree(3, criterion="importance").fit(data)
    assert fitted.get_support(indices=True).tolist() == truth.relevant.tolist()


def test_one_grade_leaves_nothing_to_be_important():
    data, _ = some(0)
    fitted = BRTree().fit(data.X, np.ones(data.n_documents), qid=data.qid)
    assert not fitted.importance_.any()
    top = TopK("ones").fit(data)
    assert sorted(fitted.order_.tolist()) == sorted(top.order_.tolist())


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"criterion": "bothh"}, "criterion"),
        ({"discount": -0.1}, "discount"),
        ({"ranker": "GAS"}, "GAS is a selector"),
        ({"ranker": "KernelRankSVM"}, "coef_ or feature_importances_"),
        ({"similarity": "kendal"}, "kendall"),
    ],
)
def test_wrong_parameters_are_named(wrong, message):
    with pytest.raises(ParameterError, match=message):
        BRTree(**wrong).fit(some(0)[0])
