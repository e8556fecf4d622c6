"""A disk that is really full: a small one, made for the test."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys

import pytest

from ranksieve.experiment import compare
from tests.experiment.cases import assert_still_there, contents, small_study
from tests.experiment.child import OWN_ERROR
from tests.experiment.processes import ROOT, environment

_RUN = "from tests.experiment.child import main; main()"
# A disk of its own in a namespace of its own: run, then carry the store to where there is room.
_SCRIPT = """
mount -t tmpfs -o size=600k tmpfs "$1" || exit 77
"$2" -c "$3" "$4" > "$5/said"
code=$?
cp "$1"/runs.db* "$5"
exit $code
"""


def _may_mount(folder):
    if shutil.which("unshare") is None:
        return False
    command = ["unshare", "-m", "mount", "-t", "tmpfs", "tmpfs", str(folder)]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


@pytest.mark.slow
def test_a_run_on_a_full_disk_says_so_and_is_finished_when_there_is_room(folds, expected, tmp_path):
    disk, kept = tmp_path / "disk", tmp_path / "kept"
    disk.mkdir()
    kept.mkdir()
    if not _may_mount(disk):
        pytest.skip("a small tmpfs cannot be mounted here: that needs root and unshare")
    request = {
        "study": small_study(folds).to_json(),
        "store": str(disk / "runs.db"),
        "log": str(kept / "log"),
        "pause": 0.0,
        "limit": 0,
        "options": {"workers": 2},
    }
    script = [_SCRIPT, "sh", str(disk), sys.executable, _RUN, json.dumps(request), str(kept)]
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", *script],
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (OWN_ERROR, "")
    said = (kept / "said").read_text()
    assert said.startswith(
        f"RunError: cannot write {disk / 'runs.db'}: the disk is full or failing"
    )
    there = contents(kept / "runs.db")
    assert 0 < len(there["trial"]) < len(expected["trial"])
    compare(small_study(folds), kept / "runs.db")
    assert contents(kept / "runs.db") == expected
    assert_still_there(there, expected)
