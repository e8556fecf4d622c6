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


@pytest.mark.parametrize(
    ("scenario", "n_runs"),
    [
        pytest.param("killed", 10, id="killed_before_any_statement_and_finished_by_the_next"),
        pytest.param("together", 3, id="six_at_once_three_of_them_killed"),
        pytest.param("full", 7, id="stopped_by_a_full_disk_and_finished_when_there_is_room"),
    ],
)
def test_a_run_loses_nothing_and_does_nothing_twice(scenario, n_runs, folds, tmp_path):
    study = small_study(
        folds,
        selectors=['TopK("ndcg@10")', "SparseRankSVM(strength=[0.001, 0.01])"],
        rankers=["RankSVM(C=1)"],
        numbers=[2],
    )
    done = subprocess.run(
        [sys.executable, "-c", _RUN, scenario, study.to_json(), str(tmp_path), "3"],
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stderr, done.stdout) == ("", f"{n_runs} runs\n")
    assert done.returncode == 0
