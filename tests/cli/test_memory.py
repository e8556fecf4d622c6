"""Commands on data larger than --memory: the same answers from disk, or a panel with the size."""

from __future__ import annotations

import json

import pytest

from ranksieve import make_ranking
from ranksieve.data import write_parquet


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    pytest.importorskip("pyarrow")
    data, _ = make_ranking(800, 40, n_relevant=3, n_redundant=2, n_irrelevant=4)
    target = tmp_path_factory.mktemp("large") / "train.parquet"
    write_parquet(data, target)
    return str(target)


LITTLE = ("--memory", "200KiB")


@pytest.mark.parametrize("method", ["GAS", "FSMRank(importance_strength=0.01)"])
def test_select_gives_the_same_features(ranksieve, path, method):
    call = ("select", path, "-k", "3", "--method", method, "--json")
    ours, theirs = (json.loads(ranksieve(*call, *more)[1]) for more in (LITTLE, ()))
    assert ours["selected"] == theirs["selected"]


def test_train_predict_and_evaluate_work_by_blocks(ranksieve, path, tmp_path):
    values = []
    for number, more in enumerate((LITTLE, ())):
        model, scores = tmp_path / f"{number}.json", tmp_path / f"{number}.txt"
        ranksieve("train", path, "--ranker", "RankSVM(C=0.01)", "-o", str(model), *more)
        ranksieve("predict", str(model), path, "-o", str(scores), *more)
        for judged in (model, scores):
            _, shown, _ = ranksieve("evaluate", path, str(judged), "--json", *more)
            values.append(json.loads(shown)["measures"])
    assert values[0] == values[2]
    assert values[1] == values[3]


def test_trees_say_what_they_need(ranksieve, path, tmp_path):
    pytest.importorskip("lightgbm")
    call = ("train", path, "--ranker", "LightGBMRanker(5)", "-o", str(tmp_path / "m.txt"))
    status, _, error = ranksieve(*call, *LITTLE)
    assert status == 1
    assert "needs all features in memory" in " ".join(error.split())
    assert not (tmp_path / "m.txt").exists()


def test_the_sieve_works_on_queries_that_fit(ranksieve, path, tmp_path):
    out = tmp_path / "sieved"
    call = ("sieve", path, "--ranker", "RankSVM(C=0.01)", "-o", str(out), "--memory", "800KiB")
    status, _, error = ranksieve(*call, "--folds", "2", "--repeats", "1")
    assert status == 0
    assert "the data is larger than memory: the sieve works on" in " ".join(error.split())
    assert (out / "features.json").exists()


def test_a_size_that_is_none_is_said(ranksieve, path):
    status, _, error = ranksieve("select", path, "--memory", "lots")
    assert status == 1
    assert "must be a size above 0" in " ".join(error.split())
