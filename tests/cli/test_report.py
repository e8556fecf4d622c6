from __future__ import annotations

import csv
import io
import json
from collections import Counter

import pytest

from ranksieve import experiment
from ranksieve.cli import main
from ranksieve.cli._features import listed_features
from ranksieve.report.study.view import StudyView
from tests.report.studies import study


@pytest.fixture
def ranksieve(capsys, monkeypatch, tmp_path):
    """Run a command on results that are read from nowhere; return status, output and errors."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs.db").touch()
    results = study(data=("A",), methods=("GAS",), embedded=(), rankers=("R",), n_queries=6)
    monkeypatch.setattr(experiment, "read_results", lambda path, study: results)
    monkeypatch.setattr(experiment, "studies_in", lambda path: ["A: GAS; R"])

    def run(*arguments):
        with pytest.raises(SystemExit) as ending:
            main(["report", *map(str, arguments)])
        output = capsys.readouterr()
        return ending.value.code, output.out, " ".join(output.err.replace("│", "").split())

    return run


def test_the_ending_of_the_file_chooses_the_format(ranksieve, tmp_path):
    starts = {"a.html": "<!doctype html>", "a.md": "# ", "a.tex": "% Needs", "a.csv": "table,row"}
    for name, start in starts.items():
        status, out, _ = ranksieve("runs.db", "-o", tmp_path / name)
        assert status == 0
        assert out == f"Written to {tmp_path / name}.\n"
        assert (tmp_path / name).read_text().startswith(start)


def test_tables_are_printed_without_a_file(ranksieve):
    status, out, _ = ranksieve("runs.db", "--format", "csv", "--measure", "map")
    lines = list(csv.DictReader(io.StringIO(out)))
    assert status == 0
    assert {line["measure"] for line in lines} == {"map", ""}


def test_a_one_sided_test_is_asked_for_by_its_side(ranksieve):
    def p_values(*options):
        status, out, _ = ranksieve("runs.db", "--format", "csv", "--measure", "map", *options)
        assert status == 0
        lines = csv.DictReader(io.StringIO(out))
        name = ", ".join(("p", *options[1:]))
        return [
            float(line["value"]) for line in lines if line["quantity"] == name and line["value"]
        ]

    above, below = p_values("--alternative", "greater"), p_values("--alternative", "less")
    assert [one + other for one, other in zip(above, below, strict=True)] == pytest.approx(
        [1.0] * len(above)
    )
    doubled = [2 * min(pair) for pair in zip(above, below, strict=True)]
    assert p_values() == pytest.approx(doubled)


def test_figures_alone_need_no_file(ranksieve, tmp_path, monkeypatch):
    few = {"data": ("A",), "methods": ("GAS",), "embedded": (), "rankers": ("R",), "n_queries": 6}
    results = study(**few, numbers=(1, 2), n_features=4, n_folds=2, traces=False)
    monkeypatch.setattr(experiment, "read_results", lambda path, study: results)
    arguments = ("runs.db", "--figures", tmp_path / "f", "--measure", "map")
    status, out, errors = ranksieve(*arguments)
    assert (status, out) == (0, "")
    assert "figures written to" in errors
    assert (tmp_path / "f" / "features-a-r.svg").exists()
    status, _, errors = ranksieve(*arguments)
    assert status == 1
    assert "--force" in errors
    assert ranksieve(*arguments, "-f")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "a page needs a file: give -o report.html"),
        (("--format", "md", "--reference", "GSA"), "did you mean 'GAS'?"),
        (("--format", "md", "--measure", "mapp"), "did you mean 'map'?"),
        (("--format", "md", "--figure-format", "svg"), "needs --figures FOLDER"),
        (("-o", "nowhere/report.html"), "its folder does not exist"),
        (("-o", "report.json"), "must be .html, .htm, .md, .tex or .csv, but is .json"),
        (("-o", "report"), "must be .html, .htm, .md, .tex or .csv, but is absent"),
    ],
)
def test_mistakes_are_named_before_any_work(ranksieve, arguments, message):
    status, out, errors = ranksieve("runs.db", *arguments)
    assert (status, out) == (1, "")
    assert message in errors


def test_an_existing_file_is_replaced_only_by_force(ranksieve, tmp_path):
    target = tmp_path / "report.md"
    target.write_text("mine")
    status, _, errors = ranksieve("runs.db", "-o", target)
    assert status == 1
    assert "exists" in errors
    assert target.read_text() == "mine"
    assert ranksieve("runs.db", "-o", target, "--force", "--title", "Ours")[0] == 0
    assert target.read_text().startswith("# Ours")


def test_the_store_itself_is_never_written(ranksieve, tmp_path):
    store = tmp_path / "runs.db"
    store.write_text("trials")
    status, _, errors = ranksieve(store, "-o", store, "-f")
    assert status == 1
    assert "is the data itself" in errors


def test_of_several_studies_the_last_is_shown_and_all_are_named(ranksieve, monkeypatch):
    results = study(data=("A",), methods=("GAS",), embedded=(), rankers=("R",), n_queries=6)
    asked = []
    monkeypatch.setattr(experiment, "studies_in", lambda path: ["first", "second"])
    monkeypatch.setattr(
        experiment, "read_results", lambda path, study: asked.append(study) or results
    )
    status, _, errors = ranksieve("runs.db", "--format", "csv")
    assert status == 0
    assert "holds 2 studies" in errors
    assert "1. first 2. second" in errors
    assert ranksieve("runs.db", "--format", "csv", "--study", "1")[2] == ""
    assert asked == [-1, 0]


def test_a_store_that_is_absent_is_said_first(ranksieve):
    status, _, errors = ranksieve("nope.db")
    assert status == 1
    assert "nope.db does not exist" in errors


def test_a_study_that_is_not_there_is_said_with_those_that_are(ranksieve):
    status, _, errors = ranksieve("runs.db", "--format", "csv", "--study", "4")
    assert status == 1
    assert "--study 4: runs.db holds 1. 1. A: GAS; R." in errors


def features_of(path):
    return json.loads(path.read_text())


def test_the_margin_of_the_summary_is_an_option(ranksieve):
    _, usual, _ = ranksieve("runs.db", "--format", "md")
    _, large, _ = ranksieve("runs.db", "--format", "md", "--margin", "0.5")
    assert "stays above -0.01" in usual or "above -0.01. The nearest" in usual
    assert "stays above -0.5" in large
    status, _, errors = ranksieve("runs.db", "--format", "md", "--margin", "0")
    assert status == 2
    assert "--margin" in errors


def test_features_of_the_smallest_set_are_written_for_train_and_select(ranksieve, tmp_path):
    target = tmp_path / "features.json"
    asked = ("runs.db", "--features-out", target, "--margin", "0.5", "--measure", "map")
    status, out, errors = ranksieve(*asked)
    results = experiment.read_results("runs.db", study=-1)
    view = StudyView.of(results, margin=0.5, measures=["map"])
    smallest = view.smallest["A", "map"].fewest.outcome
    content = features_of(target)
    assert (status, out) == (0, "")
    assert f"{len(content['selected'])} features of GAS + R" in errors
    assert content["method"] == smallest.name
    assert len(content["selected"]) == smallest.number
    assert listed_features(str(target)) == tuple(content["selected"])
    assert ranksieve(*asked)[0] == 1
    assert ranksieve(*asked, "-f")[0] == 0


def test_features_of_a_row_are_those_that_most_folds_chose(ranksieve, tmp_path):
    results = experiment.read_results("runs.db", study=-1)
    for number in (None, 5):
        target = tmp_path / f"features-{number}.json"
        asked = () if number is None else ("--number", number)
        row = ("--row", "GAS + R", *asked)
        assert ranksieve("runs.db", "--features-out", target, *row)[0] == 0
        rows = results.chosen if number is None else results.curves
        (outcome,) = (one for one in rows if (one.name, one.number) == ("GAS + R", number))
        chosen = [fold.features.tolist() for fold in outcome.folds]
        times = Counter(feature for of_fold in chosen for feature in of_fold)
        content = features_of(target)
        assert len(content["selected"]) == round(float(outcome.n_features.mean()))
        indices = [int(name.removeprefix("feature_")) for name in content["selected"]]
        least = min(times[index] for index in indices)
        assert all(times[other] <= least for other in set(times) - set(indices))
        assert {entry["index"]: entry["folds"] for entry in content["order"]} == times


@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        (("--row", "GSA + R"), 1, "did you mean 'GAS + R'?"),
        (("--row", "GAS", "--number", "4"), 1, "was not tried with 4 features, but with 1, 2, 3"),
        (("--number", "4"), 2, "--number goes with --row"),
        (("--row", "GAS", "--number", "few"), 2, "is no number of features, and not 'all'"),
        (("--data", "B"), 1, "the study has no data set 'B'"),
        (("--reference", "GAS"), 1, "no result on A has fewer features than the reference"),
    ],
)
def test_features_that_cannot_be_told_are_not_written(
    ranksieve, tmp_path, options, status, message
):
    target = tmp_path / "features.json"
    ended, _, errors = ranksieve("runs.db", "--features-out", target, *options)
    assert ended == status
    assert message in errors
    assert not target.exists()


def test_a_row_without_a_file_for_its_features_is_refused(ranksieve):
    status, _, errors = ranksieve("runs.db", "--format", "md", "--row", "GAS")
    assert status == 2
    assert "are for --features-out FILE" in errors
