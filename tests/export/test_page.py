"""The commands of docs/export.md, run one after the other on the files that it shows."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import numpy as np
import pytest

from ranksieve import load
from ranksieve.cli import main
from ranksieve.rankers import load_ranker
from tests.reference.engines import elasticsearch_scores, solr_scores

PAGE = (Path(__file__).parents[2] / "docs" / "export.md").read_text("utf-8")
NAMES = ["title_bm25", "body_bm25", "clicks", "age", "pages"]


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def commands():
    lines = "".join(blocks("sh")).splitlines()
    return [shlex.split(line) for line in lines if line.startswith("ranksieve ")]


def documents():
    """Queries in which two features decide, and the others say nothing."""
    rng = np.random.default_rng(0)
    n = 1600
    X = rng.exponential(size=(n, 5)).astype(np.float32)
    score = X[:, 0] + X[:, 2] + 0.2 * rng.normal(size=n)
    grades = np.digitize(score, np.quantile(score, [0.5, 0.8]))
    rows = np.column_stack([grades, np.repeat(np.arange(n // 20), 20), X])
    lines = [",".join(f"{value:.9g}" for value in row) for row in rows]
    return "\n".join([",".join(["grade", "query", *NAMES]), *lines]) + "\n"


@pytest.mark.slow
def test_every_command_of_the_page_runs(tmp_path, monkeypatch, capsys):
    pytest.importorskip("ranksieve.export.prune")
    monkeypatch.chdir(tmp_path)
    Path("train.csv").write_text(documents())
    feature_set, store = blocks("json")
    Path("featureset.json").write_text(feature_set)
    Path("store.json").write_text(store)
    assert len(commands()) == 9
    for command in commands():
        if "vespa" in command:
            kept = load_ranker("sieved/model.txt").feature_names_
            Path("rank-features.txt").write_text("".join(f"attribute({name})\n" for name in kept))
        with pytest.raises(SystemExit) as ending:
            main(command[1:])
        assert ending.value.code == 0, (command, capsys.readouterr().err)
    out = " ".join(capsys.readouterr().out.split())
    assert "Keep (2): title_bm25, clicks" in out
    assert "Drop (3): body_bm25, age, pages" in out
    assert_scores_are_those_of_predict()


def assert_scores_are_those_of_predict():
    model = load_ranker("sieved/model.txt")
    data = load("train.csv", grade="grade", query="query")
    expected = model.predict(data.features(list(model.feature_names_)))
    pruned = json.loads(Path("books.features.json").read_text())["featureset"]["features"]
    names = [feature["name"] for feature in pruned]
    X = data.features(names).X
    text = Path("books.json").read_text()
    assert np.allclose(elasticsearch_scores(text, names, X), expected, atol=1e-6)
    assert np.allclose(
        solr_scores(Path("books-solr.json").read_text(), names, X), expected, atol=1e-6
    )
