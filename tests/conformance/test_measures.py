"""Every measure in the catalog obeys the laws, and equals its slow reference."""

from __future__ import annotations

import numpy as np
import pytest

from ranksieve import ERR, MAP, NDCG, KendallTau, Precision, ReciprocalRank, catalog
from ranksieve.testing import MeasureSuite
from ranksieve.testing.measures import small_queries, variants
from tests.reference.measures import REFERENCES, reference_value

# Besides the defaults of the family, parameters of single measures.
OWN_PARAMETERS = (
    NDCG(gain="linear"),
    NDCG(discount="letor"),
    NDCG(convention="letor", discount="log2"),
    NDCG(4, convention="letor"),
    MAP(threshold=2),
    Precision(threshold=1.5),
    ReciprocalRank(threshold=3),
    ERR(max_grade=7),
    KendallTau(variant="b"),
)


class TestMeasures(MeasureSuite):
    components = (*(entry.load()() for entry in catalog.entries("measures")), *OWN_PARAMETERS)


@pytest.mark.parametrize(
    "measure",
    [each for each in variants(TestMeasures.components) if type(each).__name__ in REFERENCES],
    ids=repr,
)
def test_equals_the_slow_reference(measure):
    for seed in range(4):
        y, scores, qid = small_queries(seed)
        expected = [
            reference_value(measure, y[qid == q].tolist(), scores[qid == q].tolist())
            for q in dict.fromkeys(qid.tolist())
        ]
        np.testing.assert_allclose(measure.per_query(y, scores, qid=qid), expected, atol=1e-14)
