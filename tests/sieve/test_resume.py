"""A search that was ended goes on where it was: trainings are counted."""

from __future__ import annotations

import sqlite3

import numpy as np
import pytest

from ranksieve import NDCG, RankSVM, make_ranking
from ranksieve.data.canonical import in_own_order
from ranksieve.errors import StoreError
from ranksieve.sieve.costs import Costs
from ranksieve.sieve.search.crossfit import CrossFit
from ranksieve.sieve.search.elimination import eliminate
from ranksieve.sieve.search.folds import Folds
from ranksieve.sieve.search.resume import StoredJudge, VerdictStore, task_key

FOLDS = Folds((np.arange(24) % 3)[None])


class CountedSVM(RankSVM):
    n_fits = 0
    stop_after = 10**9

    def _fit(self, data):
        if CountedSVM.n_fits >= CountedSVM.stop_after:
            raise KeyboardInterrupt
        CountedSVM.n_fits += 1
        super()._fit(data)


@pytest.fixture(autouse=True)
def _fresh_counter():
    CountedSVM.n_fits, CountedSVM.stop_after = 0, 10**9


def judge(seed=0):
    data, _ = make_ranking(24, 6, n_relevant=3, n_redundant=0, n_irrelevant=5)
    own, _ = in_own_order(data)
    return CrossFit(own, FOLDS, CountedSVM(C=0.1), NDCG(10, ties="average"), seed)


def run(judged):
    everything = np.ones(24, dtype=bool)
    return eliminate(judged, FOLDS, everything, np.ones(8, dtype=bool), Costs.alike(8)).rungs


def assert_equal(rungs, others):
    for rung, other in zip(rungs, others, strict=True):
        np.testing.assert_array_equal(rung.selected, other.selected)
        np.testing.assert_array_equal(rung.values, other.values)
        np.testing.assert_array_equal(rung.losses, other.losses)


@pytest.mark.parametrize("stop_after", [1, 7, 12])
def test_an_interrupted_search_trains_what_is_missing_and_gives_the_same(tmp_path, stop_after):
    undisturbed = run(judge())
    total = CountedSVM.n_fits
    CountedSVM.n_fits, CountedSVM.stop_after = 0, stop_after
    with pytest.raises(KeyboardInterrupt):
        run(StoredJudge(judge(), VerdictStore(tmp_path / "sieve.db")))
    CountedSVM.n_fits, CountedSVM.stop_after = 0, 10**9
    rungs = run(StoredJudge(judge(), VerdictStore(tmp_path / "sieve.db")))
    assert_equal(rungs, undisturbed)
    # At most as many as there are threads were finished and not yet taken.
    assert total - stop_after <= CountedSVM.n_fits <= total - stop_after + 3


def test_a_second_run_trains_nothing(tmp_path):
    first = run(StoredJudge(judge(), VerdictStore(tmp_path / "sieve.db")))
    CountedSVM.n_fits = 0
    assert_equal(run(StoredJudge(judge(), VerdictStore(tmp_path / "sieve.db"))), first)
    assert CountedSVM.n_fits == 0


def test_another_seed_ranker_or_set_is_another_training():
    from ranksieve.sieve.search.elimination import Task

    everything, most = np.ones(8, dtype=bool), np.arange(8) > 0
    keys = {
        task_key(judge(), Task(0, everything)),
        task_key(judge(1), Task(0, everything)),
        task_key(judge(), Task(1, everything)),
        task_key(judge(), Task(0, most)),
    }
    assert len(keys) == 4
    assert task_key(judge(), Task(0, everything)) in keys


def test_a_damaged_row_is_trained_again(tmp_path):
    path = tmp_path / "sieve.db"
    first = run(StoredJudge(judge(), VerdictStore(path)))
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE verdict SET content = substr(content, 1, 40)")
    CountedSVM.n_fits = 0
    assert_equal(run(StoredJudge(judge(), VerdictStore(path))), first)
    assert CountedSVM.n_fits > 0


def test_a_file_that_is_no_store_is_refused(tmp_path):
    path = tmp_path / "sieve.db"
    path.write_text("not a database, but long enough to be read as one" * 50)
    with pytest.raises(StoreError, match="cannot keep the trainings"):
        VerdictStore(path)
