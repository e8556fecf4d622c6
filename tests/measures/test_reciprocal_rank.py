"""Reciprocal rank by hand."""

from __future__ import annotations

import pytest

from ranksieve.measures import ReciprocalRank

Y = [0, 0, 2, 1, 0, 1]
SCORES = [4, 3, 2, 1, 2, 1]
QID = [1, 1, 1, 1, 2, 2]


def test_the_first_relevant_document_counts():
    assert ReciprocalRank().per_query(Y, SCORES, qid=QID).tolist() == [1 / 3, 1 / 2]
    assert ReciprocalRank()(Y, SCORES, qid=QID) == pytest.approx((1 / 3 + 1 / 2) / 2, rel=1e-15)


def test_after_the_cut_nothing_counts():
    assert ReciprocalRank(2).per_query(Y, SCORES, qid=QID).tolist() == [0.0, 1 / 2]


def test_averaged_ties_follow_the_distribution_of_the_first_relevant_document():
    # Two of three tied documents are relevant: first at place 1 in 2 of 3 orders, else at 2.
    value = ReciprocalRank(ties="average")([0, 1, 0, 1], [9, 5, 5, 5], qid=[1] * 4)
    assert value == pytest.approx(2 / 3 * 1 / 2 + 1 / 3 * 1 / 3, rel=1e-15)


def test_spelling():
    assert str(ReciprocalRank()) == "reciprocal-rank"
    assert str(ReciprocalRank(5)) == "reciprocal-rank@5"
    assert repr(ReciprocalRank(5, ties="worst")) == 'ReciprocalRank(5, ties="worst")'
