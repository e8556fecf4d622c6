"""Distances and windows of terms, against all pairs and all windows."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from ranksieve.kernels.proximity.windows import closest_terms
from tests.reference.text_features import proximity


@pytest.mark.parametrize("seed", range(6))
def test_each_document_has_the_nearest_pair_and_the_shortest_window_of_all(seed):
    draw = np.random.default_rng(seed)
    query = list(draw.integers(0, 4, 5))
    terms = list(dict.fromkeys(query))
    documents = [list(draw.integers(0, 8, draw.integers(0, 25))) for _ in range(12)]
    follows = np.zeros((len(terms), len(terms)), dtype=bool)
    for before, after in pairwise(query):
        follows[terms.index(before), terms.index(after)] = True
    hits = [
        [(position, terms.index(word)) for position, word in enumerate(words) if word in terms]
        for words in documents
    ]
    pairs = np.array([hit for part in hits for hit in part], dtype=np.int64).reshape(-1, 2)
    document_ptr = np.concatenate([[0], np.cumsum([len(part) for part in hits])]).astype(np.int64)
    out = np.full((len(documents), 3), np.nan)
    closest_terms(pairs[:, 0].copy(), pairs[:, 1].copy(), document_ptr, follows, out)
    for words, row in zip(documents, out, strict=True):
        expected = proximity(query, words)
        names = ("nearest_pair", "cover", "ordered_pairs")
        np.testing.assert_allclose(row, [expected[name] for name in names])
