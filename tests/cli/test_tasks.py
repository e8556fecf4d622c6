from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from ranksieve import MultiTaskSparseRankSVM, load, make_ranking
from ranksieve.cli import main


@pytest.fixture
def table(tmp_path):
    data, _ = make_ranking(24, 8, n_relevant=2, n_redundant=0, n_irrelevant=3, random_state=0)
    market = np.repeat(np.array(["de", "fr"])[np.arange(24) % 2], np.diff(data.query_ptr))
    frame = pd.DataFrame(data.X, columns=list("abcde")).assign(
        grade=data.y, qid=data.qid, market=market
    )
    frame.to_csv(tmp_path / "train.csv", index=False)
    return tmp_path / "train.csv"


@pytest.fixture
def ranksieve(capsys):
    """Run a command; return its exit status, standard output and standard error."""

    def run(*arguments):
        with pytest.raises(SystemExit) as ending:
            main([str(argument) for argument in arguments])
        output = capsys.readouterr()
        return ending.value.code, output.out, " ".join(output.err.replace("│", " ").split())

    return run


def trained(ranksieve, table):
    model, ranker = table.with_name("model.json"), "MultiTaskSparseRankSVM(strength=0.1)"
    status, _, errors = ranksieve(
        "train", table, "--task", "market", "--ranker", ranker, "-o", model
    )
    assert status == 0, errors
    return model


def test_train_and_predict_by_a_column_of_tasks(ranksieve, table):
    model = trained(ranksieve, table)
    status, printed, _ = ranksieve("predict", model, table, "--task", "market")
    assert status == 0
    scores = np.array([float(line) for line in printed.split()])
    data = load(table, task="market")
    expected = MultiTaskSparseRankSVM(strength=0.1).fit(data).predict(data)
    np.testing.assert_allclose(scores, expected, atol=1e-9)


def test_predicting_without_the_tasks_says_what_to_do(ranksieve, table):
    model = trained(ranksieve, table)
    status, _, errors = ranksieve("predict", model, table, "--exclude", "market")
    assert status == 1
    assert "has 2 tasks, and predicts by task" in errors


def test_select_takes_the_tasks_and_other_methods_leave_them_aside(ranksieve, table):
    status, printed, errors = ranksieve(
        "select", table, "--task", "market", "--method", "MultiTaskSparseRankSVM", "-k", 2, "--json"
    )
    assert status == 0, errors
    assert "market" not in printed
    both = [
        ranksieve("select", table, option, "market", "--method", "GAS", "-k", 2, "--json")
        for option in ("--task", "--exclude")
    ]
    features = [json.loads(printed)["selected"] for _, printed, _ in both]
    assert features[0] == features[1]
