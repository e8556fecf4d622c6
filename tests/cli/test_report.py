from __future__ import annotations

import csv
import io

import pytest

from ranksieve import experiment
from ranksieve.cli import main
from tests.report.studies import study


@pytest.fixture
def ranksieve(capsys, monkeypatch):
    """Run a command on results that are read from nowhere; return status, output and errors."""
    results = study(data=("A",), methods=("GAS",), embedded=(), rankers=("R",), n_queries=6)
    monkeypatch.setattr(experiment, "read_results", lambda path: results)

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


def test_figures_alone_need_no_file(ranksieve, tmp_path):
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
