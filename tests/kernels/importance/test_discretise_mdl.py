from __future__ import annotations

import numpy as np
import pytest

from ranksieve.kernels.importance.discretise_mdl import (
    boundary_blocks,
    fill_entropy_table,
    mark_cuts,
)
from tests.kernels.importance.test_discretise import ordered_of
from tests.reference import discretise as reference


def blocks_of(values, levels):
    ordered = ordered_of(values, levels)
    ends, marks = np.empty(len(ordered), dtype=np.int64), np.empty(len(ordered), dtype=np.int32)
    counts = np.zeros(max(levels) + 1, dtype=np.int64)
    n_blocks = boundary_blocks(ordered, counts, ends, marks)
    assert not counts.any()
    return ends[:n_blocks], marks[:n_blocks]


def cuts_of(values, levels):
    """The values at which bins end."""
    ends, marks = blocks_of(values, levels)
    table = np.empty(len(values) + 1, dtype=np.int64)
    unit = fill_entropy_table(table)
    left, right = np.zeros((2, max(levels) + 1), dtype=np.int64)
    is_cut = np.zeros(len(ends), dtype=np.bool_)
    mark_cuts(ends, marks, table, unit, left, right, is_cut)
    return np.sort(values)[ends[is_cut] - 1].tolist()


@pytest.mark.parametrize("n", [0, 1, 2, 3, 1000])
def test_the_table_has_n_log_n_in_units(n):
    table = np.empty(n + 1, dtype=np.int64)
    unit = fill_entropy_table(table)
    counts = np.arange(n + 1)
    expected = counts * np.log2(np.maximum(counts, 1))
    np.testing.assert_allclose(table / unit, expected, rtol=1e-15)
    assert table.max() <= 2**60


def test_blocks_end_at_boundary_points():
    # Values 1 and 2 are all of level 0: no cut can be best between them. 3 is mixed.
    ends, marks = blocks_of([1, 2, 3, 3, 3, 4, 5], [0, 0, 1, 0, 1, 1, 0])
    assert ends.tolist() == [2, 3, 5, 6, 7]
    assert marks.tolist() == [~0, 0, ~1, ~1, 0]


def test_blocks_of_a_value_need_no_order_of_levels():
    ordered = np.array([1, 0, 1, 0], dtype=np.int64)
    ends, marks = np.empty(4, dtype=np.int64), np.empty(4, dtype=np.int32)
    assert boundary_blocks(ordered, np.zeros(2, dtype=np.int64), ends, marks) == 2
    assert ends[:2].tolist() == [2, 4]
    assert marks[:2].tolist() == [1, 0]


@pytest.mark.parametrize("seed", range(60))
def test_cuts_are_those_of_the_definition(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 45))
    levels = rng.integers(0, rng.integers(1, 5), size=n)
    noise = rng.choice([0.0, 0.5, 2.0])
    values = np.round(levels * rng.choice([0.0, 1.0, 4.0]) + noise * rng.normal(size=n), 1)
    values = values.astype(np.float32)
    assert cuts_of(values, levels.tolist()) == reference.mdl_cuts(values.tolist(), levels.tolist())


def test_equally_good_cuts_go_to_the_lower():
    # The same from both ends, so the cuts after 9 and after 39 are equally good. Once one is
    # made, the other no longer passes: what is left is cut after 19.
    values = np.arange(50, dtype=np.float32)
    levels = [0] * 10 + [1] * 10 + [0] * 10 + [1] * 10 + [0] * 10
    assert cuts_of(values, levels) == [9.0, 19.0]
    assert reference.mdl_cuts(values.tolist(), levels) == [9.0, 19.0]


def test_small_sets_pass_or_fail_as_worked_out_by_hand():
    # Two documents of two grades: 1 > (log2 1 + log2 7 - 2) / 2 = 0.40.
    assert cuts_of(np.array([1.0, 2.0], dtype=np.float32), [0, 1]) == [1.0]
    # 0, 1, 0: gain 0.918 - 2/3 = 0.252 < (log2 2 + log2 7 - (2 * 0.918 - 0 - 2 * 1)) / 3 = 1.32.
    assert cuts_of(np.array([1.0, 2.0, 3.0], dtype=np.float32), [0, 1, 0]) == []
