from __future__ import annotations

import json
import os
import subprocess
import sys
import threading

import numpy as np
import pytest

from ranksieve import NDCG, RankSVM, load, make_ranking
from ranksieve.cli import main
from ranksieve.data import scale, write_parquet, write_text
from ranksieve.rankers import load_ranker


@pytest.fixture
def ranksieve(capsys):
    """Run a command; return its exit status, standard output and standard error."""

    def run(*arguments):
        with pytest.raises(SystemExit) as ending:
            main([str(argument) for argument in arguments])
        output = capsys.readouterr()
        return ending.value.code, output.out, " ".join(output.err.replace("│", " ").split())

    return run


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    """Files train.txt, vali.txt and test.txt of 8 features."""
    data, _ = make_ranking(40, n_relevant=3, n_redundant=2, n_irrelevant=3, random_state=0)
    folder = tmp_path_factory.mktemp("letor")
    for name, queries in (("train", range(20)), ("vali", range(20, 30)), ("test", range(30, 40))):
        write_text(data.queries(queries), folder / f"{name}.txt")
        write_parquet(data.queries(queries), folder / f"{name}.parquet")
    return folder


def test_select_train_predict_and_evaluate_follow_one_another(ranksieve, parts, tmp_path):
    features, model, scores = (tmp_path / name for name in ("f.json", "m.json", "s.txt"))
    assert ranksieve("select", parts / "train.txt", "-k", 3, "-o", features)[0] == 0
    status, out, err = ranksieve(
        *("train", parts / "train.txt", "--ranker", "RankSVM(C=0.01)"),
        *("--features", features, "-o", model),
    )
    assert (status, err) == (0, "")
    assert "RankSVM(C=0.01)" in out
    assert "3 features" in out
    status, out, err = ranksieve("predict", model, parts / "test.txt", "-o", scores)
    n_documents = load(parts / "test.txt").n_documents
    assert (status, err) == (0, "")
    assert out.startswith(f"{n_documents} scores written to")
    by_scores = ranksieve("evaluate", parts / "test.txt", scores, "--json")[1]
    by_model = ranksieve("evaluate", parts / "test.txt", model, "--json")[1]
    assert json.loads(by_model).pop("ranker") == "RankSVM(C=0.01)"
    assert json.loads(by_scores)["measures"] == json.loads(by_model)["measures"]

    # The same in Python.
    train, test = load(parts / "train.txt"), load(parts / "test.txt")
    selected = json.loads(features.read_text())["selected"]
    names = [name for name in train.feature_names if name in selected]
    assert load_ranker(model).feature_names_ == tuple(names)
    ours = RankSVM(C=0.01).fit(train.features(names)).predict(test.features(names))
    np.testing.assert_array_equal(np.loadtxt(scores), ours)
    mean = json.loads(by_model)["measures"][0]["mean"]
    assert mean == NDCG(10)(test.y, ours, qid=test.qid)


def test_predict_prints_one_score_a_line(ranksieve, parts, tmp_path):
    ranksieve("train", parts / "train.txt", "-o", tmp_path / "m.json")
    status, out, _ = ranksieve("predict", tmp_path / "m.json", parts / "test.txt")
    test = load(parts / "test.txt")
    model = load_ranker(tmp_path / "m.json")
    assert status == 0
    assert [float(line) for line in out.splitlines()] == model.predict(test).tolist()


def test_scaling_is_kept_with_the_model(ranksieve, parts, tmp_path):
    ranksieve("train", parts / "train.txt", "--scale", "zscore", "-o", tmp_path / "m.json")
    _, out, _ = ranksieve("predict", tmp_path / "m.json", parts / "test.txt")
    train, test = load(parts / "train.txt"), load(parts / "test.txt")
    ours = RankSVM().fit(scale(train, "zscore")).predict(scale(test, "zscore"))
    np.testing.assert_array_equal(np.loadtxt(out.splitlines()), ours)


def test_json_has_measures_of_training_and_validation(ranksieve, parts, tmp_path):
    status, out, _ = ranksieve(
        *("train", parts / "train.parquet", "--validation", parts / "vali.parquet"),
        *("--features", "x0,x2", "-o", tmp_path / "m.json", "--json"),
    )
    found = json.loads(out)
    assert status == 0
    assert found["features"] == 2
    assert found["training"]["queries"] == 20
    vali, model = load(parts / "vali.parquet"), load_ranker(tmp_path / "m.json")
    values = NDCG(10)(vali.y, model.predict(vali.features(["x0", "x2"])), qid=vali.qid)
    assert found["validation"]["ndcg@10"] == values


def test_the_c_that_folds_chose_is_shown_and_kept(ranksieve, parts, tmp_path):
    asked = ("train", parts / "train.txt", "-o", tmp_path / "m.json")
    _, out, err = ranksieve(*asked)
    C = RankSVM().fit(load(parts / "train.txt")).C_
    assert err == ""
    assert f"C {C:g} by ndcg@10 on folds of the queries" in " ".join(out.split())
    assert load_ranker(tmp_path / "m.json").C_ == C
    summary = json.loads(ranksieve(*asked, "--force", "--json")[1])
    assert (summary["C"], summary["C_chosen_by"]) == (C, "ndcg@10")
    fixed = json.loads(ranksieve(*asked, "-r", "RankSVM(C=0.5)", "--force", "--json")[1])
    assert fixed["C"] == 0.5
    assert "C_chosen_by" not in fixed


def test_text_that_ends_before_the_last_feature_is_zero_there(ranksieve, tmp_path):
    (tmp_path / "train.txt").write_text("1 qid:1 1:1 3:2\n0 qid:1 1:0 3:0\n")
    (tmp_path / "test.txt").write_text("1 qid:1 1:1\n0 qid:1 1:0\n")
    ranksieve("train", tmp_path / "train.txt", "--features", "3,1", "-o", tmp_path / "m.json")
    status, out, err = ranksieve("predict", tmp_path / "m.json", tmp_path / "test.txt")
    assert status == 0
    assert "1 of the model's 2 features are beyond the last one" in err
    weights = load_ranker(tmp_path / "m.json").coef_
    assert [float(line) for line in out.split()] == [weights[0], 0.0]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("train", "{train}", "-r", "RankSVN", "-o", "{m}"), "did you mean 'RankSVM'?"),
        (("train", "{train}", "-r", "RankSVM(c=1)", "-o", "{m}"), "no parameter 'c'"),
        (("train", "{train}", "-r", "RankSVM(C=-1)", "-o", "{m}"), "C must be a number above 0"),
        (("train", "{train}", "-r", "GAS", "-o", "{m}"), "does not rank documents"),
        (("train", "{train}", "--features", "1,99", "-o", "{m}"), "has no feature '99'"),
        (("train", "{train}", "--features", ",", "-o", "{m}"), "--features is empty"),
        (("train", "{train}", "--features", "none.json", "-o", "{m}"), "cannot read the features"),
        (("train", "{train}", "--features", "{train}", "-o", "{m}"), "is no list of features"),
        (("train", "{train}", "-o", "{train}"), "is the data itself"),
        (("train", "{train}", "-o", "{old}"), "pass --force"),
        (("train", "{train}", "--validation", "no.txt", "-o", "{m}"), "no.txt does not exist"),
        (("predict", "{train}", "{train}"), "is no model of ranksieve"),
        (("predict", "none.json", "{train}"), "cannot read the model none.json"),
        (("predict", "{model}", "{narrow}"), "has no feature"),
        (("predict", "{model}", "{train}", "-o", "{old}"), "pass --force"),
        (("predict", "{model}", "{train}", "-o", "{model}", "-f"), "is the data itself"),
        (("evaluate", "{train}", "{damaged}"), "is damaged"),
        (("evaluate", "{model}", "{train}"), "is a model that `ranksieve train` wrote"),
        (("predict", "{model}", "{model}"), "in the wrong order"),
        (
            ("train", "{train}", "-r", "PointwiseRanker(SVR())", "-o", "{m}"),
            "would have to be a pickle",
        ),
    ],
)
def test_wrong_input_gets_one_panel_that_says_what_to_do(
    ranksieve, parts, tmp_path, arguments, said
):
    names = ("m", "model", "old", "damaged", "narrow")
    paths = {"train": parts / "train.txt"} | {name: tmp_path / f"{name}.json" for name in names}
    paths["narrow"] = tmp_path / "narrow.parquet"
    train = load(parts / "train.txt")
    RankSVM().fit(train).save(paths["model"])
    paths["old"].write_text("old")
    paths["damaged"].write_text(paths["model"].read_text().replace("coef_", "cost_"))
    write_parquet(train.features([0]), paths["narrow"])
    status, out, err = ranksieve(*(each.format(**paths) for each in arguments))
    assert (status, out) == (1, "")
    assert said in err
    assert not paths["m"].exists()
    assert paths["old"].read_text() == "old"


def test_parquet_to_predict_needs_no_grades(ranksieve, parts, tmp_path):
    import pyarrow.parquet as pq

    ranksieve("train", parts / "train.parquet", "--features", "x2,x0", "-o", tmp_path / "m.json")
    assert load_ranker(tmp_path / "m.json").feature_names_ == ("x0", "x2")
    table = pq.read_table(parts / "test.parquet").drop_columns(["grade"])
    pq.write_table(table, tmp_path / "plain.parquet")
    graded = ranksieve("predict", tmp_path / "m.json", parts / "test.parquet")
    plain = ranksieve("predict", tmp_path / "m.json", tmp_path / "plain.parquet")
    assert plain == graded
    assert plain[0] == 0
    status, _, err = ranksieve("evaluate", tmp_path / "plain.parquet", tmp_path / "m.json")
    assert (status, "no column 'grade'" in err) == (1, True)


def test_validation_by_the_training_data_is_called_what_it_is(ranksieve, parts, tmp_path):
    train = parts / "train.txt"
    _, out, err = ranksieve(
        "train", train, "-r", "AdaRank", "--validation", train, "-o", tmp_path / "m.json"
    )
    assert "the validation queries are the training queries" in err
    assert "by map on validation" in out


def test_help_of_train_names_every_ranker(ranksieve):
    from ranksieve import catalog

    _, out, _ = ranksieve("train", "--help")
    for entry in catalog.entries("rankers"):
        assert entry.class_name in out


def test_scores_of_unsorted_data_are_refused_with_advice_that_the_command_can_follow(
    ranksieve, parts, tmp_path
):
    model, mixed = tmp_path / "m.json", tmp_path / "mixed.txt"
    assert ranksieve("train", parts / "train.txt", "-o", model)[0] == 0
    lines = (parts / "test.txt").read_text().splitlines(keepends=True)
    mixed.write_text("".join(lines[::2] + lines[1::2]))
    for arguments in (("predict", model, mixed), ("evaluate", mixed, model)):
        status, out, err = ranksieve(*arguments)
        assert (status, out) == (1, "")
        assert "Sort DATA by query first to regroup them" in err
        assert "--sort" not in err


def test_measuring_given_scores_does_not_wait_for_scikit_learn(parts, tmp_path):
    n_documents = load(parts / "test.txt").n_documents
    (tmp_path / "scores.txt").write_text("0.5\n" * n_documents)
    code = (
        "import sys\nfrom ranksieve.cli import main\n"
        f"try:\n    main(['evaluate', {str(parts / 'test.txt')!r}, "
        f"{str(tmp_path / 'scores.txt')!r}])\n"
        "finally:\n    print('sklearn' in sys.modules)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.splitlines()[-1] == "False"


def test_scores_may_come_through_a_pipe_by_name(parts, tmp_path):
    n_documents = load(parts / "test.txt").n_documents
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_text("0.5\n" * n_documents))
    writer.start()
    code = "from ranksieve.cli import main; main()"
    found = subprocess.run(
        [sys.executable, "-c", code, "evaluate", parts / "test.txt", pipe],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    writer.join()
    assert "ndcg@10" in found.stdout


def test_train_says_before_it_reads_anything_that_a_package_is_absent(
    ranksieve, tmp_path, monkeypatch
):
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    status, _, err = ranksieve(
        "train", tmp_path / "no.txt", "-r", "LightGBMRanker", "-o", tmp_path / "m.txt"
    )
    assert status == 1
    assert "pip install 'ranksieve[lightgbm]'" in err


def test_names_of_many_features_are_no_path():
    from ranksieve.cli._features import listed_features

    text = ",".join(str(number) for number in range(1, 101))
    assert len(text) > 255
    assert listed_features(text, "--features") == text


def test_a_path_that_is_longer_than_any_name_does_not_exist():
    import pytest

    from ranksieve import load
    from ranksieve.data import convert
    from ranksieve.data.model_marks import is_model_file
    from ranksieve.errors import DataError
    from ranksieve.sources import as_source

    long = "a" * 300
    for attempt in (
        load,
        lambda path: convert(path, "x.txt"),
        lambda path: as_source(path).folds(),
    ):
        with pytest.raises(DataError, match="does not exist"):
            attempt(long)
    assert not is_model_file(long)
