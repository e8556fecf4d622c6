"""`convert --judgements` and `costs`: from what an engine logs and measures to files."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ranksieve import load
from ranksieve.sieve.costs import read_costs


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "log.ndjson"
    draw = np.random.default_rng(0)
    lines = []
    for query in range(12):
        docs = [
            {"id": f"d{number}", "[features]": f"bm25={draw.random():.3f},clicks={number}"}
            for number in range(5)
        ]
        header = {"status": 0, "params": {"qid": str(query)}}
        lines.append(json.dumps({"responseHeader": header, "response": {"docs": docs}}))
    path.write_text("\n".join(lines))
    return path


@pytest.fixture
def qrels(tmp_path):
    path = tmp_path / "qrels.txt"
    path.write_text(
        "".join(f"{query} 0 d{number} {number % 3}\n" for query in range(12) for number in range(4))
    )
    return path


def test_convert_joins_a_log_with_judgements_and_counts_what_has_none(
    ranksieve, log, qrels, tmp_path
):
    target = tmp_path / "train.parquet"
    status, out, err = ranksieve("convert", log, target, "--judgements", qrels)
    assert (status, err) == (0, "")
    words = " ".join(out.split())
    assert "48 documents of 12 queries, 2 features." in words
    assert "12 of 60 documents have no judgement and were left out." in words
    data = load(target)
    assert data.feature_names == ("bm25", "clicks")
    assert data.y[:4].tolist() == [0, 1, 2, 0]


def test_other_commands_read_logs_too_and_warn(ranksieve, log, qrels):
    status, out, err = ranksieve(
        "select", log, "--judgements", qrels, "-k", 1, "-m", "TopK", "--json"
    )
    assert status == 0
    assert json.loads(out)["selected"]
    assert "12 of 60 documents have no judgement" in err


def test_errors_name_options(ranksieve, log, qrels, tmp_path):
    target = tmp_path / "train.parquet"
    status, _, err = ranksieve("convert", log, target)
    assert status == 1
    assert "--judgements FILE" in " ".join(err.replace("│", " ").split())
    log.write_text(log.read_text().replace('"qid"', '"x"'))
    status, _, err = ranksieve("convert", log, target, "--judgements", qrels)
    assert status == 1
    assert "name the field with --query." in " ".join(err.replace("│", " ").split())
    assert not target.exists()


def profile(*milliseconds):
    children = [{"type": "TermQuery", "time_in_nanos": time * 10**6} for time in milliseconds]
    total = sum(child["time_in_nanos"] for child in children) + 10**6
    ranker = {"type": "RankerQuery", "time_in_nanos": total, "children": children}
    return {"profile": {"shards": [{"searches": [{"rewrite_time": 0, "query": [ranker]}]}]}}


@pytest.fixture
def profiles(tmp_path):
    first, second = tmp_path / "one.json", tmp_path / "two.json"
    first.write_text(json.dumps([profile(1, 10), profile(3, 30)]))
    second.write_text(json.dumps(profile(8, 20)))
    features = [{"name": "bm25", "template": {}}, {"name": "clicks", "template": {}}]
    (tmp_path / "set.json").write_text(json.dumps({"featureset": {"features": features}}))
    (tmp_path / "names.txt").write_text("bm25\nclicks\n")
    (tmp_path / "item.profile").write_text("match-features {\n  bm25\n  clicks\n}\n")
    return [first, second]


@pytest.mark.parametrize("definition", ["set.json", "names.txt", "item.profile"])
def test_costs_writes_what_the_sieve_reads(ranksieve, profiles, tmp_path, definition):
    target = tmp_path / "costs.csv"
    line = ("costs", *profiles, "--featureset", tmp_path / definition, "-o", target)
    status, out, err = ranksieve(*line)
    assert (status, err) == (0, "")
    assert target.read_text() == "feature,cost\nbm25,3\nclicks,20\n"
    assert read_costs(target, ["clicks", "bm25"]).feature_prices().tolist() == [20, 3]
    assert "2 features, the median of 3 responses" in out
    # 3 ms of 75.
    assert "4% of the time belongs to no feature: the model, and collecting features 3 ms." in out
    assert ranksieve(*line)[0] == 1
    assert ranksieve(*line, "--force")[0] == 0


def test_costs_without_a_file_are_printed_alone_on_standard_output(ranksieve, profiles, tmp_path):
    line = ("costs", *profiles, "--featureset", tmp_path / "set.json")
    status, out, err = ranksieve(*line)
    assert (status, out) == (0, "feature,cost\nbm25,3\nclicks,20\n")
    assert "belongs to no feature" in err
    status, out, _ = ranksieve(*line, "--json")
    content = json.loads(out)
    assert content["features"][1] == {"feature": "clicks", "cost": 20.0, "measured": 3}
    assert content["unattributed"] == {"the model, and collecting features": 3.0}
    assert (content["responses"], content["unmeasured"], content["attributed"]) == (3, [], 72.0)


def test_features_without_a_cost_are_listed(ranksieve, tmp_path):
    path = tmp_path / "one.json"
    timed = {"feature": "a", "response": profile(1)}
    path.write_text(json.dumps(timed))
    (tmp_path / "names.txt").write_text("b\na\n")
    status, out, err = ranksieve("costs", path, "--featureset", tmp_path / "names.txt")
    assert (status, out) == (0, "feature,cost\na,2\n")
    assert "1 feature has no cost: b." in err


def test_costs_are_never_written_over_their_input(ranksieve, profiles, tmp_path):
    before = profiles[0].read_bytes()
    for name in (profiles[0], tmp_path / "set.json"):
        line = ("costs", profiles[0], "--featureset", tmp_path / "set.json", "-o", name, "--force")
        status, _, err = ranksieve(*line)
        assert status == 1
        assert "is read and cannot be written" in " ".join(err.replace("│", " ").split())
    assert profiles[0].read_bytes() == before
    assert ranksieve("costs", tmp_path / "absent.json")[0] == 1
    assert ranksieve("costs", profiles[0], "--featureset", tmp_path / "absent.json")[0] == 1
    assert ranksieve("costs", profiles[0], "-o", tmp_path / "costs.csv")[0] == 1
    assert not (tmp_path / "costs.csv").exists()
