from __future__ import annotations

import numpy as np
import pytest

from ranksieve.kernels.linear.gram import add_gram


@pytest.mark.parametrize(("n", "p"), [(1, 1), (3, 2), (300, 3), (20, 5), (257, 6), (17, 8), (9, 9)])
def test_gram_adds_the_products_of_all_pairs_of_columns(n, p):
    columns = np.asfortranarray(np.random.default_rng(n).normal(size=(n, p)))
    total = np.ones((p, p))
    add_gram(columns, total)
    np.testing.assert_allclose(np.triu(total), np.triu(1 + columns.T @ columns), rtol=1e-12)
