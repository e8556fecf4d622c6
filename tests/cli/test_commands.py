from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from ranksieve import GAS, MAP, NDCG, __version__, load, make_ranking
from ranksieve.cli import _demo_study, demo, main
from ranksieve.data import write_parquet, write_text
from ranksieve.threads import threads


@pytest.fixture(scope="module")
def letor(tmp_path_factory):
    """A LETOR file of 20 queries with 8 features."""
    data, _ = make_ranking(20, n_relevant=3, n_redundant=2, n_irrelevant=3, random_state=0)
    path = tmp_path_factory.mktemp("letor") / "train.txt"
    write_text(data, path)
    return path


def test_help_names_every_command_and_the_version_is_one(ranksieve):
    status, out, _ = ranksieve("--help")
    assert status == 0
    for command in ("convert", "demo", "evaluate", "select"):
        assert f"  {command} " in out
    assert ranksieve("--version")[1].strip().endswith(__version__)


def test_an_unknown_command_suggests_the_nearest(ranksieve):
    status, _, err = ranksieve("selct")
    assert status == 2
    assert "did you mean 'select'?" in err


@pytest.mark.parametrize("command", ["select", "evaluate", "convert"])
def test_a_command_without_arguments_shows_its_help(ranksieve, command):
    status, out, err = ranksieve(command)
    assert status == 2
    assert f"Usage: ranksieve {command}" in out + err


def test_select_prints_what_the_library_selects(ranksieve, letor, tmp_path):
    out_file = tmp_path / "features.json"
    status, out, _ = ranksieve(
        "select", letor, "-m", "GAS(balance=0.3)", "-k", 3, "--out", out_file
    )
    gas = GAS(3, balance=0.3).fit(load(letor))
    names = [load(letor).feature_names[feature] for feature in gas.order_]
    assert status == 0
    assert [line.split()[1] for line in out.splitlines()[2:5]] == names[:3]
    assert "3 of 8 features" in out

    content = json.loads(out_file.read_text())
    assert content["format"] == "ranksieve-features"
    assert content["method"] == repr(gas)
    assert content["selected"] == names[:3]
    assert [row["feature"] for row in content["order"]] == names
    assert [row["score"] for row in content["order"]] == gas.scores_[gas.order_].tolist()
    assert content["data"]["fingerprint"] == load(letor).fingerprint
    assert list(tmp_path.iterdir()) == [out_file]


def test_select_prints_json_that_is_valid_where_scores_are_not_finite(ranksieve, tmp_path):
    data, _ = make_ranking(10, n_constant=1, random_state=0)
    write_parquet(data, tmp_path / "train.parquet")
    status, out, _ = ranksieve("select", tmp_path / "train.parquet", "--json", "-k", "0.2")
    content = json.loads(out)
    assert status == 0
    assert content["order"][-1]["score"] is None
    assert len(content["selected"]) == int(np.ceil(0.2 * data.n_features))


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["-m", "GSA"], 1, "did you mean 'GAS'?"),
        (["-m", "GAS(balanse=1)"], 1, "did you mean 'balance'?"),
        (["-m", "GAS(importance='ndgc@10')"], 1, "did you mean 'ndcg'?"),
        (["-k", "ten"], 2, "'ten' is no number"),
        (["-k", "99"], 1, "between 1 and the number of features, 8"),
        (["--missing", "none"], 1, "unknown rule for missing values 'none'"),
        (["--out", "/nowhere/features.json"], 1, "its folder does not exist"),
        (["--out", "-"], 1, "use --json to print"),
        (["-k", "0"], 1, "-k 0 must be between 1"),
        (["-m", "GAS(balance='x')"], 1, "balance must be a number of at least 0, but is 'x'"),
        (["--grade", "label"], 1, "grade does not apply to text"),
    ],
)
def test_mistakes_end_in_one_panel_that_says_what_to_do(
    ranksieve, letor, monkeypatch, arguments, status, message
):
    monkeypatch.setenv("COLUMNS", "400")
    code, out, err = ranksieve("select", letor, *arguments)
    assert code == status
    assert message in err
    assert "Traceback" not in out + err


def test_an_existing_result_is_replaced_only_by_force_and_the_data_never(
    ranksieve, letor, tmp_path, monkeypatch
):
    monkeypatch.setenv("COLUMNS", "400")
    out_file = tmp_path / "features.json"
    out_file.write_text("precious")
    code, _, err = ranksieve("select", letor, "--out", out_file)
    assert code == 1
    assert "--force" in err
    assert out_file.read_text() == "precious"
    assert ranksieve("select", letor, "--out", out_file, "--force")[0] == 0
    before = letor.read_bytes()
    code, _, err = ranksieve("select", letor, "--out", letor, "--force")
    assert code == 1
    assert "is the data itself" in err
    assert letor.read_bytes() == before


def test_errors_name_options_instead_of_parameters(ranksieve, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "400")
    split = tmp_path / "split.txt"
    split.write_text("1 qid:1 1:0.5\n0 qid:2 1:1\n0 qid:1 1:nan\n")
    for command, option in (
        (("select", split, "--missing", "0"), "Pass --sort"),
        (("select", split, "--sort"), "--missing 0.0"),
        (("convert", split, tmp_path / "a.parquet", "--missing", "0"), "Sort it by query"),
    ):
        code, _, err = ranksieve(*command)
        assert code == 1
        assert option in err
        assert "=True" not in err


def test_equal_scores_are_said_to_mean_nothing(ranksieve, tmp_path):
    path = tmp_path / "flat.txt"
    path.write_text("0 qid:1 1:0.5 2:1\n0 qid:1 1:1 2:0\n")
    status, out, _ = ranksieve("select", path)
    assert status == 0
    assert "All features score alike" in out


def test_help_shows_examples_line_by_line(ranksieve):
    for command in ("select", "evaluate", "convert"):
        _, out, _ = ranksieve(command, "--help")
        assert f"\n    ranksieve {command} " in out
        assert "\\b" not in out


def test_numbers_are_never_cut(ranksieve, letor, tmp_path, monkeypatch):
    path = tmp_path / "scores.txt"
    path.write_text("0.5\n" * load(letor).n_documents)
    monkeypatch.setenv("COLUMNS", "30")
    measures = [part for k in range(1, 9) for part in ("-m", f"letor-ndcg@{k}")]
    _, out, _ = ranksieve("evaluate", letor, path, "--per-query", *measures)
    assert "…" not in out
    assert "letor-ndcg@8" in out


def test_a_missing_file_and_a_wrong_one_are_named(ranksieve, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "400")
    code, _, err = ranksieve("select", tmp_path / "nothing.txt")
    assert code == 1
    assert "nothing.txt" in err
    bad = tmp_path / "bad.txt"
    bad.write_text("1 qid:1 1:0.5\n0 qid:1 1:zero\n")
    code, _, err = ranksieve("select", bad)
    assert code == 1
    assert "bad.txt, line 2" in err
    assert "zero" in err


def test_debug_shows_the_traceback(letor):
    with pytest.raises(ValueError, match="did you mean 'GAS'"):
        main(["--debug", "select", str(letor), "-m", "GSA"])


def test_evaluate_prints_the_measures_of_the_scores(ranksieve, letor, tmp_path):
    data = load(letor)
    scores = np.random.default_rng(0).normal(size=data.n_documents)
    path = tmp_path / "scores.txt"
    path.write_text("\n".join(map(repr, scores.tolist())) + "\n")
    status, out, _ = ranksieve("evaluate", letor, path)
    assert status == 0
    assert f"{NDCG(10)(data.y, scores, qid=data.qid):.4f}" in out
    assert f"{MAP()(data.y, scores, qid=data.qid):.4f}" in out
    assert 'ties="input"' in out

    status, out, _ = ranksieve(
        "evaluate", letor, path, "-m", "ndcg@5", "--convention", "letor", "--per-query", "--json"
    )
    content = json.loads(out)
    measure = NDCG(5, convention="letor")
    assert content["measures"][0]["measure"] == "letor-ndcg@5"
    assert content["measures"][0]["mean"] == measure(data.y, scores, qid=data.qid)
    assert content["measures"][0]["parameters"] == measure.parameters
    assert [row["letor-ndcg@5"] for row in content["per_query"]] == measure.per_query(
        data.y, scores, qid=data.qid
    ).tolist()
    status, out, _ = ranksieve("evaluate", letor, path, "--per-query")
    assert [line.split()[0] for line in out.splitlines()[1:21]] == [str(q) for q in data.query_ids]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("1\n2\n", "has 2 scores, but the data has"),
        (None, "No such file"),
        (b"\xff\xfe\x00", "is no text"),
        ("word", "line 1: 'word' is no number"),
        ("score\n1\n2\n", "line 1: 'score' is no number"),
        ("nan", "line 1: a score must not be NaN"),
    ],
)
def test_bad_scores_are_named(ranksieve, letor, tmp_path, monkeypatch, content, message):
    monkeypatch.setenv("COLUMNS", "400")
    path = tmp_path / "scores.txt"
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif content in ("word", "nan"):
        path.write_text(content + "\n0.5" * (load(letor).n_documents - 1))
    elif content is not None:
        path.write_text(content)
    code, _, err = ranksieve("evaluate", letor, path)
    assert code == 1
    assert message in err


def test_convert_there_and_back_keeps_the_data(ranksieve, letor, tmp_path):
    parquet, text = tmp_path / "train.parquet", tmp_path / "again.txt.gz"
    status, out, _ = ranksieve("convert", letor, parquet)
    assert status == 0
    assert "20 queries, 8 features" in out.replace("\n", " ")
    assert ranksieve("convert", parquet, text)[0] == 0
    assert load(text).fingerprint == load(letor).fingerprint
    assert ranksieve("convert", letor, parquet)[0] == 1
    assert ranksieve("convert", letor, parquet, "--force")[0] == 0


def test_demo_sieves_and_says_what_became_of_the_planted_features(ranksieve, tmp_path, monkeypatch):
    # Every feature more is tried by many trainings.
    few = {"_N_PLANTED": 3, "_N_COPIES": 2, "_N_NOISE": 2, "_N_CONSTANT": 1, "_N_FEATURES": 8}
    for name, number in few.items():
        monkeypatch.setattr(demo, name, number)
    status, out, _ = ranksieve("demo", "--queries", "30", "--out", tmp_path / "demo")
    assert status == 0
    words = " ".join(out.split())
    assert "of 8 features: ndcg@10" in words
    assert "Cost:" in words
    assert "Of the 3 planted features" in words
    assert (tmp_path / "demo" / "sieved" / "features.json").exists()
    again = ranksieve(
        "sieve",
        tmp_path / "demo" / "train.txt",
        "--costs",
        tmp_path / "demo" / "costs.csv",
        "--ranker",
        "RankSVM(C=0.01)",
    )
    assert again[0] == 0


def test_demo_of_the_methods_shows_both_models_and_ends_with_a_report(
    ranksieve, tmp_path, monkeypatch
):
    monkeypatch.setattr(_demo_study, "_NUMBERS", (2, 8, "all"))
    # As with one core: the comparison is made by this process.
    with threads(1):
        status, out, _ = ranksieve(
            "demo", "--methods", "--queries", "40", "--out", tmp_path / "demo"
        )
    assert status == 0
    assert "".join(out.split()).endswith(f"asapage:{tmp_path / 'demo' / 'report.html'}")
    assert "</html>" in (tmp_path / "demo" / "report.html").read_text(encoding="utf-8")
    assert "all features" in out
    assert "of 8" in out
    assert "NDCG@10" in out
    assert ranksieve("demo", "--queries", "2")[0] == 2


def test_results_can_be_piped_into_a_reader_that_leaves(letor):
    command = f"{Path(sys.executable).parent / 'ranksieve'} select {letor} --json | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True)
    assert done.stdout == "{\n"
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_ctrl_c_leaves_with_130_and_no_traceback(tmp_path):
    command = [str(Path(sys.executable).parent / "ranksieve"), "demo", "--queries", "200000"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        time.sleep(3)
        child.send_signal(signal.SIGINT)
        assert child.wait(timeout=30) == 130
        error = child.stderr.read().decode()
    assert "Stopped." in error
    assert "Traceback" not in error


@pytest.fixture(scope="module")
def long_text(tmp_path_factory):
    """A file whose conversion takes long enough to be stopped."""
    data, _ = make_ranking(200, 100, n_irrelevant=90, random_state=0)
    path = tmp_path_factory.mktemp("long") / "a.txt"
    write_text(data, path)
    return path


@pytest.mark.slow
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT"])
def test_a_conversion_that_is_told_to_stop_leaves_nothing_behind(tmp_path, long_text, name):
    program = str(Path(sys.executable).parent / "ranksieve")
    command = [program, "convert", str(long_text), "b.txt.xz"]
    with subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as child:
        for _ in range(300):
            if list(tmp_path.iterdir()):  # the temporary file is there
                break
            time.sleep(0.02)
        time.sleep(0.2)
        assert child.poll() is None
        child.send_signal(getattr(signal, name))
        number = getattr(signal, name)
        assert child.wait(timeout=10) == (130 if name == "SIGINT" else 128 + number)
    assert list(tmp_path.iterdir()) == []


def test_data_is_not_sorted_away_from_its_scores(ranksieve, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "400")
    split, scores = tmp_path / "split.txt", tmp_path / "scores.txt"
    split.write_text("1 qid:1 1:0.5\n0 qid:2 1:1\n0 qid:1 1:2\n")
    scores.write_text("1\n2\n3\n")
    code, _, err = ranksieve("evaluate", split, scores)
    assert code == 1
    assert "Sort DATA and SCORES by query, together, to regroup them" in err
    assert ranksieve("evaluate", split, scores, "--sort")[0] == 2
