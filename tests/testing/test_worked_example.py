"""The worked example of CONTRIBUTING.md, put where that page says, is a component like others."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import ranksieve

ROOT = Path(__file__).parents[2]
LAWS = """
from ranksieve import TopK, catalog, make_ranking
from ranksieve.testing import ImportanceSuite


class TestCovariance(ImportanceSuite):
    components = [catalog.parse("covariance", "importance")]


def test_a_selector_takes_its_name():
    data, truth = make_ranking(60, n_relevant=2, n_redundant=0, n_irrelevant=6)
    order = TopK("covariance", n_features_to_select=2).fit(data).order_
    assert sorted(order[:2].tolist()) == truth.relevant.tolist()
"""


def worked_example() -> tuple[str, str]:
    """The path that the page gives, and the code of its example without the trial at the end."""
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (path,) = re.findall(r"As `src/ranksieve/(importance/\w+\.py)` the class above", page)
    example = page.partition("### A worked example")[2].partition("```\n")[0]
    lines = [line[4:] for line in example.splitlines() if re.match(r"(>>>|\.\.\.)( |$)", line)]
    code = "\n".join(lines).partition("data, truth = ")[0]
    return path, code.replace("from ranksieve import TopK, make_ranking\n", "")


def test_the_worked_example_passes_the_suite_of_its_family(tmp_path):
    path, code = worked_example()
    copy = tmp_path / "src" / "ranksieve"
    # With the bytecode, which is good for a copy too.
    shutil.copytree(Path(ranksieve.__file__).parent, copy)
    (copy / path).write_text(code, encoding="utf-8")
    (tmp_path / "test_covariance.py").write_text(LAWS, encoding="utf-8")
    # Plain Python: kernels would be compiled again for a copy.
    environment = os.environ | {"PYTHONPATH": str(copy.parent), "NUMBA_DISABLE_JIT": "1"}
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_covariance.py"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert re.search(r"\n\d\d passed", run.stdout)
