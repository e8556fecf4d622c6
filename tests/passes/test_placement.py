"""Data in the memory of workers: the same results bit for bit, and nothing left behind."""

from __future__ import annotations

import gc
import warnings

import numpy as np
import pytest

from ranksieve.catalog import parse
from ranksieve.data import RankingData, scale
from ranksieve.data.disk import stored_blocks
from ranksieve.errors import ParameterError
from ranksieve.passes.cluster import cluster, place
from ranksieve.passes.cluster.residents import n_residents
from ranksieve.passes.notes import n_notes

pytestmark = pytest.mark.usefixtures("time_limit")

# What all of them read, and each at least one kind of pass of its own.
METHODS = [
    ("GAS(n_features_to_select=3)", "selectors"),
    ("FSSCPR(n_features_to_select=3)", "selectors"),
    ('GAS(n_features_to_select=3, importance="map", similarity="spearman")', "selectors"),
    ("HCAS(n_features_to_select=3)", "selectors"),
    ("MIQUBO(n_features_to_select=3)", "selectors"),
    ("RankFilter(n_features_to_select=3, n_samples=300)", "selectors"),
    ("SparseRankSVM(strength=0.01)", "selectors"),
    ('SparseRankSVM(penalty="mcp", strength=0.01)', "selectors"),
    ("FSMRank(importance_strength=0.01)", "selectors"),
    ("FSMRank(n_folds=2, n_strengths=3)", "selectors"),
    ("FSMSVM(importance_strength=0.01, n_folds=2)", "selectors"),
    ("RSRank(strength=0.01)", "selectors"),
    ("RankSVM(C=0.01)", "rankers"),
    ("ListNet(max_iter=4)", "rankers"),
]


@pytest.fixture
def workers(local_cluster, monkeypatch):
    # Passes over little data would run at the client.
    monkeypatch.setattr("ranksieve.problems.pair_risk._SMALL_DATA", 0)
    monkeypatch.setattr("ranksieve.problems.ridge_scores._SMALL_DATA", 0)
    with cluster(local_cluster) as connected, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield connected


def residents(connected):
    gc.collect()
    counts = [connected.call(worker, n_residents) for worker in connected.workers()]
    return [sum(kind) for kind in zip(*counts, strict=True)]


@pytest.mark.parametrize(("text", "family"), METHODS)
def test_a_method_gives_the_same_bit_for_bit(workers, data, text, family):
    placed = place(data)
    assert placed.on_workers
    ours, theirs = (parse(text, family).fit(each) for each in (placed, data))
    name = "scores_" if family == "selectors" else "coef_"
    np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))
    if family == "selectors":
        np.testing.assert_array_equal(ours.order_, theirs.order_)


def test_every_view_shows_the_same_wherever_the_features_are(workers, data):
    placed = place(data)
    rng = np.random.default_rng(0)
    queries, features = rng.permutation(data.n_queries)[:300], np.array([5, 0, 3])
    for show in (
        lambda whole: whole.features(features),
        lambda whole: whole.queries(queries).turned(rng.choice([-1], size=8)),
        lambda whole: whole.with_mirror_images().queries(queries[:90]),
    ):
        np.testing.assert_array_equal(show(placed).X, show(data).X)
        np.testing.assert_array_equal(show(placed).y, show(data).y)
    np.testing.assert_array_equal(placed.column(2), data.column(2))
    assert placed.queries(queries).gathered().columns is None  # it is small
    assert place(placed) is placed


def test_folds_of_placed_data_are_the_same(workers, data):
    half = np.arange(0, data.n_queries, 2)
    ours, theirs = (
        parse("SparseRankSVM(strength=0.01)", "selectors").fit(each.queries(half))
        for each in (place(data), data)
    )
    np.testing.assert_allclose(ours.scores_, theirs.scores_, rtol=1e-9)


@pytest.mark.parametrize("method", ["minmax", "zscore"])
def test_scaled_data_stays_with_the_workers(workers, data, method):
    scaled = scale(place(data), method)
    assert scaled.on_workers
    assert scaled.scaling == method
    np.testing.assert_array_equal(scaled.column(1), scale(data, method).column(1))


def test_data_on_disk_goes_to_the_workers_a_part_at_a_time(workers, data):
    stored = RankingData(stored_blocks(data.blocks()), data.feature_names)
    placed = place(stored)
    assert all(block._values is None for block in stored._blocks)
    np.testing.assert_array_equal(placed.column(4), data.column(4))


def test_workers_forget_what_the_client_no_longer_has(workers, data):
    before = residents(workers)
    placed = place(data)
    model = parse("RankSVM(C=0.01)", "rankers").fit(placed)
    assert residents(workers)[0] == before[0] + placed.n_blocks
    assert workers.call(workers.workers()[0], n_notes) > 0
    del placed, model
    gc.collect()
    other = place(data.queries(np.arange(300)))  # what has ended goes with the next calls
    assert residents(workers) == [before[0] + other.n_blocks, before[1]]
    assert workers.call(workers.workers()[0], n_notes) == 0


def test_workers_forget_everything_when_the_cluster_is_left(local_cluster, data):
    with cluster(local_cluster):
        placed = place(data)
        parse("RankSVM(C=0.01)", "rankers").fit(placed)
    with cluster(local_cluster) as connected:
        assert residents(connected) == [0, 0]


def test_data_is_placed_inside_a_cluster_only(data):
    with pytest.raises(ParameterError, match="inside `with cluster"):
        place(data)


@pytest.mark.parametrize("text", ["LightGBMRanker(8)", "XGBoostRanker(8)"])
def test_trees_are_trained_where_the_data_is(workers, data, text):
    pytest.importorskip("lightgbm" if "Light" in text else "xgboost")
    part = data.queries(np.arange(860))
    ours, theirs = (parse(text, "rankers").fit(each) for each in (place(part), part))
    assert ours.n_iter_ == 8
    assert ours.score(data) == pytest.approx(theirs.score(data), abs=0.02)
    with pytest.raises(ParameterError, match="trains all its rounds: leave the validation"):
        parse(text, "rankers").fit(place(part), validation=data.queries(np.arange(860, 960)))
