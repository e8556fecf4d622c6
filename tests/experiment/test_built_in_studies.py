"""The studies that come with the package can be read, and do what their descriptions say."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path

import pytest

import ranksieve
from ranksieve import FSSCPR, GAS, RankRFE, TopK, catalog
from ranksieve.experiment import ALL, folds, make_plan, read_study, study_names
from ranksieve.selectors import Selector
from ranksieve.selectors.wrappers._rankrfe_estimators import as_estimator
from ranksieve.sources import Source

NAMES = (
    "fsmrank-figures",
    "fsscpr-rankers",
    "gas-figures",
    "letor",
    "letor-ranker-first",
    "letor-rankers",
    "rankfilter-figure-2",
    "rankfilter-figure-3",
    "rankfilter-figure-6",
    "rankfilter-figure-7",
)
FIGURES = [name for name in NAMES if name.startswith("rankfilter")]


@pytest.fixture(scope="module")
def planned(real_data):
    """The plan of a study by its name: each is made once, and reads only folds that no other has.

    That of letor has 193,160 trials. Trials that are equal have equal keys, which take longer.
    """
    read = folds._facts
    known = {}

    def facts(source, position, fold):
        key = repr(source), position
        if key not in known:
            known[key] = read(source, position, fold)
        return known[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RANKSIEVE_DATA", str(real_data))
        patch.setattr(folds, "_facts", facts)
        yield cache(lambda name: make_plan(read_study(name)))


def trials_of(plan):
    return (trial for job in (*plan.jobs, *plan.later) for trial in job.trials)


def test_there_are_these_studies():
    assert tuple(study_names()) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_every_setting_parses_and_its_text_makes_it_anew(name):
    study = read_study(name)
    assert all(isinstance(source, Source) for source in study.sources)
    for family, grids in (("selectors", study.selector_grids), ("rankers", study.ranker_grids)):
        for grid in grids:
            assert len(set(grid.settings)) == len(grid.settings)
            for text in grid.settings:
                assert repr(catalog.parse(text, family)) == text


@pytest.mark.parametrize("name", NAMES)
def test_a_study_has_a_title_and_says_what_it_repeats(name):
    path = Path(ranksieve.__file__).parent / "experiment" / "studies" / f"{name}.toml"
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    assert content["title"] == read_study(name).title
    assert re.search(r"Tables?|Figures?", content["description"])
    assert content["k"][-1] == "all"


@pytest.mark.parametrize("name", FIGURES)
def test_without_validation_every_method_has_one_setting(name):
    study = read_study(name)
    for grid in (*study.selector_grids, *study.ranker_grids):
        assert len(grid.settings) == 1


@pytest.mark.parametrize("name", FIGURES)
def test_the_worst_three_go_and_the_selector_weighs_again(name):
    for grid in read_study(name).selector_grids:
        wrapper = catalog.parse(grid.settings[0], "selectors")
        assert wrapper.step == 3
        assert isinstance(as_estimator(wrapper.estimator), Selector)


@pytest.mark.parametrize(("number", "width"), [(2, 30), (3, 30), (6, 45), (7, 45)])
def test_numbers_of_features_are_where_three_more_are_gone(number, width):
    assert read_study(f"rankfilter-figure-{number}").counts == (*range(3, width, 3), ALL)


def test_choosing_the_ranker_first_reads_the_trials_of_letor(planned):
    joint, first = read_study("letor"), read_study("letor-ranker-first")
    assert joint.tune != first.tune == "ranker-first"
    assert (joint.selectors, joint.rankers) == (first.selectors, first.rankers)
    plans = planned("letor"), planned("letor-ranker-first")
    trials, fewer = (set(trials_of(plan)) for plan in plans)
    assert fewer < trials


@pytest.mark.parametrize("name", NAMES)
def test_filters_of_the_papers_are_as_published(name):
    for grid in read_study(name).selector_grids:
        for text in grid.settings:
            selector = catalog.parse(text, "selectors")
            if isinstance(selector, RankRFE):
                selector = as_estimator(selector.estimator)
            if isinstance(selector, GAS | TopK | FSSCPR):
                assert selector.unproven == "published", text


def test_each_reading_of_fs_scpr_in_letor_is_one_setting():
    grids = {grid.label: grid.settings for grid in read_study("letor").selector_grids}
    readings = [grids[label] for label in grids if label.startswith("FS-SCPR")]
    assert [len(settings) for settings in readings] == [1, 1, 1]
    assert len({settings[0] for settings in readings}) == 3


def test_what_fsmrank_figures_shares_with_letor_is_trained_once(planned):
    letor, figures = read_study("letor"), read_study("fsmrank-figures")
    assert planned("letor").later == ()
    trials = set(trials_of(planned("letor")))
    more = set(figures.counts) - set(letor.counts)
    for job in planned("fsmrank-figures").jobs:
        for trial in job.trials:
            if trial.number not in more and job.method.label != "NDCG@10 alone":
                assert trial in trials


@pytest.mark.parametrize(
    ("name", "n_trials"), [("letor", 193_160), ("letor-rankers", 1_440), ("fsscpr-rankers", 5_200)]
)
def test_the_description_counts_the_trials(name, n_trials, planned):
    assert planned(name).n_trials == n_trials
    path = Path(ranksieve.__file__).parent / "experiment" / "studies" / f"{name}.toml"
    assert f"{n_trials:,} trials" in path.read_text(encoding="utf-8")


def test_the_gas_figures_have_the_six_trials_of_the_paper(real_data, monkeypatch):
    monkeypatch.setenv("RANKSIEVE_DATA", str(real_data))
    for source in read_study("gas-figures").sources:
        folds = source.folds()
        assert len(folds) == 6
        assert len({fold.test_part for fold in folds}) == 3
