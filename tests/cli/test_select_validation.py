from __future__ import annotations

import json

import pytest

from ranksieve import GAS, load, make_ranking
from ranksieve.cli import main
from ranksieve.data import write_text


@pytest.fixture(scope="module")
def letor(tmp_path_factory):
    data, _ = make_ranking(30, n_relevant=3, n_redundant=2, n_irrelevant=3, random_state=0)
    path = tmp_path_factory.mktemp("letor") / "train.txt"
    write_text(data, path)
    return path


def run(capsys, *arguments):
    with pytest.raises(SystemExit) as ending:
        main([str(argument) for argument in arguments])
    output = capsys.readouterr()
    return ending.value.code, output.out, output.err


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ("validation", "the best mean of ndcg@10 on 6 queries"),
        ('Validation(measure="map")', "the best mean of map on 6 queries"),
        ('Validation(rule="one-standard-error")', "the fewest within one standard error of"),
    ],
)
def test_the_table_says_which_number_was_chosen_and_why(capsys, letor, monkeypatch, asked, reason):
    monkeypatch.setenv("COLUMNS", "400")
    status, out, _ = run(capsys, "select", letor, "-k", asked)
    curve = GAS(asked).fit(load(letor)).validation_
    text = " ".join(out.split())
    assert status == 0
    assert f"Validation chose {curve.chosen}: {reason}" in text
    assert f"Means by number of features: 1: {curve.means[0]:.4f}, " in text
    assert f"8: {curve.means[-1]:.4f}." in text


def test_json_has_the_whole_curve(capsys, letor):
    _, out, _ = run(capsys, "select", letor, "-k", "validation", "--json")
    content = json.loads(out)
    curve = GAS("validation").fit(load(letor)).validation_
    assert len(content["selected"]) == content["validation"]["chosen"] == curve.chosen
    assert [row["mean"] for row in content["validation"]["curve"]] == curve.means.tolist()


def test_other_text_is_refused(capsys, letor):
    status, _, err = run(capsys, "select", letor, "-k", "ten")
    assert status == 2
    assert "'ten' is no number, no share, and neither 'validation' nor" in " ".join(err.split())
