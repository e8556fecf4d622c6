"""RankSVM against its published figures, by the papers' protocol."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.published import MEASURES, PUBLISHED, five_folds


@pytest.mark.slow
@pytest.mark.parametrize("name", PUBLISHED)
def test_five_folds_come_within_0_006_of_the_published_map_and_ndcg(real_data, name):
    rows = five_folds(real_data / name)
    means = np.mean([row["values"] for row in rows], axis=0)
    assert all(row["gap"] <= 1e-6 for row in rows)
    for measure, mean, published in zip(MEASURES, means, PUBLISHED[name], strict=True):
        assert abs(mean - published) <= 0.006, f"{name}: {measure} {mean:.4f}, not {published}"
