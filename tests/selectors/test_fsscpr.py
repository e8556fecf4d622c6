from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from ranksieve import FSSCPR, make_ranking
from ranksieve.data import from_arrays, letor_folds
from ranksieve.errors import ParameterError
from ranksieve.importance import Importance, MeasureImportance
from ranksieve.selectors.base import constant_features
from ranksieve.selectors.filters._scpr.clusters import (
    Clustering,
    bisect,
    by_eigengap,
    by_silhouette,
    cluster_features,
    laplacian,
    spectral_rows,
)
from ranksieve.selectors.filters._scpr.pagerank import biased_pagerank
from ranksieve.selectors.filters.fsscpr import representatives
from ranksieve.similarity import KendallSimilarity, Similarity
from tests.reference import fsscpr as slow


@dataclass(frozen=True, eq=False)
class Given(Importance, Similarity):
    """An importance and a similarity that a test writes down."""

    importance: np.ndarray
    similarity: np.ndarray
    range: ClassVar = (-1.0, 1.0)

    def scores(self, data):
        return np.asarray(self.importance, dtype=np.float64)

    def matrix(self, data):
        return np.asarray(self.similarity, dtype=np.float64)


def fitted(similarity, preference, k, **options):
    """FSSCPR on a graph that is given; the documents only make no feature constant."""
    p = len(preference)
    X = np.random.default_rng(0).random((6, p))
    given = Given(preference, similarity)
    selector = FSSCPR(k, similarity=given, preference=given, **options)
    return selector.fit(X, [0, 1, 2, 0, 1, 2], qid=[1, 1, 1, 2, 2, 2])


def random_graph(seed, p=12, density=0.6):
    rng = np.random.default_rng(seed)
    weights = np.triu(rng.random((p, p)) * (rng.random((p, p)) < density), 1)
    return weights + weights.T


def blocks(sizes, within, between, *, noise=0.0, seed=0):
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.arange(len(sizes)), sizes)
    similarity = np.where(groups[:, None] == groups, within, between)
    similarity = similarity + noise * rng.standard_normal(similarity.shape)
    similarity = (similarity + similarity.T) / 2
    np.fill_diagonal(similarity, 1.0)
    return similarity, groups


def same_partition(labels, groups):
    pairs = {(int(a), int(b)) for a, b in zip(labels, groups, strict=True)}
    return len(pairs) == len(set(labels.tolist())) == len(set(np.asarray(groups).tolist()))


# PageRank


def test_pagerank_of_a_weighted_path_by_hand():
    # 0 -- 1 with weight 1, 1 -- 2 with weight 3. Feature 1 gives 1/4 of its score to 0 and 3/4
    # to 2, and gets all of theirs. Damping 1/2, preferences (0.5, 0.3, 0.2):
    #   s0 = 0.25 + s1 / 8,  s2 = 0.10 + 3 s1 / 8,  s1 = 0.15 + (s0 + s2) / 2
    # so s1 = 0.15 + 0.175 + s1 / 4, s1 = 0.325 * 4 / 3.
    weights = np.array([[0, 1, 0], [1, 0, 3], [0, 3, 0.0]])
    s1 = 0.325 * 4 / 3
    found = biased_pagerank(weights, np.array([0.5, 0.3, 0.2]), damping=0.5)
    assert_allclose(found, [0.25 + s1 / 8, s1, 0.10 + 3 * s1 / 8], rtol=1e-14)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("damping", [0.0, 0.5, 0.85, 0.99])
def test_pagerank_solves_its_equation_and_is_where_power_iteration_ends(seed, damping):
    weights = random_graph(seed, density=0.2)  # with features without edges
    preference = np.random.default_rng(seed + 10).dirichlet(np.ones(len(weights)))
    scores = biased_pagerank(weights, preference, damping=damping)
    degrees = weights.sum(axis=0)
    handed = weights @ np.divide(scores, degrees, out=np.zeros(12), where=degrees > 0)
    assert np.abs(scores - (1 - damping) * preference - damping * handed).max() < 1e-10
    assert_allclose(scores, slow.power_iteration(weights, preference, damping), atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_pagerank_keeps_the_sum_unless_features_without_edges_lose_their_share(seed):
    weights = random_graph(seed, density=1.0)
    preference = np.random.default_rng(seed).dirichlet(np.ones(12))
    assert biased_pagerank(weights, preference, damping=0.85).sum() == pytest.approx(1.0)
    weights[0] = weights[:, 0] = 0.0
    scores = biased_pagerank(weights, preference, damping=0.85)
    assert scores[0] == pytest.approx(0.15 * preference[0])
    assert scores.sum() == pytest.approx(1.0 - 0.85 * preference[0])


# Clusters


@pytest.mark.parametrize("seed", range(4))
def test_rows_span_the_smallest_eigenvectors_and_have_length_one(seed):
    weights = random_graph(seed, density=1.0)
    rows, plain = spectral_rows(weights, 4), slow.embedding(weights, 4)
    # Signs of eigenvectors are free, inner products are not.
    assert_allclose(rows @ rows.T, plain @ plain.T, atol=1e-10)
    assert_allclose(np.diag(rows @ rows.T), 1.0)


def test_eigenvalues_of_the_laplacian_count_components_by_zeros():
    weights = blocks([3, 2, 1, 1], 0.8, 0.0)[0] - np.eye(7)
    values = np.linalg.eigvalsh(laplacian(weights))
    assert_allclose(values[:4], 0.0, atol=1e-12)
    assert values[4] > 0.5


@pytest.mark.parametrize("seed", range(4))
def test_with_more_components_than_columns_features_of_a_component_have_one_row(seed):
    groups = np.repeat(np.arange(4), [3, 4, 5, 3])
    weights = random_graph(seed, p=15, density=1.0) * (groups[:, None] == groups)
    order = np.random.default_rng(seed).permutation(15)
    rows = spectral_rows(weights[np.ix_(order, order)], 2)
    lengths = np.linalg.norm(rows, axis=1)
    assert np.all(np.isclose(lengths, 1.0) | (lengths == 0.0))
    for group in range(4):
        own = rows[groups[order] == group]
        assert_allclose(own, np.broadcast_to(own[0], own.shape), atol=1e-5)


@pytest.mark.parametrize("seed", range(5))
def test_clear_blocks_are_the_clusters(seed):
    similarity, groups = blocks([5, 3, 6], 0.85, 0.4, noise=0.03, seed=seed)
    order = np.random.default_rng(seed).permutation(14)
    chosen = fitted(similarity[np.ix_(order, order)], np.ones(14), 3)
    assert same_partition(chosen.labels_, groups[order])
    assert len(set(groups[order][chosen.order_[:3]])) == 3


@pytest.mark.parametrize("n_clusters", range(1, 8))
def test_exactly_as_many_clusters_as_asked_for_even_of_equal_rows(n_clusters):
    rows = np.repeat(np.eye(2), [5, 2], axis=0)
    labels = bisect(rows, n_clusters, random_state=0)
    assert sorted(set(labels.tolist())) == list(range(n_clusters))
    if n_clusters > 2:  # the five are split before the two, until they are fewer
        assert np.bincount(labels).max() <= 3


@pytest.mark.parametrize("seed", range(3))
def test_labels_follow_a_permutation_of_the_columns(seed):
    data, _ = make_ranking(60, n_relevant=4, n_redundant=6, n_irrelevant=4, random_state=seed)
    order = np.random.default_rng(seed).permutation(data.n_features)
    for k in (2, 5, 9):
        one = FSSCPR(k).fit(data)
        other = FSSCPR(k).fit(data.features(order))
        assert_array_equal(order[other.order_], one.order_)
        assert_array_equal(other.labels_, one.labels_[order])
        assert_allclose(other.relevance_, one.relevance_[order], rtol=1e-10)


def test_another_seed_is_another_start_and_the_same_seed_the_same():
    weights = random_graph(0, p=30, density=1.0)  # nothing to find
    labels = [
        cluster_features(weights, np.ones(30) / 30, 8, random_state=seed).labels
        for seed in (0, 0, 1, 2, 3)
    ]
    assert_array_equal(labels[0], labels[1])
    assert any(not same_partition(labels[0], other) for other in labels[2:])


# Representatives


def test_representative_weighs_relevance_against_likeness_to_its_cluster():
    rows = np.array([[1.0, 0.0], [0.8, 0.6], [0.6, 0.8], [0.0, 1.0]])
    found = Clustering(np.array([0, 0, 0, 1]), rows)
    relevance = np.array([0.4, 0.1, 0.2, 0.3])
    # Likeness: 0 is 0.8 + 0.6, 1 is 0.8 + 0.96, 2 is 0.6 + 0.96, each halved.
    #   0: 0.5 * 0.4 + 0.5 * 0.70 = 0.55    1: 0.05 + 0.44 = 0.49    2: 0.1 + 0.39 = 0.49
    assert representatives(found, relevance, relevance_weight=0.5).tolist() == [0, 3]
    assert representatives(found, relevance, relevance_weight=0.0).tolist() == [3, 1]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("relevance_weight", [0.0, 0.5, 1.0])
def test_representatives_are_those_of_the_paper_written_as_loops(seed, relevance_weight):
    similarity = random_graph(seed, p=14, density=1.0)
    preference = np.random.default_rng(seed).random(14)
    chosen = fitted(similarity, preference, 4, relevance_weight=relevance_weight)
    weights = slow.edges(similarity, 0.1)
    scores = slow.power_iteration(weights, preference / preference.sum(), 0.85)
    assert_allclose(chosen.relevance_, scores, atol=1e-12)
    rows = slow.embedding(weights, 4)
    picked = {
        slow.representative(np.flatnonzero(chosen.labels_ == label), rows, scores, relevance_weight)
        for label in range(4)
    }
    assert set(chosen.order_[:4].tolist()) == picked


# The whole method


def test_small_graph_by_hand():
    # Two pairs, 0.8 and 0.6 inside, nothing between them; damping 1/2.
    similarity = np.array(
        [[1, 0.8, 0, 0], [0.8, 1, 0, 0], [0, 0, 1, 0.6], [0, 0, 0.6, 1]], dtype=float
    )
    chosen = fitted(similarity, [1.0, 3.0, 4.0, 2.0], 2, damping=0.5)
    # In a pair all of a score goes to the other: s_i = p_i / 2 + s_j / 2, so
    # s_i = (2 p_i + p_j) / 3 with shares 0.1, 0.3, 0.4, 0.2.
    assert_allclose(chosen.relevance_, np.array([0.5, 0.7, 1.0, 0.8]) / 3, rtol=1e-12)
    # Members of a pair are equally typical: the more relevant one represents it.
    assert chosen.order_.tolist() == [2, 1, 3, 0]
    assert chosen.labels_.tolist() == [1, 1, 0, 0]
    assert_allclose(chosen.preference_, [0.1, 0.3, 0.4, 0.2])
    assert_array_equal(chosen.scores_, chosen.relevance_)


@pytest.mark.parametrize("seed", range(4))
def test_order_is_representatives_then_the_rest_each_by_relevance(seed):
    data, truth = make_ranking(40, n_constant=2, random_state=seed)
    chosen = FSSCPR(6, unproven="published").fit(data)
    falling = chosen.relevance_[chosen.order_]
    assert (np.diff(falling[:6]) <= 1e-12).all()
    assert (np.diff(falling[6:-2]) <= 1e-12).all()
    assert_array_equal(chosen.labels_[chosen.order_[:6]], np.arange(6))
    assert_array_equal(np.flatnonzero(chosen.labels_ == -1), truth.constant)
    assert (chosen.relevance_[truth.constant] == 0).all()
    assert (chosen.preference_[truth.constant] == 0).all()


@pytest.mark.parametrize("seed", range(4))
def test_a_copy_lands_in_the_cluster_of_its_original_and_comes_second(seed):
    data, _ = make_ranking(60, n_relevant=4, n_redundant=0, n_irrelevant=4, random_state=seed)
    doubled = from_arrays(np.hstack([data.X, data.X]), data.y, data.qid)
    chosen = FSSCPR(8, preference="ndcg@10", unproven="published").fit(doubled)
    assert_array_equal(chosen.labels_[:8], chosen.labels_[8:])
    assert sorted(chosen.order_[:8].tolist()) == list(range(8))


def test_preference_of_a_measure_ranks_downwards_only_and_others_by_their_scores():
    data, _ = make_ranking(50, random_state=3)
    downwards, upwards = MeasureImportance("map").both_directions(data)
    assert (upwards > downwards).any()
    assert_allclose(FSSCPR().fit(data).preference_, downwards / downwards.sum())
    given = Given(upwards, np.eye(20))
    assert_allclose(FSSCPR(preference=given).fit(data).preference_, upwards / upwards.sum())


def test_preferences_that_are_all_zero_count_as_equal():
    chosen = fitted(random_graph(1), np.zeros(12), 3)
    assert_allclose(chosen.preference_, 1 / 12)


def test_negative_preferences_are_refused():
    with pytest.raises(ParameterError, match=r"must not be negative, but goes down to -0\.5"):
        fitted(random_graph(1), np.linspace(-0.5, 1, 12), 3)


def test_threshold_keeps_equal_similarities_and_drops_smaller_and_negative_ones():
    similarity = np.array(
        [[1, 0.3, -0.9, -0.9], [0.3, 1, 0.29, -0.9], [-0.9, 0.29, 1, 0.3], [-0.9, -0.9, 0.3, 1]]
    )
    chosen = fitted(similarity, [4, 3, 2, 1], 2, threshold=0.3)
    assert chosen.labels_.tolist() == [0, 0, 1, 1]
    assert (chosen.relevance_ > 0).all()
    assert_array_equal(chosen.similarity_, similarity)


@pytest.mark.parametrize("k", [1, 3, 7])
def test_without_edges_the_most_preferred_are_chosen(k):
    preference = np.array([3, 1, 4, 1.5, 5, 9, 2.6])
    chosen = fitted(np.full((7, 7), 0.2), preference, k, threshold=0.9)
    best = np.argsort(-preference)
    assert_array_equal(chosen.order_, best)
    assert_array_equal(chosen.labels_[best[:k]], np.arange(k))
    assert (chosen.labels_[best[k:]] == -1).all()


@pytest.mark.parametrize("k", range(1, 7))
def test_features_without_edges_are_clusters_while_one_is_left_for_the_others(k):
    similarity = np.eye(6)
    similarity[:3, :3] = 0.8  # 3, 4, 5 have no edges
    chosen = fitted(similarity, [1.0, 1.0, 1.0, 2.0, 4.0, 3.0], k)
    alone = [4, 5, 3][: k - 1]
    assert set(alone) <= set(chosen.order_[:k].tolist())
    assert len({int(label) for label in chosen.labels_[alone]}) == len(alone)
    assert len(set(chosen.labels_[:3].tolist())) == k - len(alone)
    assert (chosen.labels_[[4, 5, 3][k - 1 :]] == -1).all()


def test_one_cluster_goes_to_the_most_relevant_feature_of_a_connected_graph():
    similarity = random_graph(2, density=1.0) + 0.1
    preference = np.random.default_rng(2).random(12)
    chosen = fitted(similarity, preference, 1)
    assert chosen.order_[0] == np.argmax(chosen.relevance_)
    assert (chosen.labels_ == 0).all()


def test_as_many_clusters_as_features_keep_them_all_by_relevance():
    chosen = fitted(random_graph(3), np.arange(12) + 1.0, 12)
    assert_array_equal(chosen.order_, np.argsort(-chosen.relevance_, kind="stable"))
    assert sorted(chosen.labels_.tolist()) == list(range(12))


@pytest.mark.parametrize("k", [1, 3, "auto"])
@pytest.mark.parametrize("auto", ["eigengap", "silhouette"])
def test_constant_features_only_are_kept_in_their_order(k, auto):
    chosen = FSSCPR(k, auto=auto).fit(np.ones((6, 3)), [0, 1, 2] * 2, qid=[1, 1, 1, 2, 2, 2])
    assert chosen.order_.tolist() == [0, 1, 2]
    assert chosen.labels_.tolist() == [-1, -1, -1]
    assert chosen.n_features_ == (1 if k == "auto" else k)


# The number of clusters


RULES = ["eigengap", "silhouette"]


@pytest.mark.parametrize("auto", RULES)
@pytest.mark.parametrize("sizes", [[4, 4], [5, 3, 6], [4, 4, 4, 4], [6, 5, 4, 5, 6]])
@pytest.mark.parametrize("seed", range(2))
def test_auto_finds_the_number_of_clear_blocks(auto, sizes, seed):
    similarity, groups = blocks(sizes, 0.9, 0.2, noise=0.02, seed=seed)
    chosen = fitted(similarity, np.ones(len(groups)), "auto", auto=auto)
    assert chosen.n_features_ == len(sizes)
    assert same_partition(chosen.labels_, groups)
    best = chosen.auto_candidates_[np.argmax(chosen.auto_criterion_)]
    assert best == chosen.n_features_ == chosen.get_support().sum()


@pytest.mark.parametrize("auto", RULES)
@pytest.mark.parametrize("seed", range(3))
def test_auto_finds_the_sources_of_planted_copies(auto, seed):
    data, truth = make_ranking(
        60, n_relevant=4, n_redundant=12, n_irrelevant=0, redundancy_noise=0.1, random_state=seed
    )
    chosen = FSSCPR("auto", auto=auto).fit(data)
    sources = {truth.copies_of.get(int(f), int(f)) for f in np.flatnonzero(chosen.get_support())}
    assert chosen.n_features_ == 4
    assert sources == set(truth.relevant.tolist())


@pytest.mark.parametrize("auto", RULES)
def test_auto_counts_a_feature_without_edges_as_a_cluster(auto):
    similarity, groups = blocks([4, 4, 1, 1, 1], 0.9, 0.05)
    chosen = fitted(similarity, np.ones(11), "auto", auto=auto)
    assert same_partition(chosen.labels_, groups)


def test_numbers_without_a_choice():
    pair = np.array([[0, 0.5, 0], [0.5, 0, 0], [0, 0, 0.0]])
    equal = np.ones(3) / 3
    assert by_eigengap(np.zeros((3, 3))).number == 3
    assert by_silhouette(np.zeros((3, 3)), equal).number == 3
    assert by_eigengap(pair).number == 2
    assert by_silhouette(pair, equal).number == 2
    assert by_eigengap(pair[:2, :2]).number == 2
    assert by_silhouette(pair[:2, :2], equal[:2]).number == 2
    assert by_eigengap(pair[:1, :1]).number == 1
    assert by_silhouette(pair[:1, :1], equal[:1]).number == 1
    assert len(by_silhouette(pair, equal).candidates) == 0


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("threshold", -0.1, "threshold must be a number of at least 0"),
        ("threshold", "x", "threshold must be a number of at least 0"),
        ("damping", 1.0, "damping must be below 1, but is 1.0"),
        ("damping", -0.1, "damping must be a number of at least 0"),
        ("relevance_weight", 1.1, "relevance_weight must be between 0 and 1, but is 1.1"),
        ("relevance_weight", np.nan, "relevance_weight must be a number of at least 0"),
        ("relevance", "scale", "relevance must be one of 'printed', 'scaled'.*mean 'scaled'"),
        ("unproven", "first", "unproven must be one of 'last', 'published', but is 'first'"),
        ("n_starts", 0, "n_starts must be a whole number of at least 1"),
        ("auto", "elbow", "auto is 'eigengap' or 'silhouette', but is 'elbow'"),
    ],
)
def test_bad_parameters_are_named(name, value, message):
    data, _ = make_ranking(5)
    with pytest.raises(ParameterError, match=message):
        FSSCPR(**{name: value}).fit(data)


def test_validation_tries_the_set_of_each_number_not_the_head_of_one_order():
    data, _ = make_ranking(60, 15, n_relevant=4, n_redundant=8, n_irrelevant=4, random_state=2)
    sets = FSSCPR("validation").feature_sets(data)
    for number in (1, 3, 7, sets.largest):
        alone = FSSCPR(number).fit(data).get_support(indices=True)
        assert sorted(sets.of_size(number).tolist()) == alone.tolist()
    fitted = FSSCPR("validation").fit(data)
    assert fitted.n_features_ == fitted.validation_.chosen


@pytest.mark.parametrize("auto", RULES)
def test_data_choose_two_clusters_at_least_and_one_is_kept_where_it_is_asked_for(auto):
    data, _ = make_ranking(60, 15, n_relevant=2, n_redundant=0, n_irrelevant=0, random_state=0)
    assert FSSCPR("auto", auto=auto).fit(data).n_features_ == 2
    assert FSSCPR(1).fit(data).n_features_ == 1
    assert FSSCPR("auto", auto=auto).fit(data.features([0])).n_features_ == 1


def test_validation_chooses_two_clusters_at_least_and_one_of_a_single_feature():
    data, _ = make_ranking(60, 15, n_relevant=2, n_redundant=0, n_irrelevant=0, random_state=0)
    validated = FSSCPR("validation").fit(data)
    assert validated.validation_.numbers.tolist() == [2]
    assert validated.n_features_ == 2
    assert FSSCPR("validation").fit(data.features([0])).validation_.numbers.tolist() == [1]


@pytest.mark.parametrize("seed", range(4))
def test_scaled_relevance_weighs_as_much_as_likeness(seed):
    similarity = random_graph(seed, p=14, density=1.0)
    preference = np.random.default_rng(seed).random(14)
    chosen = fitted(similarity, preference, 4, relevance="scaled")
    weights = slow.edges(similarity, 0.1)
    scores = slow.power_iteration(weights, preference / preference.sum(), 0.85)
    assert_allclose(chosen.relevance_, scores, atol=1e-12)  # scores_ stay as printed
    rows = slow.embedding(weights, 4)
    picked = {
        slow.representative(np.flatnonzero(chosen.labels_ == label), rows, scores / scores.max())
        for label in range(4)
    }
    assert set(chosen.order_[:4].tolist()) == picked


def test_scaled_relevance_by_hand():
    # One cluster; rows as below, likeness 0.7, 0.88 and 0.78 as further up. Printed, relevance
    # 0.04, 0.01, 0.02 adds 0.015 to the first; scaled, 1, 0.25, 0.5 adds 0.375.
    rows = np.array([[1.0, 0.0], [0.8, 0.6], [0.6, 0.8]])
    clustering = Clustering(np.array([0, 0, 0]), rows)
    relevance = np.array([0.04, 0.01, 0.02])
    assert representatives(clustering, relevance, relevance_weight=0.5).tolist() == [1]
    assert representatives(clustering, relevance / 0.04, relevance_weight=0.5).tolist() == [0]


def test_more_starts_find_tighter_clusters_whatever_the_seed(real_data):
    train = letor_folds(real_data / "OHSUMED")[0].train
    features = np.flatnonzero(~constant_features(train))
    weights = KendallSimilarity(ties="half").matrix(train.features(features))
    np.fill_diagonal(weights, 0.0)
    for k in (5, 10, 15, 20):
        rows = spectral_rows(weights, k)
        sums = [slow.sum_of_squares(rows, bisect(rows, k, random_state=seed)) for seed in range(20)]
        assert max(sums) <= 1.03 * min(sums)
        alone = [bisect(rows, k, n_starts=1, random_state=seed) for seed in range(20)]
        assert k == 5 or max(slow.sum_of_squares(rows, each) for each in alone) > 1.2 * min(sums)


@pytest.mark.parametrize("seed", range(4))
def test_starts_end_in_nearly_equally_tight_clusters_on_generated_rows(seed):
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(6, 6))
    rows = centres[rng.integers(0, 6, size=40)] + 0.5 * rng.normal(size=(40, 6))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    sums = [slow.sum_of_squares(rows, bisect(rows, 6, random_state=each)) for each in range(20)]
    assert max(sums) <= 1.05 * min(sums)


@pytest.mark.parametrize("seed", [-1, "a", 1.5, None, True])
def test_a_seed_is_a_whole_number(seed):
    data, _ = make_ranking(5, random_state=0)
    with pytest.raises(ParameterError, match="random_state must be a whole number"):
        FSSCPR(random_state=seed).fit(data)


def test_validation_without_a_varying_feature_keeps_one():
    data = from_arrays(np.ones((12, 3)), [0, 1, 2] * 4, np.arange(12) // 3)
    assert FSSCPR("validation").fit(data).n_features_ >= 1
