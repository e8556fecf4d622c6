from __future__ import annotations

import json

import pytest

from ranksieve import GAS, LightGBMRanker, RankBoost, TopK, load, make_ranking
from ranksieve.choices import Validation
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
    curve = GAS(asked, importance="ndcg@10").fit(load(letor)).validation_
    text = " ".join(out.split())
    assert status == 0
    assert f"Validation chose {curve.chosen}: {reason}" in text
    assert f"Means by number of features: 1: {curve.means[0]:.4f}, " in text
    assert f"8: {curve.means[-1]:.4f}." in text


def test_json_has_the_whole_curve(capsys, letor):
    _, out, _ = run(capsys, "select", letor, "-k", "validation", "--json")
    content = json.loads(out)
    curve = GAS("validation", importance="ndcg@10").fit(load(letor)).validation_
    assert len(content["selected"]) == content["validation"]["chosen"] == curve.chosen
    assert [row["mean"] for row in content["validation"]["curve"]] == curve.means.tolist()


def test_other_text_is_refused(capsys, letor):
    status, _, err = run(capsys, "select", letor, "-k", "ten")
    assert status == 2
    assert "'ten' is no number, no share, and neither 'validation' nor" in " ".join(err.split())


def test_a_ranker_of_ones_own_judges_the_numbers_of_features(capsys, letor):
    asked = ("select", letor, "-m", "TopK", "-k", "validation", "--json")
    _, out, _ = run(capsys, *asked, "--ranker", "RankBoost(n_rounds=5)")
    content = json.loads(out)
    curve = TopK(n_features_to_select=Validation(RankBoost(n_rounds=5))).fit(load(letor))
    assert "RankBoost(n_rounds=5)" in content["method"]
    means = [row["mean"] for row in content["validation"]["curve"]]
    assert means == curve.validation_.means.tolist()
    by_default = json.loads(run(capsys, *asked)[1])["validation"]["curve"]
    assert means != [row["mean"] for row in by_default]


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("-k", "2", "--ranker", "RankSVM"), 2, "are for `-k validation`"),
        (("-k", "validation", "--ranker", "GAS"), 1, "GAS selects features and does not rank"),
        (("-m", "RankSVM"), 1, "RankRFE(RankSVM()) selects by it"),
    ],
)
def test_a_ranker_that_cannot_judge_is_refused(capsys, letor, arguments, status, message):
    ended, _, err = run(capsys, "select", letor, *arguments)
    assert ended == status
    assert message in " ".join(err.replace("│", "").split())


def test_few_queries_that_choose_are_warned_of(capsys, letor, tmp_path):
    _, out, err = run(capsys, "select", letor, "-m", "TopK", "-k", "validation", "--json")
    chosen = json.loads(out)["validation"]["chosen"]
    assert f"only 6 queries chose the number of features, {chosen}" in err
    many, _ = make_ranking(60, n_relevant=3, n_redundant=2, n_irrelevant=3, random_state=5)
    write_text(many, tmp_path / "vali.txt")
    asked = ("-m", "TopK", "-k", "validation", "--validation", tmp_path / "vali.txt", "--json")
    _, out, err = run(capsys, "select", letor, *asked)
    assert json.loads(out)["validation"]["queries"] >= 50
    assert "chose the number" not in err


@pytest.mark.parametrize(
    ("grade_of", "words"),
    [(lambda qid: 1, "all 300 grades of"), (lambda qid: int(qid) % 2, "no query of")],
)
def test_grades_that_are_equal_in_every_query_are_warned_of(
    capsys, letor, tmp_path, grade_of, words
):
    lines = [line.split(" ", 2)[1:] for line in letor.read_text().splitlines()]
    flat = tmp_path / "flat.txt"
    flat.write_text("".join(f"{grade_of(qid[4:])} {qid} {rest}\n" for qid, rest in lines))
    status, out, err = run(capsys, "select", flat, "--json")
    assert status == 0
    assert json.loads(out)["selected"]
    assert words in err.replace(f"{len(lines)} grades", "300 grades")
    assert "the order of the features says nothing" in err
    assert run(capsys, "select", letor)[2] == ""


def test_the_default_importance_is_the_measure_that_rankers_stop_by(capsys, letor):
    content = json.loads(run(capsys, "select", letor, "--json")[1])
    assert content["method"] == repr(GAS(importance=LightGBMRanker().get_params()["measure"]))
