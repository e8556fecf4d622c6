from __future__ import annotations

import numpy as np
import pytest

from ranksieve.data import from_arrays
from ranksieve.similarity import PearsonSimilarity


@pytest.mark.parametrize("size", [5e307, 1e300, 1e-300, 1e-310])
def test_the_size_of_a_feature_does_not_matter(size):
    x, g = np.array([3.0, -3, 1, 0, -2, 2]), np.array([1.0, 0, 2, 2, 0, 1])
    matrix = PearsonSimilarity().matrix(from_arrays(np.column_stack([x * size, g, x]), g, [1] * 6))
    expected = np.abs(np.corrcoef(x, g)[0, 1])
    np.testing.assert_allclose(matrix[0], [1.0, expected, 1.0], rtol=1e-9)
