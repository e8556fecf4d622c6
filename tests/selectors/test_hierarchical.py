"""Hierarchical selection: which features stand for their clusters, and what the number changes."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from ranksieve import HierarchicalBEM, HierarchicalILTR, RankSVM, load, make_ranking
from ranksieve.errors import ParameterError
from ranksieve.importance import as_importance
from ranksieve.similarity import as_similarity
from tests.reference import clusters as reference

ILTR = HierarchicalILTR(estimator="RankSVM(C=0.01)")
BOTH = pytest.mark.parametrize("selector", [HierarchicalBEM(), ILTR], ids=["BEM", "ILTR"])


def of(selector, **options):
    return type(selector)(**{**selector.get_params(), **options})


def grouped(seed=0, **options):
    """Three features with two noisy copies each, and features of noise where asked for."""
    options = {"n_relevant": 3, "n_redundant": 6, "n_irrelevant": 0} | options
    return make_ranking(80, 15, redundancy_noise=0.1, random_state=seed, **options)


@BOTH
@pytest.mark.parametrize("clustering", ["medoids", "average", "complete", "single"])
@pytest.mark.parametrize("seed", range(3))
def test_one_of_each_group_is_kept(selector, clustering, seed):
    data, truth = grouped(seed)
    fitted = of(selector, n_features_to_select=3, clustering=clustering).fit(data)
    sources = [truth.copies_of.get(int(f), int(f)) for f in range(9)]
    assert {sources[f] for f in fitted.order_[:3]} == set(truth.relevant.tolist())
    groups = {frozenset(f for f in range(9) if sources[f] == s) for s in sources}
    assert reference.as_sets(fitted.labels_) == groups
    assert fitted.labels_[fitted.order_[:3]].tolist() == [0, 1, 2]


@pytest.mark.parametrize("seed", range(3))
def test_the_delegate_has_the_largest_importance_of_its_cluster(seed):
    data, _ = grouped(seed)
    fitted = HierarchicalBEM(3, importance="ndcg@10").fit(data)
    importance = as_importance("ndcg@10").scores(data)
    np.testing.assert_array_equal(fitted.scores_, importance)
    for cluster, delegate in enumerate(fitted.order_[:3]):
        assert importance[delegate] == importance[fitted.labels_ == cluster].max()
    assert (np.diff(importance[fitted.order_[:3]]) <= 0).all()
    assert (np.diff(importance[fitted.order_[3:]]) <= 0).all()


@pytest.mark.parametrize("seed", range(3))
def test_the_delegate_has_the_largest_weight_of_its_cluster(seed):
    data, _ = grouped(seed)
    fitted = of(ILTR, n_features_to_select=3).fit(data)
    weights = np.abs(RankSVM(C=0.01).fit(data).coef_)
    np.testing.assert_allclose(fitted.scores_, weights / weights.max(), atol=1e-8)
    for cluster, delegate in enumerate(fitted.order_[:3]):
        assert weights[delegate] == weights[fitted.labels_ == cluster].max()
    assert fitted.estimator_.n_features_in_ == data.n_features


def test_by_hand():
    # Features 0 and 1 rank alike, 2 is the mirror image of 0, 3 is like none: tau-b of 3 documents.
    X = [[3.0, 30.0, -3.0, 2.0], [2.0, 20.0, -2.0, 3.0], [1.0, 10.0, -1.0, 1.0]]
    data = load((X, [2, 1, 0], ["q"] * 3))
    fitted = HierarchicalBEM(2, unproven="published").fit(data)
    assert fitted.similarity_[0].tolist() == pytest.approx([1, 1, -1, 1 / 3])
    assert fitted.labels_.tolist() == [0, 0, 0, 1]
    assert fitted.order_.tolist() == [0, 3, 1, 2]


@BOTH
@pytest.mark.parametrize("seed", range(3))
def test_mirror_images_share_a_cluster(selector, seed):
    data, _ = grouped(seed)
    turned = data.turned(np.random.default_rng(seed).choice([-1, 1], 9))
    ours, theirs = (of(selector, n_features_to_select=3).fit(each) for each in (data, turned))
    np.testing.assert_array_equal(ours.labels_, theirs.labels_)
    np.testing.assert_array_equal(ours.order_, theirs.order_)


@BOTH
@pytest.mark.parametrize("clustering", ["average", "complete", "single"])
def test_sets_of_joined_clusters_are_nested(selector, clustering):
    data, _ = make_ranking(40, 12, random_state=5)
    selector = of(selector, clustering=clustering)
    if isinstance(selector, HierarchicalBEM):
        selector = of(selector, unproven="published")
    sets = selector.feature_sets(data)
    kept = [set(sets.of_size(number).tolist()) for number in range(1, data.n_features + 1)]
    assert all(small < large for small, large in itertools.pairwise(kept))


@BOTH
def test_feature_sets_are_what_fits_select(selector):
    data, _ = grouped(1, n_irrelevant=2, n_constant=1)
    sets = selector.feature_sets(data)
    assert (sets.least, sets.largest) == (2, data.n_features - 1)
    for number in (2, 5, data.n_features):
        fitted = of(selector, n_features_to_select=number).fit(data)
        np.testing.assert_array_equal(sets.of_size(number), fitted.order_[:number])


@BOTH
@pytest.mark.parametrize("seed", range(3))
def test_auto_finds_the_number_of_groups(selector, seed):
    fitted = of(selector, n_features_to_select="auto").fit(grouped(seed)[0])
    assert fitted.n_features_ == 3
    assert fitted.auto_candidates_[fitted.auto_criterion_.argmax()] == 3


def test_noise_forms_clusters_only_where_the_others_are_too_few():
    data, truth = grouped(0, n_irrelevant=6)
    last, published = (
        HierarchicalBEM(5, unproven=unproven).fit(data) for unproven in ("last", "published")
    )
    better = last.better_than_random_
    assert better[truth.relevant].all()
    assert better[last.order_[:5]].all()
    assert not better[published.order_[:5]].all()
    assert (last.labels_[~better] == -1).all()
    all_of_them = HierarchicalBEM(int(better.sum()) + 2).fit(data)
    assert better[all_of_them.order_[: better.sum()]].all()
    assert (all_of_them.labels_[~better] >= better.sum()).all()


@BOTH
def test_what_is_shared_is_what_is_used(selector):
    data, _ = grouped(0)
    shared = {part.parameter: part for part in selector.shared_components()}
    fitted = of(selector, n_features_to_select=3).fit(data)
    np.testing.assert_array_equal(shared["similarity"].numbers(data), fitted.similarity_)
    np.testing.assert_array_equal(as_similarity("tau-b").matrix(data), fitted.similarity_)
    if "importance" in shared:
        np.testing.assert_array_equal(shared["importance"].numbers(data), fitted.importance_)


def test_without_pairs_no_ranker_is_trained():
    data, _ = grouped(0)
    fitted = of(ILTR, n_features_to_select=3).fit(data.X, np.ones(data.n_documents), qid=data.qid)
    assert fitted.estimator_ is None
    assert not fitted.scores_.any()
    assert len(set(fitted.labels_[fitted.order_[:3]].tolist())) == 3


@pytest.mark.parametrize(
    ("selector", "message"),
    [
        (HierarchicalBEM(clustering="avarage"), "did you mean 'average'"),
        (HierarchicalBEM(unproven="first"), "unproven must be one of"),
        (HierarchicalBEM("many"), "n_features_to_select must be"),
        (HierarchicalILTR(estimator="RankSMV"), "did you mean 'RankSVM'"),
        (HierarchicalILTR(clustering="ward"), "clustering must be one of"),
    ],
)
def test_wrong_parameters_are_named(selector, message):
    with pytest.raises(ParameterError, match=message):
        selector.fit(grouped(0)[0])
