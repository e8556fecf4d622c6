from __future__ import annotations

import numpy as np
import pytest

from ranksieve.kernels.importance.discretise import (
    LEVEL_BITS,
    LEVEL_MASK,
    count_levels,
    equal_frequency_cuts,
    pack_keys,
    pack_places,
)
from tests.reference import discretise as reference


def keys_of(values, levels):
    column = np.asarray(values, dtype=np.float32)
    out = np.empty(len(column), dtype=np.int64)
    pack_keys(column.view(np.int32), np.asarray(levels, dtype=np.int32), out)
    return out


def ordered_of(values, levels):
    out = keys_of(values, levels)
    out.sort()
    return out


RISING = [-3.4e38, -1.5, -1.0, -1e-45, 0.0, 1e-45, 1e-38, 1.0, 1.0000001, 3.4e38]


def test_keys_rise_with_the_values():
    keys = keys_of(RISING, [0] * len(RISING))
    assert (np.diff(keys) > 0).all()


def test_keys_of_random_values_order_as_the_values_do():
    values = np.random.default_rng(0).normal(size=300).astype(np.float32)
    np.testing.assert_array_equal(np.argsort(keys_of(values, np.zeros(300))), np.argsort(values))


def test_negative_zero_has_the_key_of_zero():
    below, above = keys_of([-0.0, 0.0], [7, 7])
    assert below == above


def test_levels_do_not_disturb_the_order_of_values():
    keys = keys_of([-2.0, -1.0, 0.0, 1.0], [1_000_000, 3, 2, 0])
    assert (np.diff(keys) > 0).all()
    assert (keys & LEVEL_MASK).tolist() == [1_000_000, 3, 2, 0]


def test_places_number_the_distinct_values_of_any_type():
    column = np.array([2.5, -0.0, 1e300, 0.0, 2.5])
    levels = np.array([4, 1, 3, 1, 0], dtype=np.int32)
    out = np.empty(5, dtype=np.int64)
    pack_places(column, np.argsort(column, kind="stable"), levels, out)
    assert (out >> LEVEL_BITS).tolist() == [0, 0, 1, 1, 2]
    assert (out & LEVEL_MASK).tolist() == [1, 1, 4, 0, 3]


@pytest.mark.parametrize("seed", range(40))
def test_equal_frequency_cuts_are_those_of_the_definition(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 30))
    n_bins = min(int(rng.integers(2, 12)), n)
    values = rng.integers(0, rng.integers(1, 40), size=n).astype(np.float32)
    cuts = np.empty(n_bins - 1, dtype=np.int64)
    found = cuts[: equal_frequency_cuts(ordered_of(values, np.zeros(n)), cuts)]
    expected = reference.equal_frequency_cuts(values.tolist(), n_bins)
    assert np.sort(values)[found - 1].tolist() == expected


def test_a_frequent_value_takes_a_bin_of_its_own():
    # Quarters of 8 documents end at counts 2, 4 and 6; the five 1s reach all of 1 to 6.
    cuts = np.empty(3, dtype=np.int64)
    n_found = equal_frequency_cuts(ordered_of([0, 1, 1, 1, 1, 1, 2, 3], [0] * 8), cuts)
    assert cuts[:n_found].tolist() == [6]


def test_documents_are_counted_by_bin_and_level():
    ordered = ordered_of([5, 1, 2, 4, 3], [2, 0, 1, 2, 0])
    counts = np.zeros((3, 3), dtype=np.int64)
    count_levels(ordered, np.array([2, 3]), counts)
    assert counts.tolist() == [[1, 1, 0], [1, 0, 0], [0, 0, 2]]
