"""`extract`: from text to files, with counts, costs, and one panel for an error."""

from __future__ import annotations

import gzip
import json

import pytest

from ranksieve import load
from ranksieve.cli import main
from ranksieve.sieve.costs import read_costs

DOCUMENTS = """.I 1
.T
heated slabs
.W
heat of slabs
.I 2
.T
wings
.W
lift of wings
.I 3
.W
slabs
.I 4
.W
"""
QUERIES = ".I 1\n.W\nheated slabs\n.I 2\n.W\nthe lift of a wing\n.I 3\n.W\nof the\n"
JUDGEMENTS = "1 1 1\n1 2 4\n2 2 2\n2 9 3\n2 4 -1\n3 1 1\n"


@pytest.fixture
def ranksieve(capsys):
    """Run a command; return its exit status, standard output and standard error."""

    def run(*arguments):
        with pytest.raises(SystemExit) as ending:
            main([str(argument) for argument in arguments])
        output = capsys.readouterr()
        return ending.value.code, output.out, " ".join(output.err.split())

    return run


@pytest.fixture
def files(tmp_path):
    paths = {name: tmp_path / name for name in ("documents", "queries", "judgements")}
    for path, text in zip(paths.values(), (DOCUMENTS, QUERIES, JUDGEMENTS), strict=True):
        path.write_text(text)
    return [item for name, path in paths.items() for item in (f"--{name}", path)]


def test_features_and_costs_are_written_and_what_was_left_out_is_said(ranksieve, files, tmp_path):
    target, costs = tmp_path / "out.parquet", tmp_path / "costs.csv"
    status, out, err = ranksieve("extract", *files, "-o", target, "--pool", 5, "--costs", costs)
    assert (status, err) == (0, "")
    assert "4 documents of 2 queries, 96 features." in out
    assert "1 document has no words (first: '4')." in out
    assert "1 judgement is of a document that the collection does not have" in out
    assert "1 query has no words but stop words and was left out (first: '3'" in out
    assert "1 judgement has a code without a grade" in out
    data = load(target)
    assert data.y.tolist() == [4, 1, 0, 3]
    assert data.document_ids.tolist() == ["1", "2", "3", "2"]
    assert "title.bm25" in data.feature_names
    assert len(read_costs(costs, data.feature_names).prices) == 9


def test_json_has_everything(ranksieve, files, tmp_path):
    target = tmp_path / "out.txt"
    status, out, _ = ranksieve("extract", *files, "-o", target, "--scale", "minmax", "--json")
    content = json.loads(out)
    assert (status, content["documents"], content["queries"]) == (0, 3, 2)
    assert len(content["features"]) == 96
    assert set(content["groups"]) >= {"title.counts", "body.positions"}
    assert len(content["notes"]) == 4
    assert load(target).X.max() == 1.0


def test_words_are_svmlight_text_with_names_and_the_size_of_a_dense_matrix(
    ranksieve, files, tmp_path
):
    target = tmp_path / "words.txt.gz"
    status, out, _ = ranksieve("extract", *files, "-o", target, "--features", "words", "--pool", 9)
    assert status == 0
    assert "GiB; docs/text.md has what does without." in out
    lines = gzip.decompress(target.read_bytes()).decode().splitlines()
    assert [line.split()[:2] for line in lines] == [
        *(["4", "qid:1"], ["1", "qid:1"], ["0", "qid:1"], ["3", "qid:2"]),
    ]
    assert (tmp_path / "words.txt.gz.words.txt").read_text().split() == [
        *("heat", "lift", "slab", "wing"),
    ]
    content = ranksieve(
        "extract", *files, "-o", target, "--features", "words", "--force", "--json"
    )[1]
    assert json.loads(content)["words"] == 4


@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        (["-o", "x.csv"], 1, "cannot write"),
        (["-o", "words.parquet", "--features", "words"], 2, "leaves zeros out"),
        (
            ["-o", "w.txt", "--features", "words", "--scale", "minmax"],
            2,
            "go with --features letor",
        ),
        (["-o", "x.parquet", "--within-pool"], 2, "--within-pool needs --pool"),
        (["-o", "x.parquet", "--costs", "x.parquet"], 2, "name the same file"),
        (["-o", "x.parquet", "--grades", "1=4"], 1, "the code 4 has no grade"),
        (["-o", "x.parquet", "--grades", "one"], 1, "a rule of grades is written"),
        (["-o", "x.parquet", "--language", "klingon"], 1, "Snowball has no language"),
        (["-o", "documents", "--force"], 1, "is the data itself"),
        (["-o", "missing/x.parquet"], 1, "its folder does not exist"),
    ],
)
def test_an_error_is_one_panel_and_nothing_is_written(
    ranksieve, files, tmp_path, monkeypatch, options, status, message
):
    monkeypatch.chdir(tmp_path)
    before = sorted(path.name for path in tmp_path.iterdir())
    ending, out, err = ranksieve("extract", *files, *options)
    assert (ending, out) == (status, "")
    assert message in err
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_an_existing_file_is_replaced_only_by_force(ranksieve, files, tmp_path):
    target = tmp_path / "out.parquet"
    target.write_text("mine")
    status, _, err = ranksieve("extract", *files, "-o", target)
    assert status == 1
    assert "pass --force to replace it" in err
    assert target.read_text() == "mine"
    assert ranksieve("extract", *files, "-o", target, "--force")[0] == 0


def test_links_stop_words_and_a_language_are_options(ranksieve, files, tmp_path):
    links, stop_words, target = (tmp_path / name for name in ("links", "stop", "out.parquet"))
    links.write_text("1 2\n")
    stop_words.write_text("lift\n")
    options = ["--links", links, "--stop-words", stop_words, "--language", "none"]
    status, _, _ = ranksieve("extract", *files, "-o", target, *options)
    data = load(target)
    assert status == 0
    assert data.feature_names[-3:] == ("in_degree", "out_degree", "pagerank")
    # "of" is now a word, "lift" is none: the third query has a word, and "wing" is not "wings".
    assert data.n_queries == 3
