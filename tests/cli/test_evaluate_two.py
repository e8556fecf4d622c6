"""ranksieve evaluate with two rankings of the same documents."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ranksieve import MAP, NDCG, load, make_ranking
from ranksieve.cli import main
from ranksieve.data import write_text
from ranksieve.evaluate import (
    bootstrap_difference,
    paired_t,
    randomisation_test,
    wilcoxon_test,
    win_tie_loss,
)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Data with two files of scores: noise, and noise that knows the grades a little."""
    folder = tmp_path_factory.mktemp("two")
    data, _ = make_ranking(30, 8, n_relevant=2, n_redundant=1, n_irrelevant=2, random_state=0)
    write_text(data, folder / "test.txt")
    rng = np.random.default_rng(0)
    for name, share in (("old.txt", 0.0), ("new.txt", 1.0)):
        scores = share * data.y + rng.normal(size=data.n_documents)
        (folder / name).write_text("".join(f"{score!r}\n" for score in scores.tolist()))
    return folder


@pytest.fixture
def ranksieve(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "400")

    def run(*arguments):
        with pytest.raises(SystemExit) as ending:
            main([str(argument) for argument in arguments])
        output = capsys.readouterr()
        return ending.value.code, output.out, " ".join(output.err.replace("│", "").split())

    return run


def by_query(files, measure, name):
    data, scores = load(files / "test.txt"), np.loadtxt(files / name)
    return measure.per_query(data.y, scores, qid=data.qid)


@pytest.mark.parametrize(
    ("options", "test"),
    [
        ((), paired_t),
        (("--test", "randomisation"), randomisation_test),
        (("--test", "wilcoxon"), wilcoxon_test),
    ],
)
def test_the_difference_is_paired_by_query_with_its_interval_and_test(
    ranksieve, files, options, test
):
    asked = ("evaluate", files / "test.txt", files / "old.txt", files / "new.txt")
    status, out, _ = ranksieve(*asked, "--json", *options)
    content = json.loads(out)
    assert status == 0
    assert content["difference"] == "new.txt minus old.txt"
    assert [row["measure"] for row in content["measures"]] == ["ndcg@10", "map"]
    for row, measure in zip(content["measures"], (NDCG(10), MAP()), strict=True):
        old, new = by_query(files, measure, "old.txt"), by_query(files, measure, "new.txt")
        interval = bootstrap_difference(new, old)
        assert row["means"] == [measure.mean(old), measure.mean(new)]
        assert (row["low"], row["high"]) == (interval.low, interval.high)
        assert row["difference"] == pytest.approx(row["means"][1] - row["means"][0])
        assert row["p"] == test(new, old).p_value
        assert (row["wins"], row["ties"], row["losses"]) == win_tie_loss(new, old)
        assert row["queries"] == interval.n == np.count_nonzero(~np.isnan(new))


def test_the_table_shows_both_means_and_what_is_taken_from_what(ranksieve, files):
    asked = ("evaluate", files / "test.txt", files / "old.txt", files / "new.txt")
    status, out, _ = ranksieve(*asked, "-m", "map", "--per-query")
    old, new = by_query(files, MAP(), "old.txt"), by_query(files, MAP(), "new.txt")
    interval = bootstrap_difference(new, old)
    line = next(line for line in out.splitlines() if line.startswith(" map"))
    assert status == 0
    assert line.split()[1:4] == [
        f"{np.nanmean(old):.4f}",
        f"{np.nanmean(new):.4f}",
        f"{interval.mean:+.4f}",
    ]
    assert f"{interval.low:+.4f} to {interval.high:+.4f}" in line
    assert "difference: new.txt minus old.txt" in out
    assert f"{old[0]:.4f}" in out


def test_the_sign_turns_with_the_order(ranksieve, files):
    asked = ("evaluate", files / "test.txt", files / "new.txt", files / "old.txt", "--json")
    content = json.loads(ranksieve(*asked)[1])
    assert all(row["difference"] < 0 for row in content["measures"])


def test_a_model_is_compared_with_itself_without_a_difference(ranksieve, files, tmp_path):
    model = tmp_path / "model.json"
    assert ranksieve("train", files / "test.txt", "-r", "RankSVM(C=0.01)", "-o", model)[0] == 0
    status, out, _ = ranksieve("evaluate", files / "test.txt", model, model, "--json")
    content = json.loads(out)
    assert status == 0
    assert [each["ranker"] for each in content["scores"]] == ["RankSVM(C=0.01)"] * 2
    for row in content["measures"]:
        assert (row["difference"], row["low"], row["high"], row["p"]) == (0.0, 0.0, 0.0, 1.0)


def test_one_query_has_a_difference_and_no_p(ranksieve, files, tmp_path):
    data = load(files / "test.txt").queries([0])
    write_text(data, tmp_path / "one.txt")
    for name in ("old.txt", "new.txt"):
        lines = (files / name).read_text().splitlines()[: data.n_documents]
        (tmp_path / name).write_text("\n".join(lines))
    asked = ("evaluate", tmp_path / "one.txt", tmp_path / "old.txt", tmp_path / "new.txt")
    assert ranksieve(*asked)[0] == 0
    (row, _) = json.loads(ranksieve(*asked, "--json")[1])["measures"]
    assert (row["queries"], row["p"], row["low"]) == (1, None, None)


@pytest.mark.parametrize(
    ("names", "options", "message"),
    [
        (("old.txt", "new.txt", "old.txt"), (), "there are 3: compare them in pairs"),
        (("old.txt",), ("--test", "t"), "give SCORES and OTHER"),
        (("-", "-"), (), "standard input ('-') has one of the two"),
    ],
)
def test_what_is_no_pair_is_refused(ranksieve, files, names, options, message):
    paths = [name if name == "-" else files / name for name in names]
    status, _, err = ranksieve("evaluate", files / "test.txt", *paths, *options)
    assert status == 2
    assert message in err.replace("\n", " ")
