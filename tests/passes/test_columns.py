from __future__ import annotations

import threading

import numpy as np
import pytest

from ranksieve.data import Block, RankingData
from ranksieve.errors import DataError
from ranksieve.passes.columns import by_column
from ranksieve.progress import listening
from ranksieve.threads import n_threads, threads
from tests.reference.cases import in_blocks, random_arrays


def copied(column, feature):
    assert column.flags.c_contiguous
    return column.copy()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("borders", [[], [1], [3, 4, 9]])
def test_columns_are_whole_whatever_the_blocks(borders, dtype):
    X, y, query_ptr = random_arrays(0, dtype=dtype)
    columns = by_column(copied, in_blocks(X, y, query_ptr, borders))
    np.testing.assert_array_equal(np.array(columns).T, X)
    assert columns[0].dtype == dtype


@pytest.mark.parametrize("borders", [[], [3, 4, 9]])
@pytest.mark.parametrize("queries", [[2, 3, 4], [0, 3, 5, 11], [10]])
def test_views_show_their_own_features_and_queries(borders, queries):
    X, y, query_ptr = random_arrays(1)
    view = in_blocks(X, y, query_ptr, borders).queries(queries).features([4, 0, 2])
    np.testing.assert_array_equal(np.array(by_column(copied, view)).T, view.X)


def test_a_block_that_starts_after_its_first_row_is_read_from_there():
    X, y, query_ptr = random_arrays(2)
    block = next(in_blocks(X, y, query_ptr, []).blocks()).between(2, 7)
    data = RankingData([block], list("abcde"))
    np.testing.assert_array_equal(
        np.array(by_column(copied, data)).T, X[query_ptr[2] : query_ptr[7]]
    )


def test_columns_of_one_block_are_not_copied():
    X, y, query_ptr = random_arrays(3)
    data = in_blocks(X, y, query_ptr, [])
    (block,) = data.blocks()
    for view in (data, data.features([2, 1])):
        assert all(by_column(lambda column, _: np.shares_memory(column, block.X), view))


def test_results_come_in_the_order_of_features_on_any_number_of_threads():
    X, y, query_ptr = random_arrays(4, n_features=40)
    for n in (1, 2, 7):
        with threads(n):
            results = by_column(
                lambda _, feature: (feature, n_threads()), in_blocks(X, y, query_ptr, [3])
            )
        assert results == [(feature, n) for feature in range(40)]


def test_columns_are_worked_on_side_by_side():
    X, y, query_ptr = random_arrays(5)
    both = threading.Barrier(2, timeout=20)

    def meet(column, feature):
        if feature < 2:
            both.wait()
        return feature

    with threads(2):
        assert by_column(meet, in_blocks(X, y, query_ptr, [])) == [0, 1, 2, 3, 4]


def test_progress_counts_features():
    X, y, query_ptr = random_arrays(6)
    seen = []
    with listening(lambda *report: seen.append(report)):
        by_column(copied, in_blocks(X, y, query_ptr, [2]), label="sorting")
    assert seen == [("sorting", done, 5) for done in range(1, 6)]


def test_an_error_in_a_column_is_raised_where_the_pass_was_started():
    def fail(column, feature):
        raise ZeroDivisionError("in a column")

    X, y, query_ptr = random_arrays(7)
    with pytest.raises(ZeroDivisionError, match="in a column"):
        by_column(fail, in_blocks(X, y, query_ptr, []))


def test_data_without_documents_is_an_error():
    empty = Block(
        np.empty((0, 1), order="F"), np.empty(0), np.zeros(1, dtype=np.int64), np.empty(0)
    )
    with pytest.raises(DataError, match="no documents"):
        by_column(copied, RankingData([empty], ["a"]))
