"""Runs that end before any SQL statement, six at once, or without room on the disk."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.experiment.cases import small_study
from tests.experiment.processes import ROOT, environment

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs forks"),
]

_RUN = "from tests.experiment.forks import main; main()"


def test_a_run_loses_nothing_and_does_nothing_twice(folds, tmp_path):
    """Killed before any statement, six at once, or stopped by a full disk."""
    study = small_study(
        folds,
        selectors=['TopK("ndcg@10")', "SparseRankSVM(strength=[0.001, 0.01])"],
        rankers=["RankSVM(C=1)"],
        numbers=[2],
    )
    done = subprocess.run(
        [sys.executable, "-c", _RUN, study.to_json(), str(tmp_path), "3"],
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stderr, done.stdout) == ("", "killed: 10\ntogether: 3\nfull: 7\n")
    assert done.returncode == 0
