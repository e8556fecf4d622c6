"""One number for a method's places in many comparisons."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import rankdata

from ranksieve.errors import DataError, ParameterError
from ranksieve.evaluate import unified_rank
from tests.evaluate import fs_scpr_tables as paper


@pytest.mark.parametrize(
    ("tables", "published"),
    [(paper.SELECTION, paper.SELECTION_RANKS), (paper.RANKERS, paper.RANKER_RANKS)],
    ids=["table 11", "table 16"],
)
def test_the_papers_unified_ranks_follow_from_its_tables(tables, published):
    values = np.hstack([[table[method] for method in published] for table in tables.values()])
    found = unified_rank(values)
    assert found.counts.tolist() == [counts for counts, _ in published.values()]
    np.testing.assert_allclose(found.scores, [score for _, score in published.values()])


def test_equal_values_share_the_better_rank():
    found = unified_rank([[0.9], [0.5], [0.5], [0.1]])
    assert found.counts.argmax(axis=1).tolist() == [0, 1, 1, 3]
    np.testing.assert_allclose(found.scores, [4 / 4, 3 / 4, 3 / 4, 1 / 4])


def test_values_are_equal_as_printed():
    table = [[0.12344], [0.12336], [0.1]]
    assert unified_rank(table).counts[:, 0].tolist() == [1, 1, 0]
    assert unified_rank(table, decimals=5).counts[:, 0].tolist() == [1, 0, 0]
    assert unified_rank(table, decimals=0).counts[:, 0].tolist() == [1, 1, 1]


@pytest.mark.parametrize("seed", range(4))
def test_scores_come_from_scipys_ranks(seed):
    rng = np.random.default_rng(seed)
    methods, columns = rng.integers(1, 9, size=2)
    table = rng.integers(0, 5, size=(methods, columns)) / 10
    ranks = rankdata(-table, method="min", axis=0)
    found = unified_rank(table)
    np.testing.assert_allclose(found.scores, ((methods - ranks + 1) / methods).sum(axis=1))
    for method, place in np.ndindex(found.counts.shape):
        assert found.counts[method, place] == np.sum(ranks[method] == place + 1)
    order = rng.permutation(methods)
    np.testing.assert_allclose(unified_rank(table[order]).scores, found.scores[order])


def test_holes_are_said():
    with pytest.raises(DataError, match=r"1 are NaN \(first: method 1, column 0\)"):
        unified_rank([[0.5, 0.4], [np.nan, 0.3]])
    with pytest.raises(DataError, match="at least one method and one column"):
        unified_rank(np.empty((2, 0)))
    with pytest.raises(DataError, match=r"table must have the shape \(methods, columns\)"):
        unified_rank([0.5, 0.4])
    with pytest.raises(ParameterError, match="decimals"):
        unified_rank([[0.5]], decimals=-1)
