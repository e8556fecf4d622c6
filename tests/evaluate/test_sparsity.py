"""What share of the features a method keeps."""

from __future__ import annotations

import numpy as np
import pytest

from ranksieve import load
from ranksieve.data import RankingData
from ranksieve.errors import ParameterError
from ranksieve.evaluate import n_used, sparsity_ratio
from tests.reference.cases import in_blocks, random_arrays


def test_the_ratio_is_that_of_selected_to_used():
    assert sparsity_ratio(9, 36) == 9 / 36
    assert sparsity_ratio(0, 5) == 0.0
    assert sparsity_ratio(np.int64(5), 5) == 1.0


@pytest.mark.parametrize("seed", range(4))
def test_features_are_used_that_are_not_zero_in_every_document(seed, always_threads):
    X, y, query_ptr = random_arrays(seed, n_features=8)
    X[:, 2] = 0.0
    X[:, 3] = -0.0
    X[:, 4] = 0.0
    X[-1, 4] = -2.0  # in the last document alone
    expected = sum(any(value != 0.0 for value in column) for column in X.T)
    assert expected == 6
    for borders in ([], [3], [1, 5, 9]):
        data = in_blocks(X, y, query_ptr, borders)
        assert n_used(data) == expected
        assert n_used(data.features([2, 3, 4])) == 1
        assert n_used(data.features([2, 3, 4]).queries([0, 1])) == 0


def test_blocks_are_not_gathered(monkeypatch):
    X, y, query_ptr = random_arrays(0)

    def gathered(self):
        raise AssertionError("all blocks at once")

    monkeypatch.setattr(RankingData, "X", property(gathered))
    assert n_used(in_blocks(X, y, query_ptr, [4, 8])) == X.shape[1]


@pytest.mark.parametrize(("name", "features", "used"), [("OHSUMED", 45, 36), ("MQ2008", 46, 40)])
def test_letor_data_has_features_that_are_zero_throughout(real_data, name, features, used):
    data = load(real_data / name / "Fold1" / "train.txt")
    assert (data.n_features, n_used(data)) == (features, used)
    assert np.count_nonzero(np.abs(data.X).max(axis=0)) == used


def test_what_is_no_ratio_is_said():
    with pytest.raises(ParameterError, match="n_selected must be at most n_used, but is 6 of 5"):
        sparsity_ratio(6, 5)
    with pytest.raises(ParameterError, match="n_used must be a whole number of at least 1"):
        sparsity_ratio(0, 0)
    with pytest.raises(ParameterError, match="n_selected"):
        sparsity_ratio(-1, 5)
