"""P-values of several comparisons."""

from __future__ import annotations

import numpy as np
import pytest

from ranksieve.errors import DataError
from ranksieve.evaluate import holm
from tests.reference.statistics import closed_testing


def test_four_comparisons_are_worked_by_hand():
    # In order: 4 x 0.005, 3 x 0.01, 2 x 0.03, and 0.04, which must not be below 0.06.
    adjusted = holm([0.01, 0.04, 0.03, 0.005])
    np.testing.assert_allclose(adjusted, [3 * 0.01, 2 * 0.03, 2 * 0.03, 4 * 0.005])


@pytest.mark.parametrize("seed", range(6))
def test_it_is_closed_testing_by_bonferroni(seed):
    rng = np.random.default_rng(seed)
    p_values = rng.random(rng.integers(1, 9)) ** 3
    p_values[-1] = p_values[0]  # a tie
    np.testing.assert_allclose(holm(p_values), closed_testing(p_values.tolist()))


@pytest.mark.parametrize("seed", range(3))
def test_laws(seed):
    rng = np.random.default_rng(seed)
    p_values = rng.random(20)
    adjusted = holm(p_values)
    order = rng.permutation(20)
    np.testing.assert_array_equal(holm(p_values[order]), adjusted[order])
    assert (np.diff(adjusted[np.argsort(p_values)]) >= 0.0).all()
    assert (adjusted >= p_values).all()
    assert (adjusted <= np.minimum(1.0, 20 * p_values)).all()
    assert adjusted.max() <= 1.0


def test_comparisons_that_were_not_made_do_not_count():
    adjusted = holm([np.nan, 0.02, np.nan, 0.01])
    np.testing.assert_allclose(adjusted, [np.nan, 0.02, np.nan, 2 * 0.01])
    assert np.isnan(holm([np.nan])).all()
    assert holm([]).shape == (0,)


def test_one_comparison_stays_as_it_is():
    assert holm([0.03]).tolist() == [0.03]


def test_what_is_no_p_value_is_said():
    with pytest.raises(DataError, match=r"between 0 and 1, but 1 are not \(first: 1.2 at 1\)"):
        holm([0.5, 1.2])
    with pytest.raises(DataError, match="p_values must be finite"):
        holm([0.5, np.inf])
