"""The page of all methods: its facts fit the package, its figures those of the store."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import ttest_rel

from benchmarks.methods import page, read_methods
from benchmarks.published_tables import DATA, MAP, NDCG10
from benchmarks.results_field import field_section, field_table
from benchmarks.results_scpr import RANKERS, scpr_section
from benchmarks.results_stores import ALL_FEATURES, Stored
from ranksieve import catalog
from ranksieve.experiment import Chosen, Outcome, Results, read_study

DOCS = Path(__file__).parents[2] / "docs"
N_QUERIES = 40
METHODS = read_methods()


def made_up_outcome(data, method, variant, ranker, values):
    features = np.arange(5)
    folds = tuple(
        Chosen(1, fold, "", "", 5, features, None, {MAP: 0.5}, 0.1, 0.1, None, {})
        for fold in ("Fold1", "Fold2")
    )
    of_folds = np.repeat([0, 1], N_QUERIES // 2)
    ids = np.array([f"Fold{fold + 1}:{query}" for query, fold in enumerate(of_folds)])
    both = {MAP: values, NDCG10: values / 2}
    return Outcome(data, method, variant, ranker, None, folds, both, ids, of_folds)


def made_up(study, rankers, gains, seed):
    """A store in which method j lies gains[j] above all features, with noise."""
    rng = np.random.default_rng(seed)
    outcomes = []
    for data in DATA:
        for ranker in rankers:
            base = rng.uniform(0.2, 0.7, N_QUERIES)
            outcomes.append(made_up_outcome(data, ALL_FEATURES, "", ranker, base))
            for label, gain in gains.items():
                values = base + gain + rng.normal(0, 0.03, N_QUERIES)
                outcomes.append(made_up_outcome(data, label, "", ranker, values))
    title = read_study(study).title
    return Stored({study: Results(title, "", {}, (), (MAP,), (), tuple(outcomes), ())})


def stepwise(p_values):
    """Holm's method as its paper describes it: the smallest first, until one fails."""
    order, worst = np.argsort(p_values), 0.0
    adjusted = np.empty(len(p_values))
    for step, index in enumerate(order):
        worst = max(worst, min(1.0, (len(p_values) - step) * p_values[index]))
        adjusted[index] = worst
    return adjusted


GAINS = {"GAS-E": 0.05, "IG": 0.0, "CHI": -0.05, "FSMRank": 0.002}


@pytest.mark.parametrize("seed", range(3))
def test_methods_are_tested_against_all_features_and_against_each_other(seed):
    stored = made_up("letor", ("RankSVM", "LightGBM"), GAINS, seed)
    figures = field_table(stored, "OHSUMED", "RankSVM")
    outcomes = [each.outcome for each in figures.methods]
    means = [each.mean(MAP) for each in outcomes]
    assert means == sorted(means, reverse=True)

    against_all = [ttest_rel(o.values[MAP], figures.reference.values[MAP]) for o in outcomes]
    expected = stepwise([test.pvalue for test in against_all])
    np.testing.assert_allclose([each.p_value for each in figures.methods], expected, rtol=1e-9)
    for each, test in zip(figures.methods, against_all, strict=True):
        assert (each.low, each.high) == pytest.approx(tuple(test.confidence_interval(0.95)))

    pairs = list(combinations(range(len(outcomes)), 2))
    tests = [ttest_rel(outcomes[a].values[MAP], outcomes[b].values[MAP]).pvalue for a, b in pairs]
    different = [pair for pair, p in zip(pairs, stepwise(tests), strict=True) if p <= 0.05]
    assert figures.n_different == len(different) > 0
    assert [each.n_below for each in figures.methods] == [
        sum(first == index for first, _ in different) for index in range(len(outcomes))
    ]
    assert [each.n_above for each in figures.methods] == [
        sum(second == index for _, second in different) for index in range(len(outcomes))
    ]
    assert (figures.n_better, figures.n_worse) == (1, 1)


def test_a_line_that_is_all_features_again_has_no_difference_and_p_1():
    stored = made_up("letor", ("RankSVM",), {"IG": 0.1, "CHI": 0.1}, 0)
    results = stored.studies["letor"]
    same = [
        made_up_outcome(o.data, "IG", "", "RankSVM", results.chosen[0].values[MAP])
        for o in results.chosen[:1]
    ]
    others = [o for o in results.chosen if o.method != "IG"]
    stored = Stored({"letor": Results(results.title, "", {}, (), (MAP,), (), (*others, *same), ())})
    line = next(
        m for m in field_table(stored, DATA[0], "RankSVM").methods if m.outcome.method == "IG"
    )
    assert (line.difference, line.low, line.high, line.p_value) == (0.0, 0.0, 0.0, 1.0)


def test_what_is_not_stored_is_said():
    nothing = Stored({})
    assert "is not stored" in "\n".join(field_section(nothing))
    assert "is not stored" in "\n".join(scpr_section(nothing))
    assert "is not stored" in page(METHODS, nothing)


def test_the_page_has_each_line_with_difference_and_number_of_features():
    stored = made_up("letor", ("RankSVM", "LightGBM"), GAINS, 1)
    text = page(METHODS, stored)
    for data in DATA:
        for ranker in ("RankSVM", "LightGBM"):
            for each in field_table(stored, data, ranker).methods:
                star = "*" if each.p_value <= 0.05 else ""
                assert f"{each.difference:+.4f}{star} (5.0)" in text
    assert all(each.name in text for each in METHODS)


def test_fs_scpr_has_a_line_for_each_ranker():
    labels = [grid.label for grid in read_study("fsscpr-rankers").selector_grids]
    stored = made_up("fsscpr-rankers", RANKERS, dict.fromkeys(labels, 0.01), 2)
    rows = [line for line in scpr_section(stored) if line.startswith("| ")]
    assert len(rows) == 2 + len(DATA) * len(RANKERS) * (1 + len(labels))
    assert [grid.label for grid in read_study("fsscpr-rankers").ranker_grids] == list(RANKERS)


def test_every_selector_of_the_package_is_in_the_table():
    spelled = {text.split("(")[0] for each in METHODS for text in (each.spelled, *each.also)}
    selectors = {entry.class_name for entry in catalog.entries("selectors")}
    assert selectors - spelled == set()
    assert spelled - selectors <= {"", "Sieve"}


@pytest.mark.parametrize("method", [each for each in METHODS if each.spelled], ids=lambda m: m.name)
def test_a_method_that_is_here_has_a_page_and_can_be_spelled(method):
    assert method.cost
    assert (DOCS / method.page).is_file()
    for text in (method.spelled, *method.also):
        if text != "Sieve()":
            assert catalog.parse(text, "selectors") is not None


@pytest.mark.parametrize(
    "method", [each for each in METHODS if not each.spelled], ids=lambda m: m.name
)
def test_a_method_that_is_not_here_has_a_reason(method):
    assert method.reason
    assert not method.rows


def test_every_line_of_the_main_study_belongs_to_one_method():
    labels = [label for each in METHODS for label in each.rows]
    assert len(labels) == len(set(labels))
    assert set(labels) == {grid.label for grid in read_study("letor").selector_grids}
