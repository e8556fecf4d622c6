"""What holds for every measure of the catalog."""

from __future__ import annotations

import math
import pickle
from itertools import permutations

import numpy as np
import pytest

from ranksieve.catalog import entries
from ranksieve.errors import DataError
from ranksieve.measures import Measure, parse_measure
from tests.reference.measures import reference_value

TIES = ("input", "average", "worst")
OWN_PARAMETERS = {
    "NDCG": [
        {"gain": "linear"},
        {"discount": "letor"},
        {"convention": "letor", "discount": "log2"},
        {"k": 4, "convention": "letor"},
    ],
    "MAP": [{"threshold": 2}],
    "Precision": [{"threshold": 1.5}],
    "ReciprocalRank": [{"threshold": 3}],
    "ERR": [{"max_grade": 7}],
    "KendallTau": [{"variant": "b"}],
}


def variants() -> list[Measure]:
    found = []
    for entry in entries("measures"):
        component = entry.load()
        cuts = [{"k": k} for k in (1, 3, 8)] if hasattr(component, "k") else []
        shared = [
            {"no_relevant": "skip"},
            {"no_relevant": 0.25},
            {"convention": "letor"},
            {"convention": "letor", "no_relevant": 1},
        ]
        for parameters in ({}, *cuts, *shared, *OWN_PARAMETERS.get(entry.class_name, [])):
            found.extend(component(**parameters, ties=ties) for ties in TIES)
    return found


VARIANTS = variants()
every_measure = pytest.mark.parametrize("measure", VARIANTS, ids=repr)


def small_queries(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Seven queries with ties; the fourth is all grade 0, the last has one document."""
    rng = np.random.default_rng(seed)
    sizes = [5, 1, 6, 4, 7, 3, 1]
    y = rng.integers(0, 5, sum(sizes)).astype(float)
    scores = rng.integers(0, 4, sum(sizes)) - 1.5
    qid = np.repeat([8, 3, 5, 9, 1, 2, 7], sizes)
    y[qid == 9] = 0.0
    return y, scores, qid


@every_measure
def test_equals_the_slow_reference(measure):
    for seed in range(4):
        y, scores, qid = small_queries(seed)
        expected = [
            reference_value(measure, y[qid == q].tolist(), scores[qid == q].tolist())
            for q in dict.fromkeys(qid.tolist())
        ]
        np.testing.assert_allclose(measure.per_query(y, scores, qid=qid), expected, atol=1e-14)


@every_measure
def test_the_mean_leaves_out_skipped_queries_only(measure):
    y, scores, qid = small_queries(1)
    values = measure.per_query(y, scores, qid=qid)
    assert np.isnan(values).any() == (measure.no_relevant == "skip")
    assert measure(y, scores, qid=qid) == pytest.approx(np.nanmean(values), abs=1e-15)


@every_measure
def test_a_query_without_relevant_documents_scores_what_was_asked_for(measure):
    values = measure.per_query([0, 0, 3, 0], [1.0, 2.0, 3.0, 4.0], qid=["a", "a", "b", "b"])
    if measure.no_relevant == "skip":
        assert math.isnan(values[0])
    else:
        assert values[0] == measure.no_relevant


@every_measure
def test_the_ideal_order_is_the_maximum(measure):
    rng = np.random.default_rng(3)
    y, _, qid = small_queries(3)
    best = measure.per_query(y, y, qid=qid)
    for _ in range(20):
        scores = rng.integers(0, 6, len(y)).astype(float)
        values = measure.per_query(y, scores, qid=qid)
        assert np.all((values <= best + 1e-15) | np.isnan(best))


@every_measure
def test_the_opposite_order_is_the_minimum(measure):
    rng = np.random.default_rng(4)
    y, _, qid = small_queries(4)
    least = measure.per_query(y, -y, qid=qid)
    for _ in range(20):
        values = measure.per_query(y, rng.permutation(len(y)), qid=qid)
        assert np.all((values >= least - 1e-15) | np.isnan(least))


@every_measure
def test_a_constant_score_with_averaged_ties_is_the_mean_over_all_orders(measure):
    y = np.array([0.0, 2.0, 1.0, 0.0, 4.0])
    strict = measure.with_ties("input")
    values = [
        strict(y[list(order)], -np.arange(5.0), qid=np.zeros(5, int))
        for order in permutations(range(5))
    ]
    constant = measure.with_ties("average")(y, np.zeros(5), qid=np.zeros(5, int))
    assert constant == pytest.approx(math.fsum(values) / len(values), abs=1e-14)


@every_measure
def test_without_ties_in_score_the_rule_for_ties_does_not_matter(measure):
    y, _, qid = small_queries(5)
    scores = np.random.default_rng(5).permutation(len(y)).astype(float)
    given = measure.per_query(y, scores, qid=qid)
    for ties in TIES:
        other = measure.with_ties(ties).per_query(y, scores, qid=qid)
        np.testing.assert_allclose(other, given, rtol=1e-14)


@every_measure
def test_a_monotone_transformation_of_the_scores_changes_nothing(measure):
    y, scores, qid = small_queries(6)
    values = measure.per_query(y, scores, qid=qid)
    endless = np.where(scores == scores.max(), np.inf, scores)
    endless[scores == scores.min()] = -np.inf
    for moved in (np.exp(scores), 3.0 * scores - 7.0, np.arctan(scores), endless):
        np.testing.assert_array_equal(measure.per_query(y, moved, qid=qid), values)


@every_measure
def test_the_order_of_queries_does_not_matter(measure):
    y, scores, qid = small_queries(7)
    ids = list(dict.fromkeys(qid.tolist()))
    values = dict(zip(ids, measure.per_query(y, scores, qid=qid), strict=True))
    rows = np.concatenate([np.flatnonzero(qid == q) for q in sorted(ids)])
    moved = measure.per_query(y[rows], scores[rows], qid=qid[rows])
    np.testing.assert_array_equal(moved, [values[q] for q in sorted(ids)])


@every_measure
def test_a_cut_of_the_queries_has_the_values_of_the_whole(measure):
    y, scores, qid = small_queries(8)
    query_ptr = np.concatenate([[0], np.flatnonzero(np.diff(qid)) + 1, [len(y)]])
    whole = measure.values(y, scores, query_ptr)
    for start, stop in ((0, 3), (2, 5), (6, 7), (4, 4)):
        cut = measure.values(y, scores, query_ptr[start : stop + 1])
        np.testing.assert_array_equal(cut, whole[start:stop])


@every_measure
def test_every_spelling_parses_back_to_an_equal_measure(measure):
    for text in (repr(measure), str(measure), measure.describe()):
        parsed = parse_measure(text)
        assert parsed == measure
        assert hash(parsed) == hash(measure)
        assert repr(parsed) == repr(measure)


@every_measure
def test_a_measure_survives_pickling(measure):
    again = pickle.loads(pickle.dumps(measure))
    assert again == measure
    assert {measure: 1}[again] == 1


@every_measure
def test_all_parameters_are_named_and_described(measure):
    assert {"no_relevant", "ties", "convention"} <= measure.parameters.keys()
    assert type(measure)(**measure.parameters) == measure
    for name in measure.parameters:
        assert f"{name}=" in measure.describe()


@every_measure
def test_only_the_ties_change_with_ties(measure):
    changed = measure.with_ties("worst")
    assert changed.parameters == measure.parameters | {"ties": "worst"}
    assert changed.with_ties(measure.ties) == measure


def test_measures_that_differ_are_not_equal():
    assert len(set(VARIANTS)) == len(VARIANTS)
    assert len({repr(measure) for measure in VARIANTS}) == len(VARIANTS)


@pytest.mark.parametrize(
    "measure", [measure for measure in VARIANTS if measure.no_relevant == "skip"], ids=repr
)
def test_all_queries_skipped_is_an_error(measure):
    with pytest.raises(DataError, match="leaves out all 2"):
        measure([0, 0, 0, 0], [1.0, 2.0, 3.0, 4.0], qid=[1, 1, 2, 2])
