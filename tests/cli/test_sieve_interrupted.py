"""ranksieve sieve that is told to stop, or killed: it answers so far, or goes on where it was."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from ranksieve import make_ranking
from ranksieve.cli import main
from ranksieve.data import write_text

pytestmark = pytest.mark.slow
PROGRAM = str(Path(sys.executable).parent / "ranksieve")
PATIENCE = 120


@pytest.fixture(scope="module")
def train(tmp_path_factory):
    data, _ = make_ranking(30, 8, n_relevant=3, n_redundant=2, n_irrelevant=4)
    path = tmp_path_factory.mktemp("interrupted") / "train.txt"
    write_text(data, path)
    return path


def arguments(train, out):
    ranker = "LightGBMRanker(30, learning_rate=0.1, validation_share=None)"
    few = ["--folds", "3", "--repeats", "2"]
    return ["sieve", str(train), "--ranker", ranker, *few, "-o", str(out)]


def n_trainings(out):
    try:
        with closing(sqlite3.connect(f"file:{out / 'trainings.db'}?mode=ro", uri=True)) as store:
            return store.execute("SELECT COUNT(*) FROM verdict").fetchone()[0]
    except sqlite3.Error:
        return 0


def started(train, out, after):
    """The command, once it has stored so many trainings."""
    child = subprocess.Popen(
        [PROGRAM, *arguments(train, out)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    end = time.monotonic() + PATIENCE
    while n_trainings(out) < after and child.poll() is None and time.monotonic() < end:
        time.sleep(0.02)
    return child


def finished(train, out):
    """The answer of the command, which ends in this process: it is the other that is stopped."""
    with pytest.raises(SystemExit) as ending:
        main(arguments(train, out))
    assert ending.value.code == 0
    answer = json.loads((out / "sieve.json").read_text())
    del answer["making"]["seconds"]
    return answer


@pytest.fixture(scope="module")
def undisturbed(train, tmp_path_factory):
    return finished(train, tmp_path_factory.mktemp("undisturbed"))


def test_ctrl_c_gives_the_best_answer_so_far_and_a_second_run_goes_on(train, undisturbed, tmp_path):
    child = started(train, tmp_path, after=25)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=PATIENCE)
    assert child.returncode == 130, err
    assert "So far (the search was ended early)" in " ".join(out.split())
    so_far = json.loads((tmp_path / "sieve.json").read_text())
    assert so_far["making"]["interrupted"]
    assert so_far["claim"] != "certified"
    assert {"features.json", "model.txt", "report.html"} <= {p.name for p in tmp_path.iterdir()}
    n_before = n_trainings(tmp_path)
    answer = finished(train, tmp_path)
    assert answer == undisturbed
    assert n_before >= 25


def test_kill_9_loses_only_the_trainings_that_were_under_way(train, undisturbed, tmp_path):
    child = started(train, tmp_path, after=12)
    child.kill()
    child.communicate(timeout=PATIENCE)
    n_before = n_trainings(tmp_path)
    assert n_before >= 12
    assert not (tmp_path / "sieve.json").exists()
    answer = finished(train, tmp_path)
    assert answer == undisturbed
    # Everything that was stored was used: nothing was trained twice.
    n_after = n_trainings(tmp_path)
    finished(train, tmp_path)
    assert n_trainings(tmp_path) == n_after
