"""Workers that end otherwise than they should, and what they leave to their parent."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from ranksieve.experiment import RunError, make_plan
from ranksieve.experiment.run import workers
from tests.experiment.cases import small_study
from tests.experiment.processes import environment

_REQUEST = "import sys; sys.stdin.readline(); "


@pytest.fixture
def run(folds, tmp_path, monkeypatch):
    """Run workers that execute some code in the place of their own."""
    jobs = make_plan(small_study(folds)).jobs

    def start(code, n_workers=2, look=lambda: None):
        monkeypatch.setattr(workers, "_START", code)
        workers.run_workers(jobs, tmp_path / "runs.db", n_workers, look=look)

    return start


def test_workers_that_are_all_killed_are_named_with_their_exit_codes(run):
    with pytest.raises(RunError, match=r"all 2 workers .* \(exit codes -9, -9; .* memory\)"):
        run(f"{_REQUEST} import os; os.kill(os.getpid(), 9)")


def test_a_worker_that_ends_before_it_reads_its_plan_is_no_broken_pipe(run):
    with pytest.raises(RunError, match=r"exit codes 7, 7"):
        run("import os; os._exit(7)")


def test_one_that_did_everything_makes_up_for_others(run, tmp_path):
    taken = tmp_path / "taken"
    run(f"{_REQUEST} import os; os.mkdir({str(taken)!r})")  # the second of them fails


def test_the_reason_of_a_worker_is_raised_and_the_others_are_ended(run, tmp_path):
    first = f"{_REQUEST} import os, time\n"
    first += f"try: os.mkdir({str(tmp_path / 'taken')!r})\n"
    first += "except FileExistsError: time.sleep(1000)\n"
    first += """print('{"error": "no room"}', flush=True); os._exit(3)"""
    with pytest.raises(RunError, match=r"^no room$"):
        run(first)


def test_what_goes_wrong_while_looking_ends_the_workers(run):
    def look():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(f"{_REQUEST} import time; time.sleep(1000)", look=look)


def test_a_file_of_the_working_folder_is_not_imported(run, tmp_path, monkeypatch):
    (tmp_path / "json.py").write_text("raise SystemExit(9)")
    monkeypatch.chdir(tmp_path)
    run(f"{_REQUEST} import json; json.loads('1')")


def test_workers_find_modules_where_their_parent_does(run, tmp_path, monkeypatch):
    (tmp_path / "only_here.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    run(f"{_REQUEST} import only_here")


def test_a_worker_whose_parent_is_gone_before_the_plan_ends_quietly():
    done = subprocess.run(
        [sys.executable, "-c", workers._START],
        input="{",
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "")


def test_ctrl_c_is_ignored_before_anything_is_imported():
    code, _, _ = workers._START.partition("from")
    code += f"import os; os.kill(os.getpid(), {int(signal.SIGINT)})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
