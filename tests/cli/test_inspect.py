from __future__ import annotations

import io
import json
import os
import subprocess
import sys

import numpy as np
import pytest
from rich.console import Console

from ranksieve import load, make_ranking
from ranksieve.cli._pictures import ASCII, similarity_map
from ranksieve.data import from_arrays, write_parquet, write_text
from ranksieve.report import inspect


@pytest.fixture(scope="module")
def letor(tmp_path_factory):
    data, _ = make_ranking(
        20, n_relevant=3, n_redundant=4, n_irrelevant=3, n_constant=1, random_state=0
    )
    path = tmp_path_factory.mktemp("letor") / "train.txt"
    write_text(data, path)
    return path


def test_inspect_says_what_is_in_the_data(ranksieve, letor):
    status, out, _ = ranksieve("inspect", letor)
    data = load(letor)
    assert status == 0
    assert f"{data.n_documents:,} documents of 20 queries, 11 features (LETOR text, float32)" in out
    for heading in ("Queries", "Grades", "Features", "Importance", "Similarity", "In short"):
        assert f"\n{heading}" in out
    assert data.fingerprint in out
    constant = data.feature_names[int(np.flatnonzero(np.ptp(data.X, axis=0) == 0)[0])]
    assert f"1 feature: {constant}" in out
    assert "Redundancy is high" in out
    assert max(len(line) for line in out.splitlines()) <= 80


def test_json_has_all_facts(ranksieve, letor):
    status, out, _ = ranksieve("inspect", letor, "--json", "--importance", "ndcg@10")
    content = json.loads(out)
    found = inspect(letor, importance="ndcg@10")
    assert status == 0
    assert content["format"] == "ranksieve-inspection"
    assert content["data"]["fingerprint"] == found.fingerprint
    scores = [row["importance"] for row in content["features"]]
    assert scores == found.importance.scores.tolist()
    assert content["similarity"]["matrix"] == found.similarity.matrix.tolist()
    assert content["importance"]["random_order"] == found.importance.random
    assert set(content["verdict"]) == {"spread", "redundancy", "conclusion"}


def test_the_page_is_written_as_a_whole_and_never_over_something(
    ranksieve, letor, tmp_path, monkeypatch
):
    monkeypatch.setenv("COLUMNS", "400")
    page = tmp_path / "page.html"
    assert ranksieve("inspect", letor, "-o", page)[0] == 0
    assert page.read_text(encoding="utf-8").endswith("</html>\n")
    assert list(tmp_path.iterdir()) == [page]
    page.write_text("precious")
    code, _, err = ranksieve("inspect", letor, "-o", page)
    assert code == 1
    assert "--force" in err
    assert page.read_text() == "precious"
    assert ranksieve("inspect", letor, "-o", page, "--force")[0] == 0
    before = letor.read_bytes()
    code, _, err = ranksieve("inspect", letor, "-o", letor, "--force")
    assert code == 1
    assert "is the data itself" in err
    assert letor.read_bytes() == before


def test_an_interrupted_page_leaves_nothing_behind(ranksieve, letor, tmp_path, monkeypatch):
    def interrupted(path, *arguments, **options):
        path.touch()
        raise KeyboardInterrupt

    monkeypatch.setattr("pathlib.Path.write_text", interrupted)
    code, _, err = ranksieve("inspect", letor, "-o", tmp_path / "page.html")
    assert code == 130
    assert "Stopped" in err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-o", "/nowhere/page.html"], "its folder does not exist"),
        (["-o", "-"], "give the name of a file"),
        (["-o", "page.pdf"], "the ending must be .html or .htm, but is .pdf"),
        (["--cut", "7"], "cut must be a similarity above 0"),
        (["--importance", "ndgc@10"], "did you mean 'ndcg'?"),
        (["--similarity", "kendal"], "did you mean 'kendall'?"),
    ],
)
def test_mistakes_end_in_one_panel(ranksieve, letor, monkeypatch, arguments, message):
    monkeypatch.setenv("COLUMNS", "400")
    code, out, err = ranksieve("inspect", letor, *arguments)
    assert code == 1
    assert message in err
    assert out == ""


def test_a_missing_file_is_named(ranksieve, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "400")
    code, _, err = ranksieve("inspect", tmp_path / "nothing.txt", "-o", tmp_path / "page.html")
    assert code == 1
    assert "nothing.txt does not exist" in err
    assert list(tmp_path.iterdir()) == []


def test_missing_values_are_counted_and_the_rule_is_said(ranksieve, tmp_path):
    path = tmp_path / "holes.txt"
    path.write_text("1 qid:1 1:0.5 2:nan\n0 qid:1 1:nan 2:nan\n0 qid:2 1:1 2:NULL\n")
    status, out, _ = ranksieve("inspect", path)
    assert status == 0
    assert "4 in 2 features" in " ".join(out.split())
    assert "'query-minimum'" in out
    assert ranksieve("inspect", path, "--missing", "error")[0] == 1
    assert json.loads(ranksieve("inspect", path, "--missing", "-3", "--json")[1])["missing"] == {
        "known": True,
        "values": 4,
        "filled_by": -3.0,
    }


def test_help_says_how_missing_values_are_treated(ranksieve):
    assert "counted" in ranksieve("inspect", "--help")[1]
    assert "'error' (default)" in ranksieve("select", "--help")[1]


@pytest.mark.parametrize("n_features", [1, 300])
def test_any_number_of_features_and_any_names_fit_80_columns(ranksieve, tmp_path, n_features):
    rng = np.random.default_rng(0)
    names = [f"[bold]stream_{'long_' * (i % 9)}{i}\x1b[31m" for i in range(n_features)]
    X = rng.normal(size=(60, n_features))
    X[:, n_features // 2 :] = X[:, :1]
    grades = rng.integers(0, 200, size=60)
    data = from_arrays(X, grades, np.repeat(np.arange(6), 10), feature_names=names)
    write_parquet(data, tmp_path / "wide.parquet")
    status, out, _ = ranksieve("inspect", tmp_path / "wide.parquet")
    lines = out.splitlines()
    assert status == 0
    assert max(map(len, lines)) <= 80
    assert len(lines) < 130
    assert "\x1b" not in out
    assert "[bold]stream_" in out
    assert "12 most frequent" in out


@pytest.mark.parametrize("columns", [40, 60])
def test_nothing_runs_over_a_narrow_terminal(ranksieve, letor, tmp_path, columns, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    rng = np.random.default_rng(0)
    names = [f"stream_{'long_' * (i % 7)}{i}" for i in range(60)]
    X = rng.normal(size=(60, 60))
    X[:, 30:] = X[:, :1] + 0.01 * X[:, 30:]
    data = from_arrays(X, rng.integers(0, 3, 60), np.repeat(np.arange(6), 10), feature_names=names)
    write_parquet(data, tmp_path / "wide.parquet")
    for path in (letor, tmp_path / "wide.parquet"):
        status, out, _ = ranksieve("inspect", path)
        assert status == 0
        assert max(map(len, out.splitlines())) <= columns
        assert "Next: ranksieve select" in " ".join(out.split())


def test_a_stream_without_unicode_gets_ascii(letor):
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    code = "from ranksieve.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "inspect", str(letor)],
        env=environment,
        capture_output=True,
        check=True,
    )
    assert b"###" in done.stdout
    assert done.stdout.isascii()


def test_a_terminal_gets_half_blocks_in_colour_unless_it_wants_none(letor):
    found = inspect(letor)
    n = len(found.similarity.order)

    def lines(**options):
        console = Console(file=io.StringIO(), force_terminal=True, width=80, **options)
        return similarity_map(found, console, ASCII).plain.splitlines()

    coloured = lines(color_system="truecolor")
    assert coloured[0] == "▀" * n
    assert len(coloured) == (n + 1) // 2 + 1
    plain = lines(color_system="truecolor", no_color=True)
    assert plain[0].startswith("##")
    assert len(plain) == n + 1


@pytest.fixture(scope="module")
def two_kinds(tmp_path_factory):
    """Queries of two kinds, in which grades rise or fall with the first feature."""
    rng = np.random.default_rng(0)
    kind = np.repeat(np.arange(60) % 2 * 2.0 - 1.0, 20)
    signal = rng.normal(size=1200)
    y = np.clip(np.round(1 + kind * signal + 0.3 * rng.normal(size=1200)), 0, 3)
    X = np.column_stack([signal, kind, rng.normal(size=1200), np.ones(1200), 0.0 * kind])
    X[:, 4] = np.repeat(rng.random(60), 20)
    path = tmp_path_factory.mktemp("kinds") / "train.txt"
    write_text(from_arrays(X, y, np.repeat(np.arange(60), 20)), path)
    return path


def test_what_permutation_moves_across_queries_is_said(ranksieve, two_kinds, tmp_path):
    page = tmp_path / "page.html"
    status, out, _ = ranksieve("inspect", two_kinds, "--importance", "permutation", "-o", page)
    assert status == 0
    assert "\nImportance: PermutationImportance()\n" in out
    score = inspect(two_kinds, importance="permutation").importance.scores[1]
    assert f"permuted across queries  2 features: 2 ({score:.4f}), 5 (" in out
    assert "Keep 2" in out
    assert "Drop 4: constant." in out
    text = page.read_text(encoding="utf-8")
    assert text.count("constant in each query, permuted across queries") == 2
    assert "of ranking by one feature" not in text
    assert "permuted across" not in ranksieve("inspect", two_kinds)[1]


def test_json_says_what_was_permuted_across_queries(ranksieve, two_kinds):
    spelled = "permutation(ranker='RankSVM(C=0.01)')"
    content = json.loads(ranksieve("inspect", two_kinds, "--json", "--importance", spelled)[1])
    across = [row["permuted_across_queries"] for row in content["features"]]
    assert across == [False, True, False, False, True]
    alone = json.loads(ranksieve("inspect", two_kinds, "--json")[1])
    assert not any(row["permuted_across_queries"] for row in alone["features"])
