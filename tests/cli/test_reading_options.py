"""Every command that reads data takes the same options, and applies them."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest

from ranksieve import RankSVM, load, make_ranking
from ranksieve.cli import _group, main
from ranksieve.cli._data import READING
from ranksieve.data import write_text
from ranksieve.experiment import Store, Study
from ranksieve.sources import as_source

# Commands that take no ranking data: whoever adds one that does has the options for free.
WITHOUT_DATA = {"costs", "demo", "export", "extract", "report", "warm"}
# Commands whose documents must stay in the order of the file.
IN_ORDER = {"convert", "evaluate", "predict"}
CHOOSING = {"compare", "select", "train"}


def names() -> list[str]:
    every = _group.list_commands(click.Context(_group))
    return [name for name in every if name not in WITHOUT_DATA]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same data as plain text, and as a table that no command can read without options."""
    root = tmp_path_factory.mktemp("data")
    data, _ = make_ranking(24, 6, n_relevant=2, n_redundant=0, n_irrelevant=2, random_state=0)
    write_text(data, root / "plain.txt")
    ids = [f"q{qid}" for qid in data.qid]
    rows = list(zip(data.y, ids, data.X.tolist(), strict=True))
    lines = [f"a.com,{qid},{y:g},{','.join(map(repr, row))}" for y, qid, row in rows]
    lines[0] = lines[0].rsplit(",", 1)[0] + ","
    (root / "odd.csv").write_text("\n".join(lines) + "\n")
    (root / "names.txt").write_text("url\nbm25\nclicks\nlength\nage\n")
    zero = [" ".join([f"{y:g}", *(f"{i}:{v!r}" for i, v in enumerate(row))]) for y, _, row in rows]
    (root / "zero.txt").write_text("\n".join(zero) + "\n")
    sizes = (data.query_ptr[1:] - data.query_ptr[:-1]).tolist()
    (root / "sizes").write_text("\n".join(map(str, sizes)) + "\n")
    (root / "scores.txt").write_text("\n".join("1" for _ in rows) + "\n")
    return root


ODD = {
    "--grade": "3",
    "--query": "2",
    "--names": "{root}/names.txt",
    "--exclude": "url",
    "--missing": "0",
}
ZERO = {"--zero-based": None, "--group-sizes": "{root}/sizes"}


def run(*arguments: object) -> int:
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    return int(ended.value.code or 0)


def command_line(name: str, data: Path, root: Path, out: Path) -> list[object]:
    """Return the command, with all that it needs besides the options of reading."""
    return {
        "compare": [
            *("compare", data, "-s", "TopK", "-r", "RankSVM(C=0.01)", "--k", "1"),
            *("--store", out / "runs.db", "-w", 1),
        ],
        "convert": ["convert", data, out / "converted.parquet"],
        "evaluate": ["evaluate", data, root / "scores.txt"],
        "inspect": ["inspect", data],
        "predict": ["predict", out / "model.json", data],
        "select": ["select", data, "-m", "TopK", "-k", 1],
        "sieve": ["sieve", data, "-r", "RankSVM(C=0.01)", "--folds", 2],
        "train": ["train", data, "-o", out / "trained.json"],
    }[name]


def spelled(options: dict[str, str | None], root: Path) -> list[str]:
    parts = [(name, value and value.format(root=root)) for name, value in options.items()]
    return [part for pair in parts for part in pair if part is not None]


def loaded(root: Path, kind: str):
    if kind == "zero.txt":
        return load(root / kind, zero_based=True, group_sizes=root / "sizes")
    return load(root / kind, grade=3, query=2, names=root / "names.txt", exclude="url", missing=0)


@pytest.mark.parametrize("name", names())
def test_every_command_that_reads_data_has_all_options(name):
    command = _group.get_command(click.Context(_group), name)
    has = {parameter.name for parameter in command.params}
    assert set(READING) - has == ({"sort"} if name in IN_ORDER else set())
    assert ({"validation", "validation_share"} <= has) == (name in CHOOSING)


@pytest.mark.parametrize("name", names())
@pytest.mark.parametrize(("data", "options"), [("odd.csv", ODD), ("zero.txt", ZERO)])
def test_every_command_applies_the_options_and_none_can_be_left_out(
    files, tmp_path, name, data, options, capsys
):
    RankSVM().fit(loaded(files, data)).save(tmp_path / "model.json")
    line = command_line(name, files / data, files, tmp_path)
    for left_out in options:
        fewer = {option: value for option, value in options.items() if option != left_out}
        counted = name == "inspect" and left_out == "--missing"
        by_model = name == "predict" and left_out in ("--grade", "--exclude")
        if not counted and not by_model:
            assert run(*line, *spelled(fewer, files)) == 1, left_out
            assert "Traceback" not in capsys.readouterr().err
    assert run(*line, *spelled(options, files)) == 0


def test_a_stored_study_says_how_its_data_was_read(files, tmp_path):
    line = command_line("compare", files / "odd.csv", files, tmp_path)
    assert run(*line, *spelled(ODD, files)) == 0
    with Store(tmp_path / "runs.db") as store:
        (stored,) = store.studies()
    (source,) = Study.from_json(stored["spec"]).sources
    assert (source.grade, source.exclude, source.missing) == ("3", "url", 0.0)
    assert stored["folds"][0].feature_names == ("bm25", "clicks", "length", "age")
    assert as_source(repr(source)) == source


def test_a_study_of_a_file_is_read_by_the_options_too(files, tmp_path, capsys):
    study = tmp_path / "study.toml"
    study.write_text(
        f'data = ["{files / "odd.csv"}"]\nk = [1]\n'
        '[selectors]\nT = "TopK"\n[rankers]\nR = "RankSVM(C=1)"\n'
    )
    line = ("compare", "--config", study, "--store", tmp_path / "runs.db", "-w", 1)
    assert run(*line) == 1
    assert run(*line, *spelled(ODD, files)) == 0
    study.write_text(study.read_text().replace(str(files / "odd.csv"), "RBFPoints()"))
    capsys.readouterr()
    assert run(*line, "--missing", "0") == 1
    assert "RBFPoints() has no parameter 'missing'" in capsys.readouterr().err


def test_features_may_be_a_list_or_a_file_of_select_in_every_command(files, tmp_path, capsys):
    chosen = tmp_path / "features.json"
    assert run("select", files / "plain.txt", "-k", 2, "-o", chosen) == 0
    names_chosen = json.loads(chosen.read_text())["selected"]
    capsys.readouterr()
    for spelling, count in (("1,3-4", 3), (chosen, 2)):
        assert run("inspect", files / "plain.txt", "--features", spelling, "--json") == 0
        assert json.loads(capsys.readouterr().out)["data"]["features"] == count
    assert run("convert", files / "plain.txt", tmp_path / "b.parquet", "--features", chosen) == 0
    assert set(load(tmp_path / "b.parquet").feature_names) == set(names_chosen)


def test_a_file_of_select_never_means_other_features_by_their_numbers(files, tmp_path, capsys):
    chosen = tmp_path / "features.json"
    assert run("select", files / "plain.txt", "-k", 2, "-o", chosen) == 0
    options = {**ODD, "--features": str(chosen)}
    assert run("inspect", files / "odd.csv", *spelled(options, files)) == 1
    assert "has no feature" in capsys.readouterr().err


@pytest.mark.parametrize("share", [None, "0.25"])
def test_train_and_select_take_validation_queries_or_a_share(files, tmp_path, share, capsys):
    by = ["--validation", files / "plain.txt"] if share is None else ["--validation-share", share]
    model = tmp_path / "model.json"
    assert run("train", files / "plain.txt", "-o", model, "--json", *by) == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["validation"]["queries"] == (24 if share is None else 6)
    assert summary["training"]["queries"] == (24 if share is None else 18)
    assert run("select", files / "plain.txt", "-m", "TopK", "-k", "validation", "--json", *by) == 0
    assert json.loads(capsys.readouterr().out)["validation"]["queries"] <= 24
    assert run("select", files / "plain.txt", "-k", "2", *by) == 2
    assert "`-k validation`" in capsys.readouterr().err


def test_validation_queries_and_a_share_are_not_given_together(files, tmp_path, capsys):
    both = ("--validation", files / "plain.txt", "--validation-share", "0.2")
    assert run("train", files / "plain.txt", "-o", tmp_path / "m.json", *both) == 2
    assert "give one of the two" in capsys.readouterr().err
