from __future__ import annotations

import numpy as np
import pytest

from ranksieve import MAP, NDCG
from ranksieve.data import from_arrays
from ranksieve.errors import DataError, ParameterError
from ranksieve.importance import MeasureImportance, as_importance
from tests.reference.cases import random_arrays, row_ids


def test_better_direction_is_taken():
    X = [[1.0, 3.0], [2.0, 2.0], [3.0, 1.0]]
    data = from_arrays(X, [0, 0, 1], [1, 1, 1])
    np.testing.assert_allclose(MeasureImportance("map").scores(data), [1.0, 1.0])
    up, down = MeasureImportance("map").both_directions(data)
    np.testing.assert_allclose(up, [1, 1 / 3])
    np.testing.assert_allclose(down, [1 / 3, 1])


def test_direction_is_that_of_the_mean_not_of_each_query():
    # Feature ranks query 1 right and query 2 wrong: both directions have mean AP 0.75.
    data = from_arrays([[2.0], [1.0], [1.0], [2.0]], [1, 0, 1, 0], [1, 1, 2, 2])
    assert MeasureImportance("map").scores(data)[0] == pytest.approx((1 + 1 / 2) / 2)


@pytest.mark.parametrize("measure", [MAP(), NDCG(3), NDCG(10, convention="letor")])
def test_without_ties_it_is_the_measure_of_the_column(measure):
    X, y, query_ptr = random_arrays(0)
    qid = row_ids(query_ptr)
    scores = MeasureImportance(measure).scores(from_arrays(X[:, :1], y, qid))
    expected = max(measure(y, X[:, 0], qid=qid), measure(y, -X[:, 0], qid=qid))
    assert scores[0] == pytest.approx(expected, rel=1e-14)


def test_a_file_sorted_by_grade_gives_nothing_to_a_constant_feature():
    data = from_arrays([[7.0]] * 4, [3, 2, 1, 0], [1] * 4)
    assert MeasureImportance("ndcg@1").scores(data)[0] == pytest.approx((7 + 3 + 1 + 0) / 4 / 7)


def test_spelling():
    assert as_importance("ndcg@10") == MeasureImportance(NDCG(10))
    assert as_importance(NDCG(10)) == MeasureImportance(NDCG(10))
    assert as_importance('measure(measure="map")') == MeasureImportance("map")
    with pytest.raises(ParameterError, match=r"'mpa'.*did you mean 'map'"):
        as_importance("mpa")


def test_fractional_grades_are_refused_where_levels_are_needed():
    data = from_arrays([[1.0], [2.0]], [0.5, 1], [1, 1])
    with pytest.raises(DataError, match="fractional"):
        MeasureImportance("ndcg@10").scores(data)


def test_leaving_out_every_query_is_an_error():
    data = from_arrays([[1.0], [2.0]], [0, 0], [1, 1])
    with pytest.raises(DataError, match="leaves out every query"):
        MeasureImportance(MAP(no_relevant="skip")).scores(data)


def test_a_misspelt_importance_suggests_the_nearest_one():
    with pytest.raises(ParameterError, match="did you mean 'information-gain'"):
        as_importance("informaton-gain")
