from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import ranksieve
from ranksieve import catalog
from ranksieve.errors import ParameterError


def test_every_component_in_a_folder_is_in_the_catalog_and_loads():
    for family in catalog.FAMILIES:
        for entry in catalog.entries(family):
            assert entry.load().__name__ == entry.class_name


def test_public_names_load_from_the_package():
    for name in catalog.public_names():
        assert getattr(ranksieve, name).__name__ == name
        assert name in dir(ranksieve)
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        _ = ranksieve.Nothing


def test_a_star_import_brings_every_public_name():
    names = {}
    exec("from ranksieve import *", names)
    assert {"load", "make_ranking", "RankingData", *catalog.public_names()} <= names.keys()


def test_type_checkers_are_told_of_every_public_name():
    # A long import has brackets, and a line for each name.
    listed = " ".join(Path(ranksieve.__file__).read_text(encoding="utf-8").replace("(", "").split())
    for name in catalog.public_names():
        assert f"import {name} as {name}" in listed, f"add {name} to ranksieve/__init__.py"


@pytest.mark.parametrize("family", catalog.FAMILIES)
def test_the_package_of_a_family_exports_its_components(family):
    package = import_module(f"ranksieve.{family}")
    for entry in catalog.entries(family):
        assert getattr(package, entry.class_name) is entry.load()
        assert entry.class_name in dir(package)
    names = {}
    exec(f"from ranksieve.{family} import *", names)
    assert {entry.class_name for entry in catalog.entries(family)} <= names.keys()
    assert "TYPE_CHECKING" not in names
    with pytest.raises(AttributeError, match=f"module 'ranksieve.{family}' has no attribute"):
        _ = package.Nothing


def test_a_new_file_is_enough_to_import_its_class_from_the_family(monkeypatch, tmp_path):
    from ranksieve import penalties

    (tmp_path / "new_penalty_file.py").write_text("class NewPenalty:\n    pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    entries = catalog.entries("penalties")
    entry = catalog.Entry("NewPenalty", "new", "new_penalty_file")
    monkeypatch.setattr(catalog, "entries", lambda family: (*entries, entry))
    assert penalties.NewPenalty.__module__ == "new_penalty_file"
    assert "NewPenalty" in penalties.__all__
    assert "NewPenalty" in dir(penalties)
    monkeypatch.delattr(penalties, "NewPenalty")


def test_files_in_private_folders_are_no_components():
    modules = [entry.module for family in catalog.FAMILIES for entry in catalog.entries(family)]
    assert not [module for module in modules if "._" in module]


@pytest.mark.parametrize(
    "text",
    [
        "GAS",
        "gas",
        "GAS()",
        "GAS(5)",
        'GAS(importance="ndcg@10", balance=0.3)',
        "GAS(balance=-0.5)",
    ],
)
def test_text_is_parsed_to_the_component_that_python_would_build(text):
    parsed = catalog.parse(text, "selectors")
    assert isinstance(parsed, ranksieve.GAS)
    if "(" in text:
        assert repr(parsed) == repr(eval(text, {"GAS": ranksieve.GAS}))


def test_nested_components_are_built():
    parsed = catalog.parse("GAS(similarity=KendallSimilarity())", "selectors")
    assert type(parsed.similarity).__name__ == "KendallSimilarity"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("GSA", r"unknown selector 'GSA': did you mean 'GAS'\?"),
        ("GAS(balanse=1)", r"GAS has no parameter 'balanse': did you mean 'balance'\?"),
        ("GAS(balance=__import__('os'))", "unknown component '__import__'"),
        ("GAS(balance=open)", "arguments are literals"),
        ("GAS(**{})", "is not a literal"),
        ("GAS(balance=1, balance=2)", "a parameter is given twice"),
        ("GAS(1, 2)", "GAS: too many positional arguments"),
        ("GAS(", "cannot read 'GAS\\('"),
        ("1 + 1", "expected a name, or a call"),
        ("os.system('ls')", "expected a name, or a call"),
        ("(" * 5000 + ")" * 5000, "cannot read"),
        ("a" * 20_000, "at most 10000 characters"),
    ],
)
def test_bad_text_ends_in_a_clear_error(text, message):
    with pytest.raises(ParameterError, match=message):
        catalog.parse(text, "selectors")


def test_unknown_families_suggest_the_nearest():
    with pytest.raises(ParameterError, match="unknown family 'selector': did you mean 'selectors'"):
        catalog.entries("selector")


def test_importing_the_package_loads_nothing_heavy():
    code = "import sys, ranksieve; print({'numpy', 'numba', 'sklearn'} & sys.modules.keys())"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "set()"


def test_a_hyphenated_short_name_takes_arguments():
    spelled = catalog.parse("information-gain(n_bins=5)", "importance")
    assert spelled == catalog.parse("InformationGainImportance(n_bins=5)", "importance")
    top = catalog.parse('TopK(InformationGain(bins="equal-frequency"))', "selectors")
    assert top.importance.bins == "equal-frequency"


@pytest.mark.parametrize("text", ["LightGBMRanker", "lightgbm-ranker"])
def test_a_ranker_where_a_selector_is_asked_for_says_how_it_selects(text):
    with pytest.raises(ParameterError, match=r"ranks documents .* RankRFE\(LightGBMRanker\(\)\)"):
        catalog.parse(text, "selectors")


def test_a_selector_where_a_ranker_is_asked_for_is_called_one():
    with pytest.raises(ParameterError, match="GAS selects features and does not rank documents"):
        catalog.parse("gas", "rankers")


@pytest.mark.parametrize(
    "text",
    ["GAS(balance=" + "-" * 900 + "1)", "GAS(balance=" + "1+" * 2000 + "1)", "1+" * 2000 + "1"],
    ids=["signs", "sums", "sum"],
)
def test_text_that_is_nested_deeper_than_python_can_walk_is_a_short_error(text):
    with pytest.raises(ParameterError, match=r"cannot read .*\.\.\.'") as raised:
        catalog.parse(text, "selectors")
    assert len(str(raised.value)) < 800


@pytest.mark.parametrize(
    ("text", "family", "hint"),
    [
        ("LightGBMRanker(num_leaves=7)", "selectors", "RankRFE(LightGBMRanker(num_leaves=7))"),
        ("ndcg@10", "selectors", "TopK('ndcg@10') selects by it"),
        ("map", "selectors", "GAS(importance='map') looks at similarity too"),
        ("information-gain", "selectors", "TopK('information-gain') selects by it"),
        ("SparseRankSVM", "rankers", "is a selector that ranks with its own weights"),
        ("RankRFE(LightGBMRanker)", "selectors", "or components. Write LightGBMRanker()"),
    ],
)
def test_what_is_near_to_a_component_says_how_to_write_it(text, family, hint):
    with pytest.raises(ParameterError) as error:
        catalog.parse(text, family)
    assert hint in str(error.value)
    assert "did you mean" not in str(error.value)
    if hint.startswith(("RankRFE", "TopK")):
        call = hint.removesuffix(" selects by it")
        assert type(catalog.parse(call, "selectors")).__name__ == call.partition("(")[0]
