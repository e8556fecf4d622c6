"""Laws that every measure obeys."""

from __future__ import annotations

import math
import pickle
from collections.abc import Sequence
from itertools import permutations
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray

from ranksieve.errors import DataError
from ranksieve.measures import Measure, parse_measure
from ranksieve.measures.base import Ties
from ranksieve.testing.base import Suite

TIES: tuple[Ties, ...] = ("input", "average", "worst")
_SHARED: tuple[dict[str, Any], ...] = (
    {},
    {"no_relevant": "skip"},
    {"no_relevant": 0.25},
    {"convention": "letor"},
    {"convention": "letor", "no_relevant": 1},
)


def variants(measures: Sequence[Measure]) -> list[Measure]:
    """Return measures with each rule for ties, and their classes with all shared parameters."""
    chosen = list(measures)
    for kind in dict.fromkeys(type(measure) for measure in measures):
        cuts = [{"k": k} for k in (1, 3, 8)] if hasattr(kind, "k") else []
        chosen.extend(kind(**parameters) for parameters in (*_SHARED, *cuts))
    tied = [measure.with_ties(ties) for measure in chosen for ties in TIES]
    return list(dict.fromkeys(tied))


def small_queries(
    seed: int,
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Seven queries with ties; the fourth is all grade 0, the last has one document."""
    rng = np.random.default_rng(seed)
    sizes = [5, 1, 6, 4, 7, 3, 1]
    y = rng.integers(0, 5, sum(sizes)).astype(float)
    scores = rng.integers(0, 4, sum(sizes)).astype(float) - 1.5
    qid = np.repeat([8, 3, 5, 9, 1, 2, 7], sizes)
    y[qid == 9] = 0.0
    return y, scores, qid


class MeasureSuite(Suite):
    """Laws that every measure obeys, with each rule for ties and all shared parameters.

    A value worked out by hand, or a slow reference, belongs beside them: laws do not tell a
    measure from another.
    """

    argument: ClassVar[str] = "measure"
    family: ClassVar[str] = "measures"

    def arguments(self) -> dict[str, Sequence[Any]]:
        """Return the variants of all measures, and of them those that leave queries out."""
        measures = variants(self.components)
        skipping = [measure for measure in measures if measure.no_relevant == "skip"]
        return {"measure": measures, "skipping_measure": skipping}

    def test_the_mean_leaves_out_skipped_queries_only(self, measure: Measure) -> None:
        y, scores, qid = small_queries(1)
        values = measure.per_query(y, scores, qid=qid)
        assert np.isnan(values).any() == (measure.no_relevant == "skip")
        assert measure(y, scores, qid=qid) == pytest.approx(np.nanmean(values), abs=1e-15)

    def test_a_query_without_relevant_documents_scores_what_was_asked_for(
        self, measure: Measure
    ) -> None:
        values = measure.per_query([0, 0, 3, 0], [1.0, 2.0, 3.0, 4.0], qid=["a", "a", "b", "b"])
        if measure.no_relevant == "skip":
            assert math.isnan(values[0])
        else:
            assert values[0] == measure.no_relevant

    def test_the_ideal_order_is_the_maximum(self, measure: Measure) -> None:
        rng = np.random.default_rng(3)
        y, _, qid = small_queries(3)
        best = measure.per_query(y, y, qid=qid)
        for _ in range(20):
            scores = rng.integers(0, 6, len(y)).astype(float)
            values = measure.per_query(y, scores, qid=qid)
            assert np.all((values <= best + 1e-15) | np.isnan(best))

    def test_the_opposite_order_is_the_minimum(self, measure: Measure) -> None:
        rng = np.random.default_rng(4)
        y, _, qid = small_queries(4)
        least = measure.per_query(y, -y, qid=qid)
        for _ in range(20):
            values = measure.per_query(y, rng.permutation(len(y)), qid=qid)
            assert np.all((values >= least - 1e-15) | np.isnan(least))

    def test_a_constant_score_with_averaged_ties_is_the_mean_over_all_orders(
        self, measure: Measure
    ) -> None:
        y = np.array([0.0, 2.0, 1.0, 0.0, 4.0])
        strict = measure.with_ties("input")
        values = [
            strict(y[list(order)], -np.arange(5.0), qid=np.zeros(5, int))
            for order in permutations(range(5))
        ]
        constant = measure.with_ties("average")(y, np.zeros(5), qid=np.zeros(5, int))
        assert constant == pytest.approx(math.fsum(values) / len(values), abs=1e-14)

    def test_without_ties_in_score_the_rule_for_ties_does_not_matter(
        self, measure: Measure
    ) -> None:
        y, _, qid = small_queries(5)
        scores = np.random.default_rng(5).permutation(len(y)).astype(float)
        expected = measure.per_query(y, scores, qid=qid)
        for ties in TIES:
            other = measure.with_ties(ties).per_query(y, scores, qid=qid)
            np.testing.assert_allclose(other, expected, rtol=1e-14)

    def test_a_monotone_transformation_of_the_scores_changes_nothing(
        self, measure: Measure
    ) -> None:
        y, scores, qid = small_queries(6)
        values = measure.per_query(y, scores, qid=qid)
        endless = np.where(scores == scores.max(), np.inf, scores)
        endless[scores == scores.min()] = -np.inf
        for moved in (np.exp(scores), 3.0 * scores - 7.0, np.arctan(scores), endless):
            np.testing.assert_array_equal(measure.per_query(y, moved, qid=qid), values)

    def test_the_order_of_queries_does_not_matter(self, measure: Measure) -> None:
        y, scores, qid = small_queries(7)
        ids = list(dict.fromkeys(qid.tolist()))
        values = dict(zip(ids, measure.per_query(y, scores, qid=qid), strict=True))
        rows = np.concatenate([np.flatnonzero(qid == q) for q in sorted(ids)])
        moved = measure.per_query(y[rows], scores[rows], qid=qid[rows])
        np.testing.assert_array_equal(moved, [values[q] for q in sorted(ids)])

    def test_a_cut_of_the_queries_has_the_values_of_the_whole(self, measure: Measure) -> None:
        y, scores, qid = small_queries(8)
        query_ptr = np.concatenate([[0], np.flatnonzero(np.diff(qid)) + 1, [len(y)]])
        together = measure.values(y, scores, query_ptr)
        for start, stop in ((0, 3), (2, 5), (6, 7), (4, 4)):
            cut = measure.values(y, scores, query_ptr[start : stop + 1])
            np.testing.assert_array_equal(cut, together[start:stop])

    def test_every_spelling_parses_back_to_an_equal_measure(self, measure: Measure) -> None:
        for text in (repr(measure), str(measure), measure.describe()):
            parsed = self._parsed(text, measure)
            assert parsed == measure
            assert hash(parsed) == hash(measure)
            assert repr(parsed) == repr(measure)

    def test_a_measure_survives_pickling(self, measure: Measure) -> None:
        again = pickle.loads(pickle.dumps(measure))
        assert again == measure
        assert {measure: 1}[again] == 1

    def test_all_parameters_are_named_and_described(self, measure: Measure) -> None:
        assert {"no_relevant", "ties", "convention"} <= measure.parameters.keys()
        assert type(measure)(**measure.parameters) == measure
        for name in measure.parameters:
            assert f"{name}=" in measure.describe()

    def test_only_the_ties_change_with_ties(self, measure: Measure) -> None:
        changed = measure.with_ties("worst")
        assert changed.parameters == measure.parameters | {"ties": "worst"}
        assert changed.with_ties(measure.ties) == measure

    def test_measures_that_differ_are_not_equal(self) -> None:
        measures = self.arguments()["measure"]
        assert len({repr(measure) for measure in measures}) == len(set(measures)) == len(measures)

    def test_all_queries_skipped_is_an_error(self, skipping_measure: Measure) -> None:
        with pytest.raises(DataError, match="leaves out all 2"):
            skipping_measure([0, 0, 0, 0], [1.0, 2.0, 3.0, 4.0], qid=[1, 1, 2, 2])

    def _parsed(self, text: str, measure: Measure) -> Any:
        in_catalog = type(measure).__module__.startswith("ranksieve.")
        return parse_measure(text) if in_catalog else self.read(text, measure)
