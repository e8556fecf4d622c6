"""ranksieve warm: a later run compiles nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ranksieve.cli import main
from ranksieve.kernels.compile import INTERPRETED

pytestmark = pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")

SOURCES = Path(__file__).parents[2] / "src"
COUNTED = """
from ranksieve import RankSVM, make_ranking
from ranksieve.cli._compiling import Compiling
import numba
compiling = Compiling()
compiling.listen()
data, _ = make_ranking(20, 30, n_relevant=2, n_redundant=0, n_irrelevant=2, random_state=1)
RankSVM(C=1.0).fit(data).predict(data.X)
print(compiling.n_compiled)
"""


def run(folder, *command):
    """What a new process prints, with compiled code in a folder."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder), "PYTHONPATH": str(SOURCES)}
    done = subprocess.run(
        [sys.executable, "-c", *command], capture_output=True, text=True, env=environment
    )
    return done.returncode, done.stdout, done.stderr


WARM = "from ranksieve.cli import main; main(['warm', 'train'])"


@pytest.mark.slow
def test_a_run_after_it_compiles_nothing_and_neither_does_it_itself(tmp_path):
    status, out, err = run(tmp_path, WARM)
    assert status == 0, err
    assert "functions compiled in" in out
    assert run(tmp_path, COUNTED)[1] == "0\n"
    status, out, err = run(tmp_path, WARM)
    assert (status, out.split(":")[0]) == (0, "Nothing to do"), err


@pytest.mark.slow
def test_it_is_an_error_where_nothing_can_be_kept(tmp_path):
    sealed = "import numba.core.caching as c; c.CompileResultCacheImpl._locator_classes = []; "
    code = sealed + "import sys; from ranksieve.cli import _warm_tasks; "
    child = tmp_path / "child.py"
    child.write_text(code + "_warm_tasks.main()")
    warm = (
        "import subprocess, sys; from ranksieve.cli import main, warm; "
        f"warm._CHILD = [sys.executable, {str(child)!r}]; main(['warm', 'train'])"
    )
    status, out, err = run(tmp_path, warm)
    assert status == 1, out
    assert "compiled code cannot be kept" in " ".join(err.split())


def test_an_unknown_task_is_named(capsys):
    with pytest.raises(SystemExit) as ending:
        main(["warm", "trian"])
    assert ending.value.code == 2
    assert "no task is called 'trian'" in " ".join(capsys.readouterr().err.split())
