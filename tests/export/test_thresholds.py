"""Laws of splits in float32."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ranksieve.errors import ParameterError
from ranksieve.export.thresholds import (
    LARGEST,
    SOLR_SLACK,
    single,
    single_above,
    single_below,
    solr_threshold,
    solr_threshold_below,
    text,
)

doubles = st.floats(allow_nan=False, allow_infinity=False)
singles = st.floats(width=32, allow_nan=False, allow_infinity=False)


@given(doubles, singles)
def test_a_float32_number_is_on_the_same_side_of_the_float32_below_a_threshold(threshold, x):
    below = single_below(np.array([threshold]))[0]
    assert (x <= threshold) == (np.float32(x) <= below)


@given(doubles)
def test_neighbours_of_a_threshold_are_on_the_same_side_of_the_float32_below(threshold):
    below = single_below(np.array([threshold]))[0]
    with np.errstate(over="ignore"):
        near = np.float32(threshold)
        around = [near, *(np.nextafter(near, np.float32(end)) for end in (np.inf, -np.inf))]
    for x in around:
        if np.isfinite(x):
            assert (float(x) <= threshold) == (x <= below)


@given(singles, singles)
def test_strictly_less_than_the_next_float32_is_at_most_this_one(threshold, x):
    threshold, x = np.float32(threshold), np.float32(x)
    if threshold < LARGEST:
        assert (x < single_above(threshold)) == (x <= threshold)


@given(singles.filter(lambda x: abs(x) < 1e30), st.integers(0, 20), singles)
def test_solr_splits_as_the_model_or_there_is_no_threshold_for_it(threshold, scale, x):
    threshold, x = np.float32(threshold), np.float32(x)
    inverse = solr_threshold(threshold, scale)
    near = [threshold, *(np.nextafter(threshold, np.float32(end)) for end in (np.inf, -np.inf))]
    if inverse is None:
        low = np.ldexp(threshold, scale)
        assert not any(number + SOLR_SLACK == low for number in _around(low - SOLR_SLACK))
        return
    with np.errstate(over="ignore"):
        for value in (x, *near):
            assert (np.ldexp(value, scale) <= inverse + SOLR_SLACK) == (value <= threshold)


def _around(start):
    numbers = [np.float32(start)]
    for _ in range(50):
        below = np.nextafter(numbers[0], np.float32(-np.inf))
        numbers = [below, *numbers, np.nextafter(numbers[-1], np.float32(np.inf))]
    return numbers


@example(float(SOLR_SLACK))
@example(float(np.nextafter(SOLR_SLACK, np.float32(0))))
@example(0.0)
@given(singles.filter(lambda x: abs(x) < 1.0))
def test_what_solr_has_instead_is_the_nearest_below(threshold):
    threshold = np.float32(threshold)
    below = solr_threshold_below(threshold)
    assert below + SOLR_SLACK <= threshold
    assert np.nextafter(below, np.float32(np.inf)) + SOLR_SLACK > threshold


@given(singles.filter(lambda x: abs(x) >= 32))
def test_beside_large_numbers_what_solr_adds_is_nothing(threshold):
    assert solr_threshold(np.float32(threshold)) == np.float32(threshold)


@given(singles)
def test_numbers_are_written_so_that_readers_of_float_and_of_double_agree(value):
    written = repr(text(np.float32(value)))
    assert np.float32(written) == np.float32(float(written)) == np.float32(value)


def test_a_weight_beyond_float32_is_refused():
    with pytest.raises(ParameterError, match=r"a leaf of the model is 1e\+40.*Scale"):
        single(np.array([1.0, 1e40]), "a leaf")
