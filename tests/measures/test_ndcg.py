"""NDCG by hand, in both conventions, and against scikit-learn, LightGBM and XGBoost."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ranksieve.errors import DataError, ParameterError
from ranksieve.measures import NDCG

LOG3 = math.log2(3)


def values(measure, *queries):
    """Values of queries, each a list of grades in the order of falling scores."""
    y = [grade for query in queries for grade in query]
    scores = [-position for query in queries for position in range(len(query))]
    qid = [number for number, query in enumerate(queries) for _ in query]
    return measure.per_query(y, scores, qid=qid).tolist()


def test_the_standard_convention_discounts_from_the_second_position():
    first = (3 + 0 / LOG3 + 7 / 2) / (7 + 3 / LOG3 + 0 / 2)
    second = (1 / LOG3) / 1
    assert values(NDCG(3), [2, 0, 3], [0, 1]) == pytest.approx([first, second], rel=1e-15)


def test_the_letor_convention_discounts_from_the_third_position():
    first = (3 + 0 + 7 / LOG3 + 1 / 2) / (7 + 3 + 1 / LOG3)
    second = (0 + 1) / 1
    assert values(NDCG(convention="letor"), [2, 0, 3, 1], [0, 1]) == pytest.approx(
        [first, second], rel=1e-15
    )


def test_the_letor_convention_scores_0_for_fewer_than_k_documents():
    measure = NDCG(3, convention="letor")
    assert values(measure, [1, 0], [1, 0, 0], [0, 0, 0]) == [0.0, 1.0, 0.0]
    assert values(NDCG(3), [1, 0], [1, 0, 0], [0, 0, 0]) == [1.0, 1.0, 0.0]


def test_without_k_no_list_is_short_in_the_letor_convention():
    assert values(NDCG(convention="letor"), [1], [2, 1]) == [1.0, 1.0]


def test_a_given_discount_holds_in_either_convention():
    letor_list_standard_discount = NDCG(2, convention="letor", discount="log2")
    assert values(letor_list_standard_discount, [0, 1], [1]) == pytest.approx([1 / LOG3, 0.0])
    standard_list_letor_discount = NDCG(2, discount="letor")
    assert values(standard_list_letor_discount, [0, 1], [1]) == [1.0, 1.0]


def test_a_convention_and_its_own_discount_spelled_out_are_one_measure():
    assert NDCG(5, convention="letor", discount="letor") == NDCG(5, convention="letor")
    assert NDCG(5, discount="log2") == NDCG(5)
    assert NDCG(5, discount="letor") != NDCG(5, convention="letor")


def test_linear_gain_is_the_grade_itself_and_may_be_fractional():
    expected = (0.5 + 2 / LOG3) / (2 + 0.5 / LOG3)
    assert values(NDCG(gain="linear"), [0.5, 2]) == pytest.approx([expected], rel=1e-15)


def test_ties_in_input_order_hand_the_labels_to_a_constant_score():
    y, constant, qid = [1, 0, 0, 1], [5.0] * 4, [1, 1, 2, 2]
    assert NDCG().per_query(y, constant, qid=qid).tolist() == pytest.approx([1.0, 1 / LOG3])
    average = (1 + 1 / LOG3) / 2
    assert NDCG(ties="average").per_query(y, constant, qid=qid) == pytest.approx([average] * 2)
    assert NDCG(ties="worst").per_query(y, constant, qid=qid) == pytest.approx([1 / LOG3] * 2)


def test_spelling():
    assert repr(NDCG(10)) == "NDCG(10)"
    assert repr(NDCG()) == "NDCG()"
    assert repr(NDCG(10, convention="letor")) == 'NDCG(10, convention="letor")'
    assert repr(NDCG(np.int64(5), no_relevant=np.float64(1))) == "NDCG(5, no_relevant=1.0)"
    assert str(NDCG(10)) == "ndcg@10"
    assert str(NDCG()) == "ndcg"
    assert str(NDCG(10, convention="letor")) == "letor-ndcg@10"
    assert str(NDCG(10, gain="linear")) == 'NDCG(10, gain="linear")'
    assert NDCG(10, convention="letor").describe() == (
        'NDCG(k=10, gain="exponential", discount="letor", no_relevant=0.0, ties="input", '
        'convention="letor")'
    )


def test_fractional_grades_need_linear_gain():
    with pytest.raises(DataError, match=r"gain='exponential' needs whole grades .* 0.5 at row 1"):
        NDCG()([1, 0.5], [1, 2], qid=[1, 1])


def test_a_grade_whose_gain_overflows_is_an_error():
    with pytest.raises(DataError, match="overflows above grade 960, but row 1 has grade 2000"):
        NDCG()([1, 2000], [1, 2], qid=[1, 1])
    with pytest.raises(DataError, match="gains add up to infinity: row 0 has grade 1e"):
        NDCG(gain="linear")([1e308, 1e308], [1, 2], qid=[1, 1])
    assert values(NDCG(), [960, 0, 960]) == pytest.approx([1.5 / (1 + 1 / LOG3)])


@pytest.mark.parametrize("k", [0, -3, 2.0, True, "10", 10**18])
def test_a_cutoff_that_is_no_positive_whole_number_is_an_error(k):
    with pytest.raises(ParameterError, match="k must be a whole number of at least 1"):
        NDCG(k)


def test_wrong_names_suggest_the_nearest():
    with pytest.raises(ParameterError, match=r"gain must be .* did you mean 'linear'"):
        NDCG(gain="lineal")
    with pytest.raises(ParameterError, match=r"discount must be .* did you mean 'log2'"):
        NDCG(discount="log")
    with pytest.raises(ParameterError, match=r"convention must be .* did you mean 'letor'"):
        NDCG(convention="LETOR")
    with pytest.raises(ParameterError, match=r"ties must be .* did you mean 'average'"):
        NDCG(ties="averaged")
    with pytest.raises(ParameterError, match=r"ties must be .* but is None"):
        NDCG(ties=None)
