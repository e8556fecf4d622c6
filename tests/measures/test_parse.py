"""The text forms of measures."""

from __future__ import annotations

import pytest

from ranksieve.errors import ParameterError
from ranksieve.measures import ERR, MAP, NDCG, KendallTau, Precision, ReciprocalRank, parse_measure


@pytest.mark.parametrize(
    ("text", "measure"),
    [
        ("ndcg", NDCG()),
        ("ndcg@10", NDCG(10)),
        ("nDCG@10", NDCG(10)),
        (" letor-ndcg@10 ", NDCG(10, convention="letor")),
        ("map", MAP()),
        ("letor-map", MAP(convention="letor")),
        ("precision@5", Precision(5)),
        ("p@5", Precision(5)),
        ("P@5", Precision(5)),
        ("rr", ReciprocalRank()),
        ("mrr@10", ReciprocalRank(10)),
        ("reciprocal-rank", ReciprocalRank()),
        ("reciprocal_rank@3", ReciprocalRank(3)),
        ("err@10", ERR(10)),
        ("kendall-tau", KendallTau()),
        ('NDCG(10, convention="letor")', NDCG(10, convention="letor")),
        ("map(threshold=2)", MAP(threshold=2)),
        ("KendallTau(variant='b')", KendallTau(variant="b")),
    ],
)
def test_text_becomes_a_measure(text, measure):
    assert parse_measure(text) == measure


def test_a_measure_is_returned_as_it_is():
    measure = NDCG(3)
    assert parse_measure(measure) is measure


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ndgc@10", "unknown measure 'ndgc': did you mean 'ndcg'"),
        ("precison@5", "unknown measure 'precison': did you mean 'precision'"),
        ("letor-mpa", "unknown measure 'mpa': did you mean 'map'"),
        ("NDGC(10)", "unknown measure 'NDGC': did you mean 'ndcg'"),
        ("NDCG(10, gian='linear')", "NDCG has no parameter 'gian': did you mean 'gain'"),
        ("NDCG(10, gain='lin')", "gain must be one of"),
        ("ndcg@0", "k must be a whole number of at least 1"),
        ("ndcg@", "cannot read the measure 'ndcg@'"),
        ("ndcg@ten", "cannot read the measure 'ndcg@ten'"),
        ("ndcg@" + "9" * 5000, "cannot read the measure"),
        ("", "cannot read the measure ''"),
        ("kendall-tau@5", "kendall-tau counts all positions: write it without '@5'"),
    ],
)
def test_text_that_is_no_measure_says_what_would_be(text, message):
    with pytest.raises(ParameterError, match=message):
        parse_measure(text)


def test_what_is_neither_text_nor_measure_is_an_error():
    with pytest.raises(ParameterError, match=r"such as 'ndcg@10' .* but is 10"):
        parse_measure(10)
