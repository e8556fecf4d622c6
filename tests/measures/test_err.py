"""Expected reciprocal rank by hand."""

from __future__ import annotations

import pytest

from ranksieve.errors import DataError, ParameterError
from ranksieve.measures import ERR

Y = [2, 0, 4, 1, 3]
SCORES = [3, 2, 1, 2, 1]
QID = [1, 1, 1, 2, 2]


def test_a_reader_stops_with_the_probability_of_the_grade():
    first = 3 / 16 + 13 / 16 * 1 * 15 / 16 / 3
    second = 1 / 16 + 15 / 16 * 7 / 16 / 2
    assert ERR().per_query(Y, SCORES, qid=QID).tolist() == pytest.approx([first, second])
    assert ERR(2).per_query(Y, SCORES, qid=QID).tolist() == pytest.approx([3 / 16, second])


def test_max_grade_is_the_scale_and_not_the_data():
    assert ERR(max_grade=2)([1], [0], qid=[1]) == 1 / 4
    assert ERR(max_grade=1)([1], [0], qid=[1]) == 1 / 2


def test_averaged_ties_are_the_mean_of_both_orders():
    single = 3 / 16 + 13 / 16 * 15 / 16 / 2
    other = 15 / 16 + 1 / 16 * 3 / 16 / 2
    assert ERR(ties="average")([2, 4], [1, 1], qid=[1, 1]) == pytest.approx((single + other) / 2)


def test_grades_above_the_scale_are_an_error():
    with pytest.raises(DataError, match=r"max_grade=4, but 2 grades are above \(first: 5 at row 1"):
        ERR()([0, 5, 6], [1, 2, 3], qid=[1, 1, 1])
    with pytest.raises(DataError, match=r"ERR needs whole grades .* 1.5 at row 0"):
        ERR()([1.5], [1], qid=[1])


def test_a_scale_that_overflows_is_an_error():
    with pytest.raises(ParameterError, match="max_grade must be at most 960, but is 1000"):
        ERR(max_grade=1000)
    with pytest.raises(ParameterError, match="max_grade must be a whole number"):
        ERR(max_grade=0)
    assert ERR(max_grade=960)([960], [1], qid=[1]) == pytest.approx(1.0)


def test_spelling():
    assert str(ERR(10)) == "err@10"
    assert str(ERR(max_grade=2)) == repr(ERR(max_grade=2)) == "ERR(max_grade=2)"
