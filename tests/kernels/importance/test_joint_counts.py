from __future__ import annotations

from itertools import combinations_with_replacement

import numpy as np
import pytest

from ranksieve.kernels.importance.joint_counts import add_joint_counts


@pytest.mark.parametrize("seed", range(3))
def test_counts_are_those_of_a_loop_over_documents_and_add_to_what_is_there(seed):
    rng = np.random.default_rng(seed)
    bins = rng.integers(0, 3, size=(4, 25)).astype(np.int32)
    levels = rng.integers(0, 2, size=25).astype(np.int32)
    counts = np.ones((10, 3, 3, 2), dtype=np.int64)
    expected = counts.copy()
    add_joint_counts(bins, levels, counts)
    for pair, (i, j) in enumerate(combinations_with_replacement(range(4), 2)):
        for document in range(25):
            expected[pair, bins[i, document], bins[j, document], levels[document]] += 1
    np.testing.assert_array_equal(counts, expected)
