"""`ranksieve select` with methods that select by the weights of a sparse model."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from ranksieve import SparseRankSVM, catalog, load
from ranksieve.progress import listening
from tests.cli.test_select_validation import letor, run  # noqa: F401 - a fixture


def rows(out):
    """The cells of a printed table: the lines that begin with a rank."""
    cells = [line.split() for line in out.splitlines()]
    return [line for line in cells if line and line[0].isdigit() and len(line) == 4]


def test_a_number_of_features_is_met_by_the_model_itself(capsys, letor):  # noqa: F811
    status, out, err = run(capsys, "select", letor, "-m", 'SparseRankSVM(penalty="mcp")', "-k", 5)
    svm = SparseRankSVM("mcp", n_features_to_select=5).fit(load(letor))
    names = load(letor).feature_names
    assert (status, err) == (0, "")
    assert [row[1] for row in rows(out)] == [names[feature] for feature in svm.order_[:5]]
    assert [row[3] for row in rows(out)] == [f"{svm.coef_[f]:.4g}" for f in svm.order_[:5]]
    assert "5 of 8 features" in out
    assert f"Strength {svm.strength_:.4g}." in out


def test_without_a_number_all_features_with_a_weight_are_shown(capsys, letor, monkeypatch):  # noqa: F811
    monkeypatch.setenv("COLUMNS", "200")
    status, out, _ = run(capsys, "select", letor, "-m", 'SparseRankSVM("mcp", n_strengths=8)')
    svm = SparseRankSVM("mcp", n_strengths=8).fit(load(letor))
    validated = svm.cross_validation_
    mean = validated.means[validated.numbers == svm.strength_][0]
    assert status == 0
    assert len(rows(out)) == svm.n_features_ == np.count_nonzero(svm.coef_)
    assert f"{svm.n_features_} of 8 features" in out
    assert f"chosen by 5 folds of queries: mean ndcg@10 {mean:.4f}." in out


def test_json_has_weights_the_strength_and_how_the_solver_ended(capsys, letor):  # noqa: F811
    method = 'SparseRankSVM(penalty="lp(p=0.3)", strength=0.01)'
    status, out, _ = run(capsys, "select", letor, "-m", method, "--json")
    svm = SparseRankSVM("lp(p=0.3)", 0.01).fit(load(letor))
    content = json.loads(out)
    assert status == 0
    assert len(content["selected"]) == svm.n_features_
    assert [row["weight"] for row in content["order"]] == svm.coef_[svm.order_].tolist()
    assert [row["score"] for row in content["order"]] == svm.scores_[svm.order_].tolist()
    assert content["search"]["strength"] == 0.01
    assert content["search"]["converged"] is True
    assert content["search"]["gap"] == svm.gap_
    assert "cross_validation" not in content


def test_json_has_the_curve_over_strengths(capsys, letor):  # noqa: F811
    method = 'SparseRankSVM(rule="one-standard-error", measure="map", n_strengths=6)'
    _, out, _ = run(capsys, "select", letor, "-m", method, "--json")
    content = json.loads(out)["cross_validation"]
    assert (content["measure"], content["rule"], content["folds"]) == (
        "map",
        "one-standard-error",
        5,
    )
    assert len(content["curve"]) == 6
    assert content["chosen"] in [point["strength"] for point in content["curve"]]
    assert content["chosen"] >= content["best"]


@pytest.mark.parametrize(
    ("method", "words"),
    [
        (
            'FSMRank("cv", "cv", {o})',
            "Importance strength {b:.4g} and similarity strength {a:.4g}, ",
        ),
        (
            'FSMRank("cv", 0.01, {o})',
            "Importance strength 0.01; similarity strength {a:.4g}, chosen",
        ),
        (
            'FSMRank("cv", n_features_to_select=2, {o})',
            "; similarity strength {a:.4g}, chosen by 3",
        ),
    ],
)
def test_both_strengths_of_fsmrank_are_said(capsys, letor, monkeypatch, method, words):  # noqa: F811
    monkeypatch.setenv("COLUMNS", "300")
    text = method.format(o="n_folds=3, n_strengths=4")
    fsm = catalog.parse(text, "selectors").fit(load(letor))
    status, out, _ = run(capsys, "select", letor, "-m", text)
    assert status == 0
    assert words.format(a=fsm.similarity_strength_, b=fsm.importance_strength_) in out
    _, out, _ = run(capsys, "select", letor, "-m", text, "--json")
    content = json.loads(out)["cross_validation"]
    assert content["chosen_similarity_strength"] == fsm.similarity_strength_
    assert len(content["curve"]) == len(fsm.cross_validation_.means)
    assert set(content["curve"][0]) >= {"similarity_strength", "importance_strength", "mean"}


def test_a_strength_that_leaves_no_feature_says_what_to_do(capsys, letor, monkeypatch):  # noqa: F811
    monkeypatch.setenv("COLUMNS", "200")
    status, out, _ = run(capsys, "select", letor, "-m", "SparseRankSVM(strength=50)")
    assert status == 0
    assert "0 of 8 features" in out
    assert "all weights are 0, so no feature is kept. Take a smaller one, or -k" in out


@pytest.mark.parametrize("method", ["FenchelRank(radius=1.0)", "FSMRank(0.1, 0.01)", "FSMSVM(3)"])
def test_other_embedded_methods_show_their_weights_too(capsys, letor, method):  # noqa: F811
    status, out, _ = run(capsys, "select", letor, "-m", method, "--json")
    content = json.loads(out)
    assert status == 0
    assert all(row["weight"] != 0.0 for row in content["order"][: len(content["selected"])])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-m", 'SparseRankSVM(penalty="l9")'], "unknown penalty 'l9': did you mean"),
        (["-m", 'SparseRankSVM(penalty="mcp(gama=1)")'], "did you mean 'gamma'?"),
        (["-m", 'SparseRankSVM(strength="abc")'], "strength must be a number above 0"),
        (["-m", 'SparseRankSVM(loss="hinge")'], "loss must be 'squared-hinge' or 'logistic'"),
        (["-m", "SparseRankSVM", "-k", "1.5"], "share between 0 and 1, 'validation', but is 1.5"),
        (["-m", "SparseRankSVM", "-k", "auto"], "'validation', but is 'auto'"),
    ],
)
def test_mistakes_end_in_one_panel(capsys, letor, monkeypatch, arguments, message):  # noqa: F811
    monkeypatch.setenv("COLUMNS", "300")
    status, out, err = run(capsys, "select", letor, *arguments)
    assert status == 1
    assert message in err
    assert err.count("Error") == 1
    assert "Traceback" not in out + err


def test_a_missed_tolerance_is_a_plain_warning_on_standard_error(capsys, letor):  # noqa: F811
    method = "SparseRankSVM(strength=0.001, max_iter=1)"
    status, out, err = run(capsys, "select", letor, "-m", method)
    assert status == 0
    assert err.startswith("Warning: SparseRankSVM ended after 1 steps")
    assert "Warning" not in out


def test_progress_of_folds_and_paths_is_on_standard_error(capsys, letor, monkeypatch):  # noqa: F811
    output = io.StringIO()
    terminal = Console(file=output, force_terminal=True, width=80)
    monkeypatch.setattr("ranksieve.cli._progress.Console", lambda **_: terminal)
    monkeypatch.setattr("ranksieve.cli._progress._PATIENCE", 0.0)
    monkeypatch.setattr("ranksieve.cli._progress._REFRESH", 0.001)
    _, out, _ = run(capsys, "select", letor, "-m", "SparseRankSVM(n_strengths=5)", "--json")
    json.loads(out)
    labels = set()
    with listening(lambda label, done, total: labels.add(label)):
        SparseRankSVM(n_strengths=5).fit(load(letor))
    assert {"folds", "path"} <= labels
    assert "━" in output.getvalue()


def test_json_names_what_the_curve_is_over(capsys, letor):  # noqa: F811
    _, out, _ = run(capsys, "select", letor, "-m", "FenchelRank(n_strengths=4)", "--json")
    assert "radius" in json.loads(out)["cross_validation"]["curve"][0]
    _, out, _ = run(capsys, "select", letor, "-m", "FSMSVM(2, n_strengths=4)", "--json")
    content = json.loads(out)
    assert "importance_strength" in content["cross_validation"]["curve"][0]
    assert content["search"]["converged"] is True


def test_one_grade_is_not_blamed_on_the_strength(capsys, letor, tmp_path):  # noqa: F811
    flat = tmp_path / "flat.txt"
    rows = [line.split(" ", 1)[1] for line in Path(letor).read_text().splitlines()]
    flat.write_text("".join(f"1 {row}\n" for row in rows))
    _, out, _ = run(capsys, "select", str(flat), "-m", "SparseRankSVM")
    assert "Do the grades differ" in " ".join(out.split())
    assert "Strength" not in out
