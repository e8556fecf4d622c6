"""Components of another package run the conformance suites: right ones pass, wrong ones fail."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from ranksieve.errors import ParameterError
from ranksieve.testing import PenaltySuite, load_component, plugin, suite_for, suites_for
from ranksieve.testing.__main__ import main
from tests.testing.foreign.components import ByIndex, FactorPenalty

MODULE = """
from foreign.components import ByPrecision, FactorPenalty, SpreadImportance, Success
from ranksieve.testing import ImportanceSuite, MeasureSuite, PenaltySuite, SelectorSuite


class TestPenalties(PenaltySuite):
    components = [FactorPenalty(), FactorPenalty(factor=0.5)]


class TestImportance(ImportanceSuite):
    components = [SpreadImportance()]


class TestMeasures(MeasureSuite):
    components = [Success(), Success(k=1)]


class TestSelectors(SelectorSuite):
    components = [ByPrecision]
"""


@pytest.fixture
def elsewhere(tmp_path):
    """A folder with a package of its own, as far from ours as can be."""
    source = Path(__file__).parent / "foreign" / "components.py"
    (tmp_path / "foreign").mkdir()
    (tmp_path / "foreign" / "__init__.py").touch()
    (tmp_path / "foreign" / "components.py").write_text(source.read_text(encoding="utf-8"))
    return tmp_path


def run(*arguments, cwd):
    path = os.pathsep.join([str(cwd), os.environ.get("PYTHONPATH", "")])
    return subprocess.run(
        [sys.executable, "-m", *arguments, "-q", "-p", "no:cacheprovider"],
        cwd=cwd,
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_test_module_of_another_package_subclasses_the_suites(elsewhere):
    (elsewhere / "test_laws.py").write_text(MODULE)
    ended = run("pytest", "test_laws.py", cwd=elsewhere)
    assert ended.returncode == 0, ended.stdout
    assert int(re.search(r"(\d+) passed", ended.stdout)[1]) > 300


def test_wrong_components_fail_by_the_law_that_they_break(elsewhere):
    wrong = ("WrongPenalty", "WrongImportance", "WrongSuccess", "ByIndex")
    ended = run(
        "ranksieve.testing",
        *(f"foreign.components:{name}" for name in wrong),
        "-k",
        "central_difference or permutation_of_columns or averaged_ties or planted_features",
        cwd=elsewhere,
    )
    assert ended.returncode == 1, ended.stdout + ended.stderr
    failed = set(re.findall(r"FAILED \S*::Test(\w+)::test_(\w+)\[", ended.stdout))
    assert "At index 0 diff" in ended.stdout  # values of a law that fails are shown
    assert failed == {
        ("WrongPenalty", "the_derivative_is_the_central_difference_of_the_value"),
        ("WrongImportance", "scores_follow_a_permutation_of_columns"),
        ("WrongSuccess", "a_constant_score_with_averaged_ties_is_the_mean_over_all_orders"),
        ("ByIndex", "planted_features_are_found"),
    }


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ("nowhere_at_all:Penalty", "cannot import 'nowhere_at_all'"),
        ("ranksieve.penalties:Nothing", "has no 'Nothing'"),
        ("ranksieve.data:RankingData", "no suite is for ranksieve.data"),
    ],
)
def test_what_cannot_be_tested_is_named(named, message):
    with pytest.raises(ParameterError, match=message):
        suites_for([load_component(named)])


def test_a_name_without_a_module_is_an_error_that_shows_how_to_write_it():
    with pytest.raises(ParameterError, match=r"such as my_package\.penalties:HuberPenalty"):
        load_component("HuberPenalty")


def test_a_wrong_name_on_the_command_line_is_an_error_of_usage():
    config = SimpleNamespace(getoption=lambda option: ["nowhere_at_all:Penalty"], stash={})
    with pytest.raises(pytest.UsageError, match="cannot import 'nowhere_at_all'"):
        plugin.pytest_configure(config)


def test_a_command_without_a_component_shows_its_usage(capsys):
    assert main(["-x"]) == 2
    assert "usage: python -m ranksieve.testing package.module:Class" in capsys.readouterr().err


def test_classes_of_values_are_built_and_others_are_not():
    suites = suites_for([FactorPenalty, ByIndex])
    assert suites["TestFactorPenalty"].components == (FactorPenalty(),)
    assert suites["TestByIndex"].components == (ByIndex,)
    assert issubclass(suites["TestFactorPenalty"], suite_for(FactorPenalty(3.0)))


def test_a_suite_without_components_says_so():
    with pytest.raises(ParameterError, match="set components, a list of penalties"):
        PenaltySuite().pytest_generate_tests(None)


def test_without_pytest_the_install_line_is_shown_and_ranksieve_does_not_import_it():
    code = (
        "import sys; sys.modules['pytest'] = None\n"
        "from ranksieve import NDCG\n"
        "try:\n    import ranksieve.testing\n"
        "except ImportError as error:\n    print(type(error).__name__, error)\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "MissingDependencyError" in ended.stdout
    assert "pip install pytest" in ended.stdout
