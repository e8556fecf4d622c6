"""Grades from judgement files, and the rules for codes."""

from __future__ import annotations

import pytest

from ranksieve.errors import DataError, ParameterError
from ranksieve.extract.collections.judgements import collection_judgements, grade_rule
from ranksieve.extract.collections.records import Tally


@pytest.fixture
def judged(tmp_path):
    def read(text, name="qrels", rule=None):
        path = tmp_path / name
        path.write_text(text)
        tally = Tally()
        return collection_judgements(path, rule, tally).grades, tally.counts

    return read


def test_cranfields_codes_become_grades_from_4_to_1_and_minus_1_has_none(judged):
    grades, counts = judged("1 7 1\n1 8 2 \n1 9 3\n1 3 4\n1 5 -1\n")
    assert grades == {"1": {"7": 4, "8": 3, "9": 2, "3": 1, "5": None}}
    assert counts == {"judgement without a grade": 1}


def test_trec_qrels_are_taken_as_they_are_and_spam_counts_as_0(judged):
    grades, counts = judged("q1 0 d7 2\nq1 0 d8 0\nq2 Q0 d7 -2\n")
    assert grades == {"q1": {"d7": 2, "d8": 0}, "q2": {"d7": 0}}
    assert counts == {"negative grade": 1}


def test_beirs_table_has_titles(judged):
    grades, _ = judged("query-id\tcorpus-id\tscore\nq1\td7\t1\n", "test.tsv")
    assert grades == {"q1": {"d7": 1}}


def test_a_rule_replaces_the_default(judged):
    grades, counts = judged("1 7 1\n1 8 -1\n", rule=grade_rule("1=2, -1=0"))
    assert grades == {"1": {"7": 2, "8": 0}}
    assert counts == {}


def test_a_pair_may_be_judged_twice_alike(judged):
    assert judged("q 0 d 1\nq 0 d 1\n")[0] == {"q": {"d": 1}}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no judgements: it is empty"),
        ("q 0 d 1\nq 0 d 2\n", r"line 2: document 'd' of query 'q' has the grade 2, and another"),
        ("q 0 d 1\nq d 2\n", r"line 2: 'q d 2' has 3 columns"),
        ("q d\n", r"line 1: 'q d' has 2 columns\. A line reads QUERY ITERATION DOCUMENT GRADE"),
        ("q 0 d good\n", r"line 1: the grade is 'good', which is no number"),
        ("q 0 d nan\n", r"line 1: the grade is 'nan', which is no number"),
        ("1 7 5\n", r"line 1: the code 5 has no grade: the rule has 1, 2, 3, 4, -1\. Add it"),
    ],
)
def test_a_judgement_that_cannot_be_used_is_an_error_that_says_where(judged, text, message):
    with pytest.raises(DataError, match=message):
        judged(text)


@pytest.mark.parametrize("text", ["1", "1=", "a=1", "1=-1", "1=nan", "1=2,"])
def test_a_rule_that_cannot_be_read_is_an_error(text):
    with pytest.raises(ParameterError, match="rule of grades"):
        grade_rule(text)
