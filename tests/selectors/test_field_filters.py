"""NGAS, XGAS, HCAS and mRMR: slow references, laws, planted features, and the corners."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

from ranksieve import GAS, HCAS, MRMR, NGAS, XGAS, TopK, make_ranking
from ranksieve.data import from_arrays, letor_folds
from ranksieve.errors import DataError, ParameterError
from ranksieve.importance import Importance
from ranksieve.passes.variation import varying_features
from ranksieve.similarity import Similarity
from tests.reference import filters

WALKS = [NGAS, XGAS]
ALL = [NGAS, XGAS, HCAS, MRMR]


@dataclass(frozen=True, eq=False)
class Numbers(Importance, Similarity):
    """Numbers of the caller, whatever the data."""

    numbers: np.ndarray
    better: np.ndarray | None = None

    def scores(self, data):
        return self.numbers

    def better_than_random(self, data):
        return self.better

    def matrix(self, data):
        return self.numbers


def varying(n_features):
    X = np.random.default_rng(0).random((6, n_features))
    return from_arrays(X, [0, 1, 2, 0, 1, 2], [1, 1, 1, 2, 2, 2])


def fitted(kind, importance, similarity, number=None, *, better=None, **options):
    selector = kind(
        number,
        importance=Numbers(np.asarray(importance, dtype=float), better),
        similarity=Numbers(np.asarray(similarity, dtype=float)),
        unproven="published" if better is None else "last",
        **options,
    )
    return selector.fit(varying(len(importance)))


@pytest.mark.parametrize("n_features", [1, 2, 3, 12])
@pytest.mark.parametrize("seed", range(5))
def test_ngas_walks_as_its_definition_reads(seed, n_features):
    R, S = filters.random_rated(seed, max(n_features, 2))
    R, S = R[:n_features], S[:n_features, :n_features]
    assert fitted(NGAS, R, S).order_.tolist() == filters.ngas(R, S)


def test_ngas_by_hand():
    R = [0.9, 0.5, 0.4, 0.6]
    S = [[1, 0.8, 0.1, 0.3], [0.8, 1, 0.2, 0.4], [0.1, 0.2, 1, 0.7], [0.3, 0.4, 0.7, 1]]
    # t=0: p=2 (0.1), q=3 (0.7 with 2), R(2) < R(3): t=3. Then p=1 (0.4), q=2 (0.2), R(1) >= R(2):
    # t=1. Then p=2, and there is no q.
    assert fitted(NGAS, R, S).order_.tolist() == [0, 3, 1, 2]


@pytest.mark.parametrize("c", [0.0, 0.05, 0.25, 0.5, 1.0])
@pytest.mark.parametrize("seed", range(4))
def test_xgas_walks_as_its_definition_reads(seed, c):
    R, S = filters.random_rated(seed, 14)
    assert fitted(XGAS, R, S, c=c).order_.tolist() == filters.xgas(R, S, c)


@pytest.mark.parametrize("seed", range(3))
def test_xgas_with_all_remaining_features_is_topk(seed):
    data, _ = make_ranking(30, random_state=seed)
    np.testing.assert_array_equal(XGAS(c=1.0).fit(data).order_, TopK("ndcg@10").fit(data).order_)


@pytest.mark.parametrize("number", [1, 2, 3, 7, 13])
@pytest.mark.parametrize("seed", range(4))
def test_hcas_takes_the_best_of_each_cluster_of_ward_d(seed, number):
    R, S = filters.random_rated(seed, 13)
    hcas = fitted(HCAS, R, S, number)
    assert set(hcas.order_[:number].tolist()) == filters.hcas(R, S, number)
    clusters = {frozenset(part) for part in filters.ward(1 - S, number)}
    assert {
        frozenset(np.flatnonzero(hcas.labels_ == i).tolist()) for i in range(number)
    } == clusters
    assert hcas.labels_[hcas.order_[:number]].tolist() == list(range(number))


@pytest.mark.parametrize("seed", range(4))
def test_hcas_is_scipys_ward_on_square_roots_and_nested_over_all_numbers(seed):
    R, S = filters.random_rated(seed, 20)
    joins = linkage(np.sqrt(squareform(1 - S, checks=False)), "ward")
    order = fitted(HCAS, R, S, 5).order_
    for number in range(1, 21):
        labels = fcluster(joins, number, "maxclust")
        best = {max(np.flatnonzero(labels == k), key=lambda f: R[f]) for k in set(labels)}
        assert set(order[:number].tolist()) == best


@pytest.mark.parametrize("balance", [0.0, 0.1, 1.0, 10.0])
@pytest.mark.parametrize("seed", range(3))
def test_mrmr_subtracts_the_mean_similarity(seed, balance):
    R, S = filters.random_rated(seed, 12)
    order = fitted(MRMR, R, S, balance=balance).order_.tolist()
    assert order == filters.mrmr(R, S, balance=balance)


@pytest.mark.parametrize("seed", range(4))
def test_mrmr_divides_by_the_mean_similarity(seed):
    R, S = filters.random_rated(seed, 12)
    assert fitted(MRMR, R, S, scheme="quotient").order_.tolist() == filters.mrmr(R, S)


def test_mrmr_differs_from_gas_by_the_mean():
    R = [0.9, 0.8, 0.7]
    S = [[1, 0.5, 0.0], [0.5, 1, 0.6], [0.0, 0.6, 1]]
    mrmr = fitted(MRMR, R, S, balance=0.4)
    gas = fitted(GAS, R, S, balance=0.2)
    # Both subtract 0.4 S after the first; after the second GAS has 0.4 (0.5 + 0.6), mRMR half.
    assert mrmr.order_.tolist() == gas.order_.tolist() == [0, 2, 1]
    np.testing.assert_allclose(mrmr.scores_, [0.9, 0.8 - 0.4 * (0.5 + 0.6) / 2, 0.7])
    np.testing.assert_allclose(gas.scores_, [0.9, 0.8 - 0.4 * (0.5 + 0.6), 0.7])


def test_a_feature_that_is_like_none_is_not_infinitely_good_by_the_quotient():
    R, S = [0.9, 0.002, 0.5], [[1, 0.0, 0.1], [0.0, 1, 0.0], [0.1, 0.0, 1]]
    # 0.002 / 0.001 = 2, and 0.5 / 0.1 = 5.
    mrmr = fitted(MRMR, R, S, scheme="quotient")
    assert mrmr.order_.tolist() == [0, 2, 1]
    assert mrmr.scores_[2] == pytest.approx(5.0)


def test_the_quotient_of_negative_importances_is_refused():
    with pytest.raises(DataError, match=r"feature 1 has -0.25 \(1 features are below 0\)"):
        fitted(MRMR, [0.5, -0.25], np.eye(2), scheme="quotient")


@pytest.mark.parametrize("kind", ALL)
def test_equal_features_go_by_index(kind):
    S = np.full((4, 4), 0.5)
    assert fitted(kind, np.full(4, 0.3), S, 2).order_.tolist()[0] == 0
    if kind is not HCAS:  # equal distances are joined as scipy does
        assert fitted(kind, np.full(4, 0.3), S, 2).order_.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("kind", ALL)
def test_a_similarity_with_a_sign_counts_by_its_size(kind):
    R, S = filters.random_rated(3, 10)
    signs = np.sign(np.random.default_rng(0).normal(size=(10, 10)))
    signed = S * np.triu(signs) + (S * np.triu(signs, 1)).T
    np.testing.assert_array_equal(fitted(kind, R, signed, 4).order_, fitted(kind, R, S, 4).order_)


@pytest.mark.parametrize("kind", ALL)
def test_unproven_features_come_after_all_others_and_as_published_where_none_is_shown(kind):
    R, S = filters.random_rated(4, 10)
    better = np.array([True, False] * 5)
    order = fitted(kind, R, S, 7, better=better).order_
    assert set(order[:5].tolist()) == {0, 2, 4, 6, 8}
    shown = np.flatnonzero(better)
    alone = fitted(kind, R[shown], S[np.ix_(shown, shown)], 5).order_
    np.testing.assert_array_equal(order[:5], shown[alone])
    none = fitted(kind, R, S, 7, better=np.zeros(10, dtype=bool)).order_
    np.testing.assert_array_equal(none, fitted(kind, R, S, 7).order_)


def test_hcas_clusters_unproven_features_only_where_the_others_are_too_few():
    R, S = filters.random_rated(5, 9)
    better = np.array([True] * 4 + [False] * 5)
    hcas = fitted(HCAS, R, S, 3, better=better)
    assert (hcas.labels_[4:] == -1).all()
    hcas = fitted(HCAS, R, S, 6, better=better)
    assert set(hcas.labels_[:4].tolist()) == {0, 1, 2, 3}
    assert set(hcas.labels_[4:].tolist()) == {4, 5}
    late = filters.hcas(R[4:], S[4:, 4:], 2)
    assert set(hcas.order_[4:6].tolist()) == {4 + f for f in late}


@pytest.mark.parametrize("kind", [NGAS, HCAS])
def test_as_published_noise_comes_early_for_being_unlike(kind):
    data, truth = make_ranking(
        120, n_relevant=3, n_redundant=6, n_irrelevant=5, redundancy_noise=0.2, random_state=0
    )
    noise = set(truth.irrelevant.tolist())
    published = kind(5, unproven="published").fit(data)
    assert noise & set(published.order_[:5].tolist())
    assert not noise & set(kind(5).fit(data).order_[:5].tolist())


@pytest.mark.parametrize("kind", ALL)
def test_of_copies_one_is_taken_first(kind):
    data, truth = make_ranking(
        150, n_relevant=3, n_redundant=6, n_irrelevant=0, redundancy_noise=0.1, random_state=1
    )
    options = {XGAS: {"c": 0.5}, MRMR: {"balance": 1.0}}.get(kind, {})
    best = kind(3, **options).fit(data).order_
    sources = [truth.copies_of.get(int(feature), int(feature)) for feature in best]
    # A walk looks at the last feature alone, so that its third step may come back to the first.
    n_sure = 2 if kind in WALKS else 3
    assert len(set(sources[:n_sure])) == n_sure


@pytest.mark.parametrize("kind", ALL)
def test_the_set_of_each_number_is_the_head_of_one_order(kind):
    data, _ = make_ranking(40, n_relevant=3, n_redundant=3, n_irrelevant=3, random_state=2)
    order = kind(1).fit(data).order_
    for number in range(2, 10):
        np.testing.assert_array_equal(kind(number).fit(data).order_, order)


@pytest.mark.parametrize(
    ("kind", "options", "message"),
    [
        (XGAS, {"c": -0.1}, "c must be a number of at least 0, but is -0.1"),
        (XGAS, {"c": 1.5}, "c is a share and must be at most 1, but is 1.5"),
        (XGAS, {"c": np.nan}, "c must be a number"),
        (MRMR, {"balance": -1}, "balance must be a number of at least 0"),
        (MRMR, {"scheme": "quotients"}, "did you mean 'quotient'"),
        *((kind, {"unproven": "first"}, "unproven must be one of") for kind in ALL),
        *((kind, {"similarity": "spearmann"}, "did you mean") for kind in ALL),
    ],
)
def test_wrong_parameters_are_named(kind, options, message):
    with pytest.raises(ParameterError, match=message):
        kind(**options).fit(make_ranking(5)[0])


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("name", ["OHSUMED", "MQ2008"])
def test_on_real_data_the_order_is_that_of_the_slow_reference(kind, name, real_data):
    train = letor_folds(real_data / name)[0].train
    model = kind(10, unproven="published").fit(train)
    features = np.flatnonzero(varying_features(train))
    R, S = model.importance_[features], model.similarity_[np.ix_(features, features)]
    slow = {
        NGAS: lambda: filters.ngas(R, S),
        XGAS: lambda: filters.xgas(R, S, 0.05),
        MRMR: lambda: filters.mrmr(R, S, balance=0.1),
    }
    if kind is HCAS:
        chosen = {features[f] for f in filters.hcas(R, S, 10)}
        assert set(model.order_[:10].tolist()) == chosen
        return
    np.testing.assert_array_equal(model.order_[: len(features)], features[slow[kind]()])
