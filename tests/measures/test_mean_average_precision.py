"""MAP by hand."""

from __future__ import annotations

import pytest

from ranksieve.errors import ParameterError
from ranksieve.measures import MAP

Y = [1, 0, 2, 0, 0, 1, 0]
SCORES = [4, 3, 2, 1, 3, 2, 1]
QID = [1, 1, 1, 1, 2, 2, 2]
FIRST = (1 / 1 + 2 / 3) / 2
SECOND = (1 / 2) / 1


def test_precision_is_averaged_over_relevant_documents():
    assert MAP().per_query(Y, SCORES, qid=QID).tolist() == pytest.approx([FIRST, SECOND])
    assert MAP()(Y, SCORES, qid=QID) == pytest.approx((FIRST + SECOND) / 2, rel=1e-15)


def test_a_cutoff_still_divides_by_all_relevant_documents():
    assert MAP(2).per_query(Y, SCORES, qid=QID).tolist() == [(1 / 1) / 2, (1 / 2) / 1]


def test_the_threshold_decides_what_is_relevant():
    assert MAP(threshold=2).per_query(Y, SCORES, qid=QID).tolist() == [1 / 3, 0.0]


def test_averaged_ties_are_the_mean_of_both_orders():
    value = MAP(ties="average")([1, 0, 1], [5, 5, 1], qid=[1, 1, 1])
    assert value == pytest.approx(((1 + 2 / 3) / 2 + (1 / 2 + 2 / 3) / 2) / 2, rel=1e-15)


def test_spelling():
    assert repr(MAP(threshold=2)) == "MAP(threshold=2)"
    assert str(MAP()) == "map"
    assert str(MAP(5)) == "map@5"
    assert str(MAP(convention="letor")) == "letor-map"


@pytest.mark.parametrize("threshold", [0, -1, float("inf"), float("nan"), "1", None, True])
def test_a_threshold_that_is_no_positive_number_is_an_error(threshold):
    with pytest.raises(ParameterError, match="threshold must be a positive number, but is"):
        MAP(threshold=threshold)
