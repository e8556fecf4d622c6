"""Precision by hand."""

from __future__ import annotations

import pytest

from ranksieve.errors import ParameterError
from ranksieve.measures import Precision

Y = [1, 0, 2, 0, 0, 1]
SCORES = [4, 3, 2, 1, 2, 1]
QID = [1, 1, 1, 1, 2, 2]


def test_precision_counts_the_first_k():
    assert Precision(3).per_query(Y, SCORES, qid=QID).tolist() == [2 / 3, 1 / 3]
    assert Precision(1).per_query(Y, SCORES, qid=QID).tolist() == [1.0, 0.0]


def test_a_short_list_is_still_divided_by_k_in_both_conventions():
    assert Precision(5).per_query(Y, SCORES, qid=QID).tolist() == [2 / 5, 1 / 5]
    letor = Precision(5, convention="letor")
    assert letor.per_query(Y, SCORES, qid=QID).tolist() == [2 / 5, 1 / 5]


def test_a_tie_across_the_cut_counts_its_share():
    value = Precision(2, ties="average")([1, 1, 0, 0], [9, 5, 5, 5], qid=[1] * 4)
    assert value == pytest.approx((1 + 1 / 3) / 2, rel=1e-15)
    assert Precision(2, ties="worst")([1, 1, 0, 0], [9, 5, 5, 5], qid=[1] * 4) == 1 / 2


def test_the_text_form_always_names_the_cut():
    assert str(Precision(5)) == "precision@5"
    assert str(Precision()) == "precision@10"
    assert repr(Precision(5, threshold=2)) == "Precision(5, threshold=2)"


def test_precision_needs_a_cut():
    with pytest.raises(ParameterError, match="k must be a whole number of at least 1"):
        Precision(None)
