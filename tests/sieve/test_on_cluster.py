"""The sieve on a cluster: the same trainings elsewhere, and the same answer."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import numpy as np
import pytest

from ranksieve import LightGBMRanker, RankSVM, Sieve, make_ranking
from ranksieve.measures import parse_measure
from ranksieve.passes.cluster import cluster
from ranksieve.sieve.search.crossfit import CrossFit
from ranksieve.sieve.search.elimination import Task
from ranksieve.sieve.search.folds import Folds
from ranksieve.sieve.search.guide import guide_for

pytestmark = pytest.mark.usefixtures("time_limit")
RANKERS = [LightGBMRanker(8, num_leaves=7, n_jobs=1), RankSVM(C=0.01)]


@pytest.fixture(scope="module")
def data():
    return make_ranking(40, 12, n_relevant=3, n_redundant=2, n_irrelevant=3, random_state=3)[0]


def tasks(n_features):
    everything = np.ones(n_features, dtype=bool)
    halves = [np.arange(n_features) % 2 == part for part in (0, 1)]
    none = np.zeros(n_features, dtype=bool)
    return [
        Task(0, everything),
        Task(1, halves[0]),
        Task(2, halves[1], permuted=False),
        Task(3, none),
    ]


@pytest.mark.parametrize("ranker", RANKERS, ids=lambda ranker: type(ranker).__name__)
def test_verdicts_of_a_cluster_are_those_of_this_process_bit_for_bit(ranker, data, local_cluster):
    folds = Folds.dealt(data.n_queries, 4, 1, 0)
    measure = parse_measure("ndcg@10").with_ties("average")
    judge = CrossFit(data, folds, ranker, measure, random_state=5)
    local = list(judge(tasks(data.n_features)))
    with cluster(local_cluster):
        remote = list(judge(tasks(data.n_features)))
    for ours, theirs in zip(local, remote, strict=True):
        np.testing.assert_array_equal(ours.values, theirs.values)
        np.testing.assert_array_equal(ours.losses, theirs.losses)


def test_orders_of_a_cluster_are_those_of_this_process(data, local_cluster):
    folds = Folds.dealt(data.n_queries, 3, 1, 0)
    start = np.arange(data.n_features) != 2
    local = guide_for(data, folds, start, 0)
    with cluster(local_cluster):
        remote = guide_for(data, folds, start, 0)
    np.testing.assert_array_equal(local.full_rank, remote.full_rank)
    np.testing.assert_array_equal(local.fold_ranks, remote.fold_ranks)


def test_the_answer_is_the_same_and_trainings_are_stored_at_the_client(
    data, local_cluster, tmp_path
):
    local = answer(data, tmp_path / "local.db")
    with cluster(local_cluster):
        assert answer(data, tmp_path / "cluster.db") == local
    assert stored(tmp_path / "cluster.db") == stored(tmp_path / "local.db")


def answer(data, store):
    sieve = Sieve(ranker=RankSVM(C=0.01), cv=3, repeats=1, store=store).fit(data)
    facts = sieve.result_.as_dict()
    facts["making"].pop("seconds")
    return json.dumps(facts)


def stored(path):
    with closing(sqlite3.connect(path)) as store:
        return sorted(store.execute("SELECT key, content FROM verdict"))
