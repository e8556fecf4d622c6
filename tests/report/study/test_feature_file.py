"""The features of a row of a report."""

from __future__ import annotations

import pytest

from ranksieve.errors import DataError, ParameterError
from ranksieve.report import study_features
from ranksieve.report.study.tables.chosen import chosen_names
from ranksieve.report.study.view import StudyView
from tests.report.studies import study

ONE = {"data": ("A",), "embedded": (), "n_queries": 6}


def without_smallest():
    """Return a study in which no set is shown to lose less than nothing."""
    for seed in range(20):
        results = study(**ONE, methods=("GAS",), rankers=("R",), random_state=seed)
        if StudyView.of(results, margin=1e-9).smallest["A", "ndcg@10"].fewest is None:
            return results
    raise AssertionError("every seed has a smallest set")


def test_without_a_set_within_the_margin_the_nearest_is_named():
    results = without_smallest()
    nearest = StudyView.of(results, margin=1e-9).smallest["A", "ndcg@10"].nearest
    with pytest.raises(DataError, match="allow a larger margin, or name the row") as error:
        study_features(results, margin=1e-9)
    assert f"'GAS + R' with {nearest.outcome.number}, which may lose" in str(error.value)
    assert study_features(results, margin=1.0)["method"] == "GAS + R"


@pytest.mark.parametrize("seed", range(3))
def test_features_of_all_folds_come_first_as_in_the_table(seed):
    results = study(**ONE, methods=("GAS",), rankers=("R",), random_state=seed)
    outcome = next(one for one in results.chosen if one.name == "GAS + R")
    always, sometimes = chosen_names(outcome, results.data[0])
    content = study_features(results, row="GAS + R")
    names = [*always, *(name.split()[0] for name in sometimes)]
    assert [entry["feature"] for entry in content["order"]] == names
    assert content["selected"] == names[: len(content["selected"])]


def test_with_one_fold_they_are_its_own_in_its_order():
    results = study(**ONE, methods=("GAS",), rankers=("R",), n_folds=1)
    outcome = next(one for one in results.curves if (one.name, one.number) == ("GAS + R", 5))
    content = study_features(results, row="GAS", number=5)
    own = [f"feature_{index}" for index in outcome.folds[0].features]
    assert content["selected"] == own


def test_a_method_with_several_rankers_or_data_sets_must_be_told_apart():
    with pytest.raises(ParameterError, match=r"several rows: name one of 'GAS \+ R', 'GAS \+ S'"):
        study_features(study(**ONE, methods=("GAS",), rankers=("R", "S")), row="GAS")
    two = study(**{**ONE, "data": ("A", "B")}, methods=("GAS",), rankers=("R",))
    with pytest.raises(ParameterError, match=r"2 data sets, so name one with data= .*: 'A', 'B'"):
        study_features(two, row="GAS")
    assert study_features(two, row="GAS", data="B")["data"]["source"] == "B"
