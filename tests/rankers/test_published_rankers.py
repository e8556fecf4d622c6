"""Rankers against their published figures, by the papers' protocol.

The page has what each fold chose. Training all that it chose from would take minutes, so that is
done for one fold of each ranker and data set, and the others train what was chosen.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from benchmarks.published import MEASURES, data_folder, folds_of, measured
from benchmarks.published_rankers import AIM, DATASETS, PUBLISHED, one_fold, stored, trained
from ranksieve.threads import threads

ONLY_GRADE_2 = "SVMMAP, only grade 2 relevant"
# RankSVM has a test of its own.
METHODS = [*(method for method in PUBLISHED if method != "RankSVM"), ONLY_GRADE_2]
CASES = [(method, name) for method in METHODS for name in DATASETS]
# Above the published figure by more than the aim: see docs/published-rankers.md.
BETTER = ("SVMMAP", "MQ2008")
# The page has four digits; on another processor documents of nearly one score may change places.
TOLERANCE = 5e-4


def five_folds(method, name):
    return [row for row in stored() if (row.method, row.data) == (method, name)]


def mean_map(method, name):
    return float(np.mean([row.values[0] for row in five_folds(method, name)]))


@cache
def chosen_fold(method, name):
    """The number of the fold that is trained with all that it chooses from, and what came of it."""
    number = CASES.index((method, name)) % 5
    return number, one_fold(method, name, number)


@pytest.mark.slow
@pytest.mark.usefixtures("real_data")
@pytest.mark.parametrize(("method", "name"), CASES)
def test_folds_rank_as_on_the_page(method, name):
    rows = five_folds(method, name)
    assert len(rows) == 5
    number, chosen = chosen_fold(method, name)
    for index, (row, fold) in enumerate(zip(rows, folds_of(data_folder() / name), strict=True)):
        if index == number:
            # This fold has trained it to choose it.
            values = chosen.values
        else:
            with threads(1):
                model = trained(row.chosen, fold)
            values = [measured(measure, model, fold.test) for measure in MEASURES]
        np.testing.assert_allclose(values, row.values, rtol=0, atol=TOLERANCE)


@pytest.mark.slow
@pytest.mark.usefixtures("real_data")
@pytest.mark.parametrize(("method", "name"), CASES)
def test_a_fold_chooses_what_the_page_says(method, name):
    number, chosen = chosen_fold(method, name)
    row = five_folds(method, name)[number]
    assert (chosen.chosen, chosen.rounds, chosen.fold) == (row.chosen, row.rounds, row.fold)
    assert chosen.validation == pytest.approx(row.validation, abs=TOLERANCE)


@pytest.mark.parametrize(
    ("method", "name"), [case for case in CASES if case != BETTER and case[0] in PUBLISHED]
)
def test_five_folds_come_within_the_aim_of_the_published_map(method, name):
    published = PUBLISHED[method][DATASETS.index(name)][0]
    assert abs(mean_map(method, name) - published) <= AIM


def test_svmmap_is_better_on_mq2008_unless_only_the_highest_grade_is_relevant():
    published = PUBLISHED["SVMMAP"][DATASETS.index("MQ2008")][0]
    assert mean_map(*BETTER) > published + AIM
    assert abs(mean_map(ONLY_GRADE_2, "MQ2008") - published) <= AIM
