"""What all measures do with input, threads and text."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from ranksieve.errors import DataError, ParameterError
from ranksieve.measures import MAP, NDCG, Measure
from ranksieve.threads import threads


def test_one_query_of_two_rows_apart_is_an_error_unless_sorted():
    y, scores, qid = [1, 0, 0, 1, 0], [5, 4, 3, 2, 6], [7, 7, 3, 3, 7]
    with pytest.raises(DataError, match=r"must be adjacent.*qid 7.*sort=True"):
        NDCG()(y, scores, qid=qid)
    together = NDCG().per_query([1, 0, 0, 0, 1], [5, 4, 6, 3, 2], qid=[7, 7, 7, 3, 3])
    assert NDCG().per_query(y, scores, qid=qid, sort=True).tolist() == together.tolist()


@pytest.mark.parametrize(
    ("y", "scores", "qid", "message"),
    [
        ([1, 0], [1.0, np.nan], [1, 1], r"scores must not be NaN.*row 1"),
        ([1, -1], [1.0, 2.0], [1, 1], r"finite and not negative.*-1.0 at row 1"),
        ([1, np.inf], [1.0, 2.0], [1, 1], r"finite and not negative.*inf at row 1"),
        ([1, 0], [1.0], [1, 1], "scores must have one value per document: 2"),
        ([1, 0], [1.0, 2.0], [1], r"query ids \(qid\) must have one value per document: 2"),
        ([1, 0], [1.0, 2.0], None, "qid is required"),
        ([], [], [], "y is empty"),
        (["a", "b"], [1.0, 2.0], [1, 1], "must be numbers"),
        (1.0, 2.0, 3, "must have one value per document"),
    ],
)
def test_bad_input_is_named(y, scores, qid, message):
    with pytest.raises(DataError, match=message):
        NDCG()(y, scores, qid=qid)


@pytest.mark.parametrize("value", ["ignore", None, float("nan"), float("inf"), True])
def test_a_wrong_value_for_queries_without_relevant_documents_is_an_error(value):
    with pytest.raises(ParameterError, match="no_relevant must be a finite number or 'skip'"):
        NDCG(no_relevant=value)


def test_a_measure_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        NDCG(10).k = 5


def test_a_measure_is_no_measure_of_another_class():
    assert NDCG() != MAP()
    assert NDCG(10) == NDCG(10, no_relevant=0)
    assert hash(NDCG(10)) == hash(NDCG(10, no_relevant=0))


def test_what_is_not_in_the_catalog_is_spelled_as_its_constructor():
    class First(Measure):
        def _kernel(self, query_ptr):
            def write_first_grade(y, scores, query_ptr, out):
                out[:] = y[query_ptr[:-1]]

            return write_first_grade, ()

    assert str(First(no_relevant=1)) == "First(no_relevant=1)"
    assert First()([3, 1, 2], [0, 0, 0], qid=["a", "a", "b"]) == (3 + 2) / 2


def test_the_number_of_threads_does_not_change_a_bit():
    rng = np.random.default_rng(0)
    sizes = rng.integers(1, 400, 1500)
    sizes[700] = 150_000
    n = int(sizes.sum())
    y, scores = rng.integers(0, 5, n), rng.integers(0, 50, n)
    qid = np.repeat(np.arange(len(sizes)), sizes)
    measure = NDCG(10, ties="average")
    with threads(1):
        alone = measure.per_query(y, scores, qid=qid)
    with threads(3):
        together = measure.per_query(y, scores, qid=qid)
    assert len(alone) == len(sizes)
    np.testing.assert_array_equal(alone, together)


def test_input_is_neither_changed_nor_required_to_be_writable():
    y, scores, qid = np.array([0.0, 1.0, 2.0]), np.array([3.0, 2.0, 2.0]), np.array([1, 1, 1])
    expected = NDCG()(y, scores, qid=qid)
    for array in (y, scores, qid):
        array.flags.writeable = False
    assert NDCG()(y, scores, qid=qid) == expected
    assert y.tolist() == [0.0, 1.0, 2.0]


def test_importing_the_measures_compiles_nothing():
    program = (
        "import ranksieve.measures, numba\n"
        "from ranksieve.kernels.measures import ndcg\n"
        "assert not getattr(ndcg.ndcg_per_query, 'signatures', [])\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_changing_the_convention_sets_what_was_not_chosen():
    assert NDCG(10).with_convention("letor") == NDCG(10, convention="letor")
    assert NDCG(10, convention="letor").with_convention("standard") == NDCG(10)
    chosen = NDCG(10, discount="letor", gain="linear")
    assert chosen.with_convention("letor") == NDCG(10, gain="linear", convention="letor")
    assert MAP(threshold=2).with_convention("letor") == MAP(threshold=2, convention="letor")
