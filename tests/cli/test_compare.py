"""ranksieve compare on the command line."""

from __future__ import annotations

import json
import sqlite3
import sys
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

from ranksieve import make_ranking
from ranksieve.cli import main
from ranksieve.cli.compare import split
from ranksieve.data import write_text
from ranksieve.evaluate import bootstrap_difference
from ranksieve.experiment import read_results

PARTS = {"train": range(16), "vali": range(16, 22), "test": range(22, 30)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data set with two folds of generated queries."""
    root = tmp_path_factory.mktemp("small")
    for number in (1, 2):
        data, _ = make_ranking(
            30, 8, n_relevant=2, n_redundant=1, n_irrelevant=3, random_state=number
        )
        (root / f"Fold{number}").mkdir()
        for part, queries in PARTS.items():
            write_text(data.queries(list(queries)), root / f"Fold{number}" / f"{part}.txt")
    return root


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    return int(ended.value.code or 0)


def test_it_shows_the_plan_then_the_results_and_does_nothing_the_second_time(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "runs.db"
    asked = (
        *("compare", folder, "--selectors", "GAS(balance=[0, 0.1]),SparseRankSVM"),
        *("--rankers", "RankSVM(C=[0.01, 1])", "--k", "2,all", "--store", store, "-w", "1"),
    )
    assert run(*asked) == 0
    first = capsys.readouterr()
    # Two folds: 2 plain, 2 x 2 x 2 of GAS, 21 x 2 weights and 2 x 2 refitted ones.
    assert f"{2 * (2 + 8 + 42 + 4)} trials, {2 * (2 + 8 + 42 + 4)} to do" in first.err
    assert "GAS + RankSVM" in first.out
    assert "SparseRankSVM, refit + RankSVM" in first.out
    assert run(*asked) == 0
    second = capsys.readouterr()
    assert "all of them in the store" in second.err
    assert second.out == first.out


def test_rankers_may_be_tuned_first_and_the_plan_says_how_few_trials_that_takes(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "runs.db"
    asked = (
        *("compare", folder, "--selectors", "GAS(balance=[0, 0.1])", "--tune", "ranker-first"),
        *("--rankers", "RankSVM(C=[0.01, 1])", "--k", "2,all", "--store", store, "-w", "1"),
    )
    assert run(*asked) == 0
    first = capsys.readouterr()
    # Two folds: 2 plain, then 2 x 2 of GAS with one setting of the ranker.
    assert "12 trials, 12 to do" in first.err
    assert "chosen by ndcg@10 on validation; rankers first, with all features" in first.err
    assert sqlite3.connect(store).execute("SELECT count(*) FROM trial").fetchone() == (12,)
    assert run(*asked) == 0
    assert "12 trials, all of them in the store" in capsys.readouterr().err
    assert run("compare", folder, "-s", "GAS", "--tune", "both", "--store", store) != 0


def test_the_plan_alone_trains_and_writes_nothing(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "runs.db"
    assert run("compare", folder, "-s", "GAS", "--store", store, "--plan") == 0
    said = capsys.readouterr()
    assert "to do, about" in said.err
    assert said.out == ""
    assert not store.exists()


@pytest.mark.parametrize("begun", [False, True])
def test_ctrl_c_says_that_what_was_finished_is_kept_once_trials_have_begun(
    begun: bool,
    folder: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupted(*_: object, **options: object) -> None:
        raise KeyboardInterrupt

    step = "run_plan" if begun else "make_plan"
    monkeypatch.setattr(f"ranksieve.experiment.comparison.{step}", interrupted)
    arguments = ("compare", folder, "-s", "none", "-k", "all", "--store", tmp_path / "runs.db")
    assert run(*arguments, "-r", "RankSVM(C=1)") == 130
    assert ("What was finished is kept" in capsys.readouterr().err) is begun


def test_json_has_unrounded_means_and_the_rows_that_they_come_from(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "runs.db"
    options = ("-s", "none", "-r", "RankSVM(C=[0.01, 1])", "--store", store, "-w", "1", "--json")
    assert run("compare", folder, *options) == 0
    content = json.loads(capsys.readouterr().out)
    assert content["trials"] == 4
    (chosen,) = content["chosen"]
    assert chosen["method"] == "all features"
    rows = sqlite3.connect(store).execute("SELECT id, ranker FROM trial").fetchall()
    assert {(fold["trial"], fold["ranker"]) for fold in chosen["folds"]} <= set(rows)


def test_a_study_in_a_file_is_read_and_options_replace_what_it_says(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "study.toml"
    config.write_text(
        f'data = ["{folder.as_posix()}"]\nk = [1, 2, "all"]\n'
        '[selectors]\n"mine" = "TopK(\'map\')"\n[rankers]\nSVM = "RankSVM(C=0.1)"\n'
    )
    options = ("--config", config, "--k", "2", "--store", tmp_path / "runs.db", "-w", "1")
    assert run("compare", *options) == 0
    said = capsys.readouterr()
    assert "mine + SVM" in said.out
    assert "numbers of features: 2;" in said.err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--selectors", "GASS"), "did you mean 'GAS'?"),
        (("--selectors", "GAS", "--rankers", "RankSWM"), "did you mean 'RankSVM'?"),
        (("--selectors", "GAS", "--k", "0"), "from 1 on, or 'all'"),
        (("--selectors", "GAS", "--k", "ten"), "from 1 on, or 'all'"),
        (("--selectors", "GAS(balance=[])"), "is empty"),
        (("--selectors", "GAS", "--measures", "ndgc@10"), "did you mean"),
        (("--selectors", "GAS", "--variants", "wieghts"), "did you mean 'weights'?"),
        (("--selectors", "GAS,GAS"), "two methods are called 'GAS'"),
        (("--config", "leter"), "did you mean 'letor'?"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_done(
    folder: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    options: tuple[str, ...],
    said: str,
) -> None:
    store = tmp_path / "runs.db"
    assert run("compare", folder, *options, "--store", store) == 1
    assert said in " ".join(capsys.readouterr().err.replace("│", " ").split())
    assert not store.exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--selectors", "GAS", "--store", "x.db"), "give DATA"),
        (("--config", "letor", "--quick", "--store", "x.db"), "--quick goes with DATA"),
        (("folder", "--selectors", "GAS"), "--store FILE is needed"),
    ],
)
def test_what_is_missing_is_a_matter_of_usage(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], said: str
) -> None:
    assert run("compare", *arguments) == 2
    assert said in capsys.readouterr().err


def test_commas_inside_brackets_and_quotes_do_not_separate() -> None:
    assert split("A(b=[1, 2], c='x,y'), D , ,E") == ["A(b=[1, 2], c='x,y')", "D", "E"]


def test_a_parquet_file_is_cut_into_folds_and_its_columns_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, _ = make_ranking(30, 8, n_relevant=2, n_redundant=1, n_irrelevant=3)
    table = pyarrow.table(
        {"label": data.y, "search": data.qid, **{f"f{n}": data.X[:, n] for n in range(6)}}
    )
    pyarrow.parquet.write_table(table, tmp_path / "clicks.parquet")
    options = ("-s", "TopK", "-r", "RankSVM(C=0.1)", "--store", tmp_path / "runs.db", "-w", "1")
    named = ("--grade", "label", "--query", "search")
    assert run("compare", tmp_path / "clicks.parquet", *named, "--k", "2,all", *options) == 0
    said = capsys.readouterr()
    size = f"30 queries, {data.n_documents} documents, 6 features, in 5 folds"
    assert f"clicks.parquet, 5 folds: {size}" in said.err
    assert "TopK + RankSVM" in said.out


def test_a_ranker_whose_package_is_absent_is_said_before_anything_is_done(
    folder: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    store = tmp_path / "runs.db"
    assert run("compare", folder, "-s", "GAS", "-r", "LightGBMRanker", "--store", store) == 1
    assert "pip install 'ranksieve[lightgbm]'" in " ".join(
        capsys.readouterr().err.replace("│", " ").split()
    )
    assert not store.exists()


def test_it_takes_train_validation_and_test_one_by_one(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    train, vali, test = (folder / "Fold1" / f"{part}.txt" for part in PARTS)
    rest = ("-s", "TopK", "-r", "RankSVM(C=[0.01, 1])", "-k", "2", "-w", "1")
    store = ("--store", tmp_path / "runs.db")
    assert run("compare", train, "--test", test, "--validation", vali, *rest, *store) == 0
    assert run("compare", folder / "Fold1", *rest, *store) == 0
    assert "all of them in the store" in capsys.readouterr().err  # the same three parts
    assert run("compare", train, "--test", test, *rest, *store) == 1
    said = capsys.readouterr().err.replace("│\n│", "").replace("\n", " ")
    assert "--validation-share 0.2" in " ".join(said.split())
    assert run("compare", train, "--test", test, "--validation-share", "0.2", *rest, *store) == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("{train}", "--validation", "{vali}"), "--validation goes with --test"),
        (("{train}", "{vali}", "--test", "{test}"), "goes with one DATA, the train part, not 2"),
        (("--config", "letor", "--test", "{test}"), "--test goes with DATA"),
    ],
)
def test_parts_that_do_not_go_together_are_a_mistake_of_usage(
    folder: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    message: str,
) -> None:
    paths = {part: folder / "Fold1" / f"{part}.txt" for part in PARTS}
    line = [argument.format(**paths) for argument in arguments]
    assert run("compare", *line, "-s", "TopK", "--store", tmp_path / "runs.db") == 2
    assert message in capsys.readouterr().err


def test_the_table_has_the_difference_to_all_features_with_its_interval(
    folder: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    store = tmp_path / "runs.db"
    asked = (
        *("compare", folder, "-s", "TopK,SparseRankSVM(strength=[0.01])", "--k", "1,2"),
        *("-r", "RankSVM(C=0.1)", "--store", store, "-w", "1"),
    )
    assert run(*asked, "--json") == 0
    chosen = {one["method"]: one for one in json.loads(capsys.readouterr().out)["chosen"]}
    assert "difference" not in chosen["all features"]
    results = read_results(store)
    outcomes = {one.method: one for one in results.chosen}
    ours, theirs = outcomes["TopK"], outcomes["all features"]
    interval = bootstrap_difference(
        ours.by_query("ndcg@10"), theirs.by_query("ndcg@10"), n_resamples=1000
    )
    difference = chosen["TopK"]["difference"]
    assert difference["reference"] == "all features + RankSVM(C=0.1)"
    assert difference["mean"] == pytest.approx(ours.mean("ndcg@10") - theirs.mean("ndcg@10"))
    # Both folds test eight queries, so the mean over folds is that over queries.
    assert (difference["low"], difference["high"]) == pytest.approx((interval.low, interval.high))
    assert chosen["SparseRankSVM"]["difference"]["reference"] == difference["reference"]

    assert run(*asked) == 0
    out = capsys.readouterr().out
    line = next(line for line in out.splitlines() if line.startswith(" TopK"))
    assert f"{difference['mean']:+.4f}  {difference['low']:+.4f} to" in line
    assert "difference: by ndcg@10, to all features with the same ranker" in out
    assert "validation kept everything" not in out


def test_the_table_says_where_validation_kept_everything(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ("-s", "TopK", "-r", "RankSVM(C=0.1)", "--k", "all", "--store", tmp_path / "runs.db")
    assert run("compare", folder, *asked, "-w", "1", "--json") == 0
    chosen = {one["method"]: one for one in json.loads(capsys.readouterr().out)["chosen"]}
    assert chosen["TopK"]["folds_that_kept_everything"] == 2
    assert "folds_that_kept_everything" not in chosen["all features"]
    assert run("compare", folder, *asked, "-w", "1") == 0
    lines = capsys.readouterr().out.splitlines()
    (line,) = (line for line in lines if line.startswith(" TopK"))
    assert "+0.0000" in line
    assert line.rstrip().endswith("validation kept everything")


def test_without_all_features_there_is_no_difference_to_show(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ("-s", "SparseRankSVM(strength=0.01)", "-r", "none", "--variants", "weights")
    assert run("compare", folder, *asked, "--store", tmp_path / "runs.db", "-w", "1") == 0
    out = capsys.readouterr().out
    assert "SparseRankSVM" in out
    assert "difference" not in out


def test_without_selectors_filters_by_the_first_measure_and_sparse_models_are_compared(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("compare", folder, "--measures", "ndcg@5,map", "--plan") == 0
    filters = "TopK(importance='ndcg@5') (1), GAS(importance='ndcg@5') (6)"
    assert f"{filters}, SparseRankSVM (21), FSMRank (66)" in capsys.readouterr().err


def test_quick_leaves_out_what_takes_long_and_says_so(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("compare", folder, "--quick", "--plan") == 0
    plan = capsys.readouterr().err
    assert "--quick leaves out: numbers of features 1, 2 (--k); settings of rankers" in plan
    assert "FSSCPR" in plan
    assert "LightGBMRanker" in plan
    assert "numbers of features: 5, 10, 20, all;" in plan
    assert "rankers first, with all features" in plan
    own = ("-s", "GAS", "--k", "1,2", "--tune", "joint")
    assert run("compare", folder, "--quick", "--plan", *own) == 0
    plan = capsys.readouterr().err
    assert "numbers of features: 1, 2;" in plan
    assert "rankers first" not in plan
    assert "--tune joint" not in plan
