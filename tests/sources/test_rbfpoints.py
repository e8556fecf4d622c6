from __future__ import annotations

import numpy as np
import pytest

from ranksieve.errors import ParameterError
from ranksieve.sources import RBFPoints, as_source

SOURCES = [
    RBFPoints(n_runs=2),
    RBFPoints(n_points=31, n_features=7, n_relevant=7, n_runs=3, levels=5, n_folds=4),
    RBFPoints(n_points=40, n_features=5, n_relevant=1, n_centres=1, n_runs=1, random_state=8),
]


def rows(data):
    return {tuple(row) for row in data.X.tolist()}


@pytest.mark.parametrize("source", SOURCES, ids=repr)
def test_each_point_of_a_run_is_in_exactly_one_test_part(source):
    folds = source.folds()
    assert len(folds) == source.n_runs * source.n_folds
    for start in range(0, len(folds), source.n_folds):
        run = folds[start : start + source.n_folds]
        tested = [row for fold in run for row in rows(fold.test)]
        assert len(tested) == len(set(tested)) == source.n_points
        for fold in run:
            assert fold.vali is None
            assert rows(fold.train).isdisjoint(rows(fold.test))
            assert rows(fold.train) | rows(fold.test) == set(tested)
            assert fold.train.n_queries == fold.test.n_queries == 1


@pytest.mark.parametrize("source", SOURCES, ids=repr)
def test_the_text_form_gives_the_same_folds(source):
    again = as_source(repr(source))
    assert again == source
    for fold, other in zip(source.folds(), again.folds(), strict=True):
        assert fold.name == other.name
        assert fold.train.fingerprint == other.train.fingerprint
        assert fold.test.fingerprint == other.test.fingerprint


def test_runs_and_seeds_differ_and_a_run_does_not_depend_on_how_many_there_are():
    two, three = RBFPoints(n_runs=2).folds(), RBFPoints(n_runs=3).folds()
    prints = [fold.test.fingerprint for fold in three]
    assert len(set(prints)) == len(prints)
    assert [fold.test.fingerprint for fold in two] == prints[:6]
    assert RBFPoints(random_state=1).folds()[0].test.fingerprint not in prints


def slow_value(truth, x):
    total = 0.0
    for centre, height in zip(truth.centres, truth.heights, strict=True):
        exponent = sum(w * (a - b) ** 2 for w, a, b in zip(truth.weights, x, centre, strict=True))
        total += height * np.exp(-exponent)
    return total


@pytest.mark.parametrize("source", SOURCES, ids=repr)
def test_a_point_has_a_higher_position_where_the_function_is_larger(source):
    run = source.run(1)
    values = [slow_value(run.truth, x) for x in run.X]
    assert np.array_equal(np.argsort(values), np.argsort(run.positions))
    assert sorted(run.positions.tolist()) == list(range(source.n_points))


def test_grades_are_positions_or_levels_of_equal_size():
    plain, levels = RBFPoints(n_points=50).run(2), RBFPoints(n_points=50, levels=5).run(2)
    assert np.array_equal(plain.grades, plain.positions)
    assert np.array_equal(levels.grades, levels.positions // 10)
    assert np.bincount(levels.grades.astype(int)).tolist() == [10] * 5


@pytest.mark.parametrize("source", SOURCES, ids=repr)
def test_features_without_a_weight_do_not_change_the_order_and_the_others_do(source):
    run = source.run(1)
    matter = run.truth.weights > 0
    assert matter.sum() == source.n_relevant
    moved = run.X.copy()
    moved[:, ~matter] = 0.5
    assert np.array_equal(run.truth.values(moved).argsort(), run.truth.values(run.X).argsort())
    for feature in np.flatnonzero(matter):
        moved = run.X.copy()
        moved[:, feature] = 1.0 - moved[:, feature]
        assert not np.allclose(run.truth.values(moved), run.truth.values(run.X))


def test_the_exponent_is_2_in_the_mean():
    source = RBFPoints(n_points=4000, n_centres=200)
    run = source.run(1)
    matter = run.truth.weights > 0
    apart = (run.X[:, None, matter] - run.truth.centres[None, :, matter]) ** 2
    assert (apart @ run.truth.weights[matter]).mean() == pytest.approx(2.0, abs=0.1)


def test_names_are_run_and_group():
    names = [fold.name for fold in RBFPoints(n_runs=12).folds()]
    assert names[:4] == ["run01-1", "run01-2", "run01-3", "run02-1"]
    assert names[-1] == "run12-3"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_relevant": 31}, "n_features must be a whole number of at least 31"),
        ({"n_points": 5}, "n_points must be a whole number of at least 6"),
        ({"levels": 1}, "levels must be a whole number of at least 2"),
        ({"levels": 101}, "levels must be at most n_points, 100"),
        ({"n_runs": 0}, "n_runs"),
    ],
)
def test_impossible_settings_are_refused(options, message):
    with pytest.raises(ParameterError, match=message):
        RBFPoints(**options).folds()
