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


def write_engine_files():
    """What an engine and people gave: queries in which two features decide, the others nothing."""
    rng = np.random.default_rng(0)
    n_documents, per_query = 1600, 20
    X = rng.exponential(size=(n_documents, 5)).astype(np.float32)
    score = X[:, 0] + X[:, 2] + 0.2 * rng.normal(size=n_documents)
    grades = np.digitize(score, np.quantile(score, [0.5, 0.8]))
    lines, judgements = [], []
    for first in range(0, n_documents, per_query):
        query, rows = f"q{first // per_query}", range(first, first + per_query)
        response = {"hits": {"hits": [hit(row, X[row]) for row in rows]}}
        lines.append(json.dumps({"query_id": query, "response": response}))
        judgements += [f"{query} 0 d{row} {grades[row]}" for row in rows]
    Path("log.ndjson").write_text("\n".join(lines))
    Path("qrels.txt").write_text("\n".join(judgements))
    Path("profile.json").write_text(json.dumps(profile()))


def hit(row, values):
    log = [{"name": name, "value": float(value)} for name, value in zip(NAMES, values, strict=True)]
    return {"_id": f"d{row}", "fields": {"_ltrlog": [{"main": log}]}}


def profile():
    """The body's feature takes five milliseconds, the others one each."""
    nanoseconds = [1_000_000, 5_000_000, 1_000_000, 1_000_000, 1_000_000]
    features = [
        {"type": "TermQuery", "description": "", "time_in_nanos": time} for time in nanoseconds
    ]
    ranker = {
        "type": "RankerQuery",
        "description": "",
        "time_in_nanos": sum(nanoseconds) + 500_000,
        "children": features,
    }
    search = {"query": [ranker], "rewrite_time": 0, "collector": []}
    return {"took": 10, "profile": {"shards": [{"searches": [search]}]}}


@pytest.mark.slow
def test_every_command_of_the_page_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    write_engine_files()
    feature_set, store = blocks("json")
    Path("featureset.json").write_text(feature_set)
    Path("store.json").write_text(store)
    assert len(commands()) == 11
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
    costs = Path("costs.csv").read_text().splitlines()
    assert costs == [
        "feature,cost",
        *(f"{name},{5 if name == 'body_bm25' else 1}" for name in NAMES),
    ]
    assert_scores_are_those_of_predict()


def assert_scores_are_those_of_predict():
    model = load_ranker("sieved/model.txt")
    data = load("train.parquet")
    expected = model.predict(data.features(list(model.feature_names_)))
    pruned = json.loads(Path("books.features.json").read_text())["featureset"]["features"]
    names = [feature["name"] for feature in pruned]
    X = data.features(names).X
    text = Path("books.json").read_text()
    assert np.allclose(elasticsearch_scores(text, names, X), expected, atol=1e-6)
    assert np.allclose(
        solr_scores(Path("books-solr.json").read_text(), names, X), expected, atol=1e-6
    )
