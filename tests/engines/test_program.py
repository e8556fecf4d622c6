"""The Java program itself: a call for one model, a list, and what it says of errors."""

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

from tests.engines.engine import FOLDER, EngineError, Task
from tests.engines.models import column, ranklib_split, ranklib_trees

MODEL = ranklib_trees(ranklib_split(0.5))


def run(*arguments):
    target = FOLDER / "ranklib" / "target"
    path = os.pathsep.join([str(target / "classes"), (target / "classpath.txt").read_text("utf-8")])
    command = ["java", "-cp", path, "ranksieve.engines.Score", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_one_call_prints_the_scores_of_a_model(engines, tmp_path):
    task = Task("ranklib", MODEL, ("a", "b"), np.array([[0, 3.0], [1, 3.0], [np.nan, 3]]))
    _, model, features, _ = task.write(tmp_path, 1).split("\t")
    assert Path(features).read_text("utf-8") == "a,b\n0.0,3.0\n1.0,3.0\n,3.0\n"
    result = run("ranklib", model, features)
    assert (result.returncode, result.stdout.split()) == (0, ["1.0", "2.0", "1.0"])


def test_one_call_fails_with_the_engines_error(engines, tmp_path):
    task = Task("ranklib", "## No such model\n", ("a",), column(0))
    _, model, features, _ = task.write(tmp_path, 1).split("\t")
    result = run("ranklib", model, features)
    assert result.returncode != 0
    assert "RankLib" in result.stderr
    assert result.stdout == ""


def test_a_list_is_answered_line_by_line(engines, tmp_path):
    tasks = [Task("ranklib", MODEL, ("a",), column(0)), Task("ranklib", "?", ("a",), column(0))]
    lines = [task.write(tmp_path, number) for number, task in enumerate(tasks)]
    (tmp_path / "list").write_text("\n".join(lines) + "\n", "utf-8")
    answers = run(tmp_path / "list").stdout.splitlines()
    assert answers[0] == "ok"
    assert answers[1].startswith("error\t")
    assert (tmp_path / "0.scores").read_text("utf-8") == "1.0\n"
    assert not (tmp_path / "1.scores").exists()


def test_an_unknown_engine_and_a_kind_that_it_lacks_are_errors(engines):
    for engine in ("nothing/linear", "vespa/linear", "opensearch-3.8/lightgbm"):
        with pytest.raises(EngineError, match="no"):
            engines.scores(engine, "{}", ["a"], column(0))


def test_names_with_commas_are_refused_before_they_are_written(engines):
    with pytest.raises(ValueError, match="commas"):
        engines.scores("ranklib", MODEL, ["a,b"], column(0))
