"""What takes very long or much memory is said before it begins, with what to use instead."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from ranksieve import load
from ranksieve.catalog import parse
from ranksieve.data.memory import memory
from ranksieve.errors import DataError
from ranksieve.selectors.relief import _relief


def wide(n_features):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, n_features))
    return load((X, rng.integers(0, 3, size=40), np.repeat(np.arange(4), 10)))


@pytest.mark.parametrize("text", ["GAS(5)", "FSSCPR(5)", 'GAS(5, similarity="spearman")'])
def test_similarities_of_too_many_features_say_what_they_need(text):
    with memory("1MiB"), pytest.raises(DataError, match=r"of 300 features .* TopK\(n_features"):
        parse(text, "selectors").fit(wide(300))
    with memory("1MiB"):
        parse(text, "selectors").fit(wide(20))


@pytest.mark.parametrize("text", ["RankFilter()", "RReliefF()", 'RankFilter(scope="all")'])
def test_relief_says_how_long_a_long_comparison_takes(monkeypatch, text):
    # 40 documents with 10 others each, or 40, in 6 features, as if that were billions.
    monkeypatch.setattr(_relief, "_VALUES_PER_SECOND", 0.1)
    with pytest.warns(UserWarning, match=r"compares 40 documents .* minutes\. n_samples=1000"):
        parse(text, "selectors").fit(wide(6))


def test_relief_says_nothing_of_a_short_comparison():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parse("RankFilter()", "selectors").fit(wide(6))
