"""ranksieve sieve: its answer, its files, and wrong input."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ranksieve import load, make_ranking
from ranksieve.cli import main
from ranksieve.data import write_text
from ranksieve.rankers import load_ranker

RANKER = "RankSVM(C=0.01)"
FEW = ("--folds", "3", "--repeats", "1")


@pytest.fixture(scope="module")
def train(tmp_path_factory):
    data, truth = make_ranking(60, 8, n_relevant=3, n_redundant=0, n_irrelevant=5)
    path = tmp_path_factory.mktemp("sieve") / "train.txt"
    write_text(data, path)
    return path, {data.feature_names[feature] for feature in truth.relevant}


def run(capsys, *arguments):
    with pytest.raises(SystemExit) as ending:
        main([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return ending.value.code, captured.out, captured.err


def test_the_answer_is_short_and_names_what_stays_and_what_goes(train, capsys):
    path, _ = train
    code, out, _ = run(capsys, "sieve", path, "--ranker", RANKER, "--margin", "0.05")
    assert code == 0
    assert len(out.splitlines()) < 15
    assert "3 of 8 features: ndcg@10" in out
    assert "Keep (3):" in out
    assert "Drop (5):" in out


def test_the_folder_has_features_model_and_everything(train, capsys, tmp_path):
    path, _ = train
    out = tmp_path / "new" / "sieved"
    asked = ("sieve", path, "--ranker", RANKER, "--margin", "5 %", "-o", out)
    code, printed, _ = run(capsys, *asked, *FEW)
    assert code == 0
    # A terminal breaks long paths.
    assert str(out / "report.html") in "".join(printed.split())
    features = json.loads((out / "features.json").read_text())
    assert len(features["selected"]) == 3
    page = (out / "report.html").read_text("utf-8")
    assert "Keep 3 of 8 features" in page
    assert str(out / "features.json") in page
    everything = json.loads((out / "sieve.json").read_text())
    assert everything["claim"] in ("supported", "none")
    model = load_ranker(out / "model.json")
    data = load(path, features=features["selected"])
    assert np.isfinite(model.predict(data)).all()
    code, trained, _ = run(
        capsys, "train", path, "--features", out / "features.json", "-o", tmp_path / "m.json"
    )
    assert code == 0
    assert "3 features" in trained


def test_a_second_run_in_the_folder_says_the_same(train, capsys, tmp_path):
    path, _ = train
    command = ("sieve", path, "--ranker", RANKER, *FEW, "-o", tmp_path / "out", "--json")
    (code, first, _), (again, second, _) = run(capsys, *command), run(capsys, *command)
    assert (code, again) == (0, 0)
    answers = [json.loads(text) for text in (first, second)]
    for answer in answers:
        answer["making"].pop("seconds")
    assert answers[0] == answers[1]


def test_costs_and_budget(train, capsys, tmp_path):
    path, _ = train
    costs = tmp_path / "costs.csv"
    costs.write_text("feature,cost\n" + "".join(f"{n},{10 * n}\n" for n in range(1, 9)))
    code, out, _ = run(
        capsys, "sieve", path, "--ranker", RANKER, *FEW, "--costs", costs, "--budget", "150"
    )
    assert code == 0
    assert "instead of 360" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--margin", "lots"], "margin must be between 0 and 1"),
        (["--ranker", "GAS"], "selects features and does not rank"),
        (["--costs", "nothing.csv"], "cannot read nothing.csv"),
        (["--budget", "0.5"], "below the cheapest set"),
        (["--certify", "nothing.txt"], "nothing.txt"),
        (["--certify", "1.5"], "certify must be a share"),
    ],
)
def test_wrong_input_ends_in_one_panel(train, capsys, arguments, message):
    path, _ = train
    code, _, err = run(capsys, "sieve", path, "--ranker", RANKER, *arguments)
    assert code == 1
    assert message in " ".join(err.replace("│", " ").split())
