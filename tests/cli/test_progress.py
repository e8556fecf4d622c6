"""Progress: one bar on a terminal, lines elsewhere, on standard error, by every command."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import time
from contextlib import contextmanager

import numba.core.event as events
import pytest
from rich.console import Console

from ranksieve import GAS, LightGBMRanker, make_ranking
from ranksieve.choices import Validation
from ranksieve.cli import _group, _progress, main
from ranksieve.cli._progress import Work
from ranksieve.data import write_text
from ranksieve.progress import listening, report

_OWN_LISTENING = _progress.listening


@pytest.fixture
def terminal(monkeypatch):
    """A terminal that keeps what is written to it, and patience that ends at once."""
    screen = io.StringIO()
    monkeypatch.setattr(_progress, "_PATIENCE", 0.05)
    monkeypatch.setattr(_progress, "_REFRESH", 0.01)
    monkeypatch.setattr(
        _progress, "Console", lambda **_: Console(file=screen, force_terminal=True, width=100)
    )
    return screen


@pytest.fixture
def log(monkeypatch):
    """What a log would have, with lines that come often."""
    written = io.StringIO()
    monkeypatch.setattr(_progress, "_PATIENCE", 0.05)
    monkeypatch.setattr(_progress, "_LINE", 0.05)
    monkeypatch.setattr(_progress, "Console", lambda **_: Console(file=written, width=100))
    return written


def test_what_is_quick_shows_nothing(terminal, monkeypatch):
    monkeypatch.setattr(_progress, "_PATIENCE", 60.0)
    with _progress.progress_bars():
        report("reading", 1, 2)
        report("reading", 2, 2)
    assert terminal.getvalue() == ""


def test_what_takes_long_shows_a_bar_with_its_label(terminal):
    with _progress.progress_bars():
        for done in range(8):
            report("reading train.txt", done, 10)
            time.sleep(0.05)
    assert "reading train.txt" in terminal.getvalue()
    assert "%" in terminal.getvalue()
    assert "left" in terminal.getvalue()


def test_results_that_go_to_a_file_stay_there_while_a_bar_is_shown(terminal, capsys):
    with _progress.progress_bars():
        report("reading", 1, 2)
        time.sleep(0.3)
        sys.stdout.write("a result\n")
    assert "reading" in terminal.getvalue()
    assert "a result" not in terminal.getvalue()
    assert capsys.readouterr().out == "a result\n"


def test_silence_for_long_says_that_work_goes_on(terminal):
    with _progress.progress_bars():
        time.sleep(0.4)
    assert "a first run compiles, once" in terminal.getvalue()


def test_without_a_terminal_lines_say_how_long_it_will_take(log):
    with _progress.progress_bars():
        report("trials", 0, 4)
        time.sleep(0.1)
        report("trials", 1, 4)
        time.sleep(0.15)
        report("trials", 4, 4)
    lines = log.getvalue().splitlines()
    assert lines[0] == "trials: 0%"
    assert "trials: 25%, about 1 s left" in lines


def test_without_a_terminal_silence_has_lines_too(log):
    with _progress.progress_bars():
        time.sleep(0.3)
    assert set(log.getvalue().splitlines()) == {"working (a first run compiles, once)"}


def test_the_first_line_comes_after_two_seconds_and_then_one_every_ten():
    assert (_progress._PATIENCE, _progress._LINE) == (2.0, 10.0)


def test_validation_with_boosted_trees_is_one_bar():
    data, _ = make_ranking(30, 10, n_relevant=2, n_redundant=1, n_irrelevant=2)
    labels = []
    choice = Validation(LightGBMRanker(5), measure="map")
    with listening(lambda label, done, total: labels.append(label)):
        GAS(choice).fit(data)
    assert "validation" in labels
    assert "training" not in labels


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Data in text and in folds, a model, and a store."""
    folder = tmp_path_factory.mktemp("files")
    data, _ = make_ranking(26, (4, 9), n_relevant=2, n_redundant=0, n_irrelevant=2)
    fold = folder / "data" / "Fold1"
    fold.mkdir(parents=True)
    parts = {"train": range(12), "vali": range(12, 18), "test": range(18, 26)}
    for part, queries in parts.items():
        write_text(data.queries(list(queries)), fold / f"{part}.txt")
    write_text(data, folder / "all.txt")
    timing = {"time": 2.0, "process": {"time": 2.0, "query": {"time": 2.0}}}
    timed = {"feature": "bm25", "response": {"debug": {"timing": timing}}}
    (folder / "timing.json").write_text(json.dumps(timed))
    with pytest.raises(SystemExit):
        main(["train", str(fold / "train.txt"), "-r", "RankSVM(C=1)", "-o", str(folder / "m.json")])
    with pytest.raises(SystemExit):
        main([*_compare(folder), "--store", str(folder / "runs.db"), "-w", "1"])
    return folder


def _compare(folder):
    options = ["--selectors", "TopK", "--rankers", "RankSVM(C=1)", "-k", "2"]
    return ["compare", str(folder / "data"), *options]


def _commands(folder, out):
    text = str(folder / "data" / "Fold1" / "train.txt")
    model, runs = str(folder / "m.json"), str(folder / "runs.db")
    return {
        "compare": [*_compare(folder), "--store", str(out / "new.db"), "-w", "1"],
        "convert": ["convert", text, str(out / "new.parquet")],
        "costs": ["costs", str(folder / "timing.json")],
        "demo": ["demo", "--queries", "40", "-o", str(out / "demo")],
        "evaluate": ["evaluate", text, model],
        "export": ["export", model, "--to", "json", "-o", str(out / "new.json")],
        "extract": _extract(out),
        "inspect": ["inspect", text],
        "predict": ["predict", model, text],
        "report": ["report", runs, "--format", "md"],
        "select": ["select", text, "-m", "TopK", "-k", "2"],
        "sieve": ["sieve", str(folder / "all.txt"), "-r", "RankSVM(C=1)"],
        "train": ["train", text, "-r", "RankSVM(C=1)", "-o", str(out / "new.json")],
        "warm": ["warm", "train"],
    }


def _extract(out):
    """Return `extract` on a collection of one document, which is written."""
    contents = {
        "documents": ".I 1\n.W\nheat\n",
        "queries": ".I 1\n.W\nheat\n",
        "judgements": "1 1 1\n",
    }
    for name, content in contents.items():
        (out / name).write_text(content)
    options = [item for name in contents for item in (f"--{name}", str(out / name))]
    return ["extract", *options, "-o", str(out / "features.parquet")]


def test_what_is_compiled_is_counted_while_it_is():
    moments, work = [], Work(clock=lambda: 0.0)
    work.add("reading", 1, 4)
    work.compiling.listen()
    try:
        assert str(work.moment()) == "reading: 25%"
        listener = work.compiling._listener
        for _ in range(2):
            listener.notify(events.Event("numba:compile", events.EventStatus.START))
            moments.append(str(work.moment()))
            listener.notify(events.Event("numba:compile", events.EventStatus.END))
    finally:
        work.compiling.close()
    assert moments == [
        f"reading, compiling, {n} functions so far (a first run compiles, once): 25%"
        for n in range(2)
    ]
    assert str(work.moment()) == "reading: 25%"


@contextmanager
def _slow(listener):
    """Let a command do something slow where it would begin its work, once."""
    with _OWN_LISTENING(listener):
        report("slow job", 1, 4)
        time.sleep(0.15)
        report("slow job", 4, 4)
        yield


@pytest.mark.parametrize("name", _group.list_commands(None))
def test_every_command_has_lines_on_standard_error(name, files, tmp_path, monkeypatch, capsys):
    if name == "demo":
        # Not all of it: the demo is some seconds of work, and ends with the first part.
        monkeypatch.setattr("ranksieve.make_ranking", lambda *_, **__: sys.exit(0))
    arguments = _commands(files, tmp_path)[name]
    monkeypatch.setattr(_progress, "listening", _slow)
    monkeypatch.setattr(_progress, "_PATIENCE", 0.05)
    with pytest.raises(SystemExit) as left:
        main(arguments)
    out, err = capsys.readouterr()
    assert left.value.code == 0, err
    assert "slow job: 25%" in err.splitlines()
    assert "slow job" not in out


_CHILD = """
import sys, time
from ranksieve.cli import _progress, main
from ranksieve import progress
own = _progress.listening
class slow(object):
    def __init__(self, listener): self._own = own(listener)
    def __enter__(self):
        self._own.__enter__()
        progress.report("slow job", 1, 4)
        time.sleep(float(sys.argv[1]))
    def __exit__(self, *error): return self._own.__exit__(*error)
_progress.listening = slow
main(sys.argv[2:])
"""


def _child(seconds, *arguments):
    return subprocess.run(
        [sys.executable, "-c", _CHILD, str(seconds), *arguments],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        check=True,
    )


def test_json_on_standard_output_stays_json_while_progress_is_shown(files):
    text = str(files / "data" / "Fold1" / "train.txt")
    done = _child(2.4, "select", text, "-m", "TopK", "-k", "2", "--json")
    assert len(json.loads(done.stdout)["selected"]) == 2
    assert done.stderr.splitlines()[0] == "slow job: 25%"


def test_a_command_that_takes_no_two_seconds_prints_nothing_of_it(files, monkeypatch, capsys):
    monkeypatch.setattr(_progress, "_PATIENCE", 60.0)
    with pytest.raises(SystemExit):
        main(_commands(files, files)["select"])
    assert capsys.readouterr().err == ""
