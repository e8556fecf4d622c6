"""All four against the slow reference, hand-worked values, and what must not change weights."""

from __future__ import annotations

from itertools import pairwise
from math import exp, log2

import numpy as np
import pytest
from skrebate import ReliefF as SkrebateReliefF

from ranksieve import GAS, RankFilter, RankWrapper, ReliefF, RReliefF, make_ranking
from ranksieve.data import from_arrays
from ranksieve.progress import listening
from ranksieve.selectors.relief import _neighbours
from tests.reference import relief as reference
from tests.reference.cases import in_blocks, random_arrays, row_ids

LEVELS = [(RankFilter, reference.rank_filter), (ReliefF, reference.relief_f)]
SCORES = [(RankWrapper, reference.rank_wrapper), (RReliefF, reference.r_relief_f)]
SCOPES = ["query", "all"]
FOUR = [RankFilter, ReliefF, RankWrapper, RReliefF]


def make(selector, **options):
    """A selector that needs no ranker."""
    ranker = {"ranker": None} if selector in (RankWrapper, RReliefF) else {}
    return selector(**ranker, **options)


def weights_of(selector, X, y, query_ptr, borders=(), **options):
    return make(selector, **options).fit(in_blocks(X, y, query_ptr, list(borders))).scores_


def crowded(seed, n_values=4):
    """Data with many copies of documents, and many ties between different ones."""
    X, y, query_ptr = random_arrays(seed, n_queries=8, n_features=4)
    rng = np.random.default_rng(seed)
    X[:, :3] = rng.integers(0, n_values, (len(X), 3)) / 3.0
    return X, y, query_ptr


@pytest.mark.parametrize("metric", ["manhattan", "euclidean"])
@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("k", [1, 4, 5])
@pytest.mark.parametrize(("selector", "slow"), LEVELS + SCORES)
@pytest.mark.parametrize("data", [random_arrays(0), random_arrays(1), crowded(2), crowded(3, 2)])
def test_weights_are_those_of_the_plain_loops(selector, slow, data, k, scope, metric):
    X, y, query_ptr = data
    found = weights_of(selector, X, y, query_ptr, [2, 5], n_neighbors=k, scope=scope, metric=metric)
    expected = slow(X, y, query_ptr, k=k, scope=scope, metric=metric, visited=range(len(y)))
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize(("selector", "slow"), LEVELS + SCORES)
def test_a_sample_of_documents_is_compared_with_all(selector, slow, scope):
    X, y, query_ptr = random_arrays(4)
    fitted = make(selector, n_samples=9, scope=scope, random_state=3).fit(
        in_blocks(X, y, query_ptr, [4])
    )
    visited = np.sort(np.random.default_rng(3).choice(len(y), 9, replace=False))
    expected = slow(X, y, query_ptr, k=5, scope=scope, visited=visited.tolist())
    np.testing.assert_allclose(fitted.scores_, expected, rtol=1e-10, atol=1e-13)


def test_rankfilter_by_hand():
    # One feature, already between 0 and 1; one nearest of each grade; P = 1/2, 1/4, 1/4.
    data = from_arrays([[0.0], [0.25], [0.5], [1.0]], [0, 0, 1, 3], [7] * 4)
    first = -0.25 + 0.5 * log2(2) * 0.5 + 0.5 * log2(4) * 1.0
    second = -0.25 + 0.5 * log2(2) * 0.25 + 0.5 * log2(4) * 0.75
    third = 2 / 3 * log2(2) * 0.25 + 1 / 3 * log2(3) * 0.5  # no other document of its grade
    fourth = 2 / 3 * log2(4) * 0.75 + 1 / 3 * log2(3) * 0.5
    weights = RankFilter(n_neighbors=1).fit(data).scores_
    np.testing.assert_allclose(weights, [(first + second + third + fourth) / 4], rtol=1e-14)


def test_rankwrapper_by_hand():
    # Three neighbours: all others, with weights u1 > u2 > u3 by distance.
    data = from_arrays([[0.0], [0.25], [0.375], [1.0]], [0, 1, 4, 2], [7] * 4)
    u1, u2, u3 = (
        exp(-((i / 2.0) ** 2)) / sum(exp(-((j / 2.0) ** 2)) for j in (1, 2, 3)) for i in (1, 2, 3)
    )
    first = (1 - 2) * u1 * 0.25 + (4 - 2) * u2 * 0.375 + (2 - 2) * u3 * 1.0
    second = (3 - 1) * u1 * 0.125 + (1 - 1) * u2 * 0.25 + (1 - 1) * u3 * 0.75
    third = (3 - 3) * u1 * 0.125 + (4 - 3) * u2 * 0.375 + (2 - 3) * u3 * 0.625
    fourth = (2 - 2) * u1 * 0.625 + (1 - 2) * u2 * 0.75 + (2 - 2) * u3 * 1.0
    weights = RankWrapper(n_neighbors=3, sigma=2.0, ranker=None).fit(data).scores_
    np.testing.assert_allclose(weights, [(first + second + third + fourth) / 4], rtol=1e-14)


def test_documents_tied_at_the_last_distance_share_its_weight():
    # The nearest of document 0 is one of two at 0.5, of scores 1 and 3: half each, median 2.
    X, y = [[0.0], [0.5], [0.5], [1.0]], [0.0, 1.0, 3.0, 9.0]
    weights = RankWrapper(n_neighbors=1, ranker=None).fit(X, y, qid=[1] * 4).scores_
    first = (1 - 2) * 0.5 * 0.5 + (3 - 2) * 0.5 * 0.5
    # Of documents 1 and 2 the copy is nearest, of document 3 both again: scores 8 and 6 away.
    fourth = (8 - 7) * 0.5 * 0.5 + (6 - 7) * 0.5 * 0.5
    np.testing.assert_allclose(weights, [(first + fourth) / 4], atol=1e-15)


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("seed", range(3))
def test_with_two_grades_rankfilter_is_relieff(seed, scope):
    X, y, query_ptr = random_arrays(seed, n_grades=2)
    np.testing.assert_allclose(
        weights_of(RankFilter, X, y, query_ptr, scope=scope),
        weights_of(ReliefF, X, y, query_ptr, scope=scope),
        rtol=0,
        atol=1e-12,
    )


@pytest.mark.parametrize("seed", range(3))
def test_over_all_documents_of_two_classes_relieff_is_skrebates(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(60, 5)), rng.integers(0, 2, 60)
    peer = SkrebateReliefF(n_neighbors=4, n_features_to_select=5).fit(X, y)
    ours = ReliefF(n_neighbors=4, scope="all").fit(X, y, qid=rng.integers(0, 5, 60).cumsum())
    np.testing.assert_allclose(ours.scores_, peer.feature_importances_, rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("selector", FOUR)
@pytest.mark.parametrize("seed", range(2))
def test_order_of_rows_and_queries_and_blocks_do_not_matter(selector, scope, seed):
    X, y, query_ptr = crowded(seed)
    rng = np.random.default_rng(seed)
    queries = rng.permutation(len(query_ptr) - 1)
    rows = np.concatenate(
        [rng.permutation(np.arange(query_ptr[q], query_ptr[q + 1])) for q in queries]
    )
    moved_ptr = np.concatenate([[0], np.cumsum(np.diff(query_ptr)[queries])])
    expected = weights_of(selector, X, y, query_ptr, scope=scope)
    moved = weights_of(selector, X[rows], y[rows], moved_ptr, [1, 2, 6], scope=scope)
    np.testing.assert_allclose(moved, expected, rtol=1e-11, atol=1e-14)


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("selector", FOUR)
def test_weights_do_not_depend_on_how_many_ties_are_in_memory(selector, scope, monkeypatch):
    X, y, query_ptr = crowded(1)
    expected = weights_of(selector, X, y, query_ptr, [3], scope=scope)
    monkeypatch.setattr(_neighbours, "_MOST_PAIRS", 5)
    monkeypatch.setattr("ranksieve.selectors.relief._sums._MOST_LISTED", 40)
    monkeypatch.setattr("ranksieve.selectors.relief._neighbours._STEP", 7)
    bounded = weights_of(selector, X, y, query_ptr, [3], scope=scope)
    np.testing.assert_allclose(bounded, expected, rtol=1e-11, atol=1e-14)


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("selector", FOUR)
def test_a_sample_is_the_same_in_one_block_and_in_many(selector, scope):
    X, y, query_ptr = crowded(5)
    options = {"n_samples": 0.3, "scope": scope, "random_state": 8}
    one = weights_of(selector, X, y, query_ptr, **options)
    many = weights_of(selector, X, y, query_ptr, range(1, 7), **options)
    np.testing.assert_allclose(many, one, rtol=1e-11, atol=1e-14)
    other = weights_of(selector, X, y, query_ptr, **(options | {"random_state": 9}))
    assert not np.allclose(other, one)


@pytest.mark.parametrize("selector", FOUR)
def test_units_of_features_do_not_matter(selector):
    X, y, query_ptr = random_arrays(6)
    # Powers of two, so that the scaled values are the same to the last bit.
    moved = np.asfortranarray(X * np.array([4.0, 0.5, 2.0, 1024.0, 1.0]))
    np.testing.assert_array_equal(
        weights_of(selector, moved, y, query_ptr), weights_of(selector, X, y, query_ptr)
    )


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("selector", FOUR)
def test_copies_of_a_feature_have_its_weight(selector, scope):
    X, y, query_ptr = random_arrays(7)
    X = np.column_stack([X, X[:, 0], X[:, 2]])
    weights = weights_of(selector, X, y, query_ptr, scope=scope)
    assert weights[0] == weights[5]
    assert weights[2] == weights[6]


@pytest.mark.parametrize("selector", [RankWrapper, RReliefF])
def test_scores_of_a_ranker_take_the_place_of_grades(selector):
    data, _ = make_ranking(30, 12, random_state=2)
    fitted = selector(ranker="RankSVM(C=0.01)").fit(data)
    scores = fitted.ranker_.predict(data)
    slow = dict(SCORES)[selector]
    expected = slow(data.X, scores.tolist(), data.query_ptr, k=5, visited=range(data.n_documents))
    np.testing.assert_allclose(fitted.scores_, expected, rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("n_relevant", "n_irrelevant", "sizes", "noise"),
    [(2, 6, (150, 40), 0.3), (4, 6, (100, 60), 0.1)],
)
def test_features_that_act_only_together_are_found_and_gas_does_not_find_them(
    seed, n_relevant, n_irrelevant, sizes, noise
):
    data, truth = make_ranking(
        *sizes,
        n_relevant=n_relevant,
        n_redundant=0,
        n_irrelevant=n_irrelevant,
        truth="nonlinear",
        noise=noise,
        random_state=seed,
    )
    for selector in FOUR:
        fitted = make(selector, n_features_to_select=n_relevant).fit(data)
        assert fitted.get_support(indices=True).tolist() == truth.relevant.tolist(), selector
    missed = GAS(n_relevant).fit(data).get_support(indices=True)
    assert missed.tolist() != truth.relevant.tolist()


@pytest.mark.parametrize("selector", FOUR)
def test_passes_are_reported_by_name(selector):
    X, y, query_ptr = crowded(0)
    labels = []
    with listening(lambda label, done, total: labels.append(label)):
        make(selector, scope="all").fit(in_blocks(X, y, query_ptr, [4]))
    assert {"ranges", "visited documents", "neighbours", "weights"} <= set(labels)
    assert ("ties" in labels) == (selector is RankWrapper)


@pytest.mark.parametrize("selector", FOUR)
def test_a_view_of_queries_is_as_good_as_a_copy(selector):
    X, y, query_ptr = random_arrays(8)
    data = in_blocks(X, y, query_ptr, [5])
    view = data.queries([1, 3, 4, 8]).features([0, 2, 3])
    copy = from_arrays(view.X, view.y, view.qid)
    for scope in SCOPES:
        np.testing.assert_allclose(
            make(selector, scope=scope).fit(view).scores_,
            make(selector, scope=scope).fit(copy).scores_,
            rtol=1e-11,
            atol=1e-14,
        )


def test_queries_of_one_document_have_no_neighbours_in_the_query():
    X, y, query_ptr = random_arrays(9)
    ids = row_ids(query_ptr)
    alone = [start for start, stop in pairwise(query_ptr) if stop - start == 1]
    assert alone
    for selector in FOUR:
        with_them = make(selector).fit(X, y, qid=ids)
        single = make(selector).fit(X, y, qid=np.arange(len(y)))
        assert np.isfinite(with_them.scores_).all()
        assert not single.scores_.any()
