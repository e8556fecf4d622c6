"""Orders of documents and queries that do not depend on those of the file."""

from __future__ import annotations

import numpy as np

from ranksieve.data import Block, RankingData
from ranksieve.data.queries import order_by_id
from ranksieve.kernels.linear.products import scores_of_rows
from ranksieve.rankers._row_numbers import row_numbers


def in_own_order(data: RankingData) -> RankingData:
    """Return the data with each query's documents in an order that is theirs, not their rows'.

    Methods that take documents one by one, or break ties by row, would give another model for
    other rows of the same documents, and learn from a file that is sorted by grade what the
    features do not say. Documents are ordered by a fixed random projection of their features:
    as good as at random, the same for the same documents, and blind to grades. Where features
    are equal, the lower grade comes first.

    Cost: O(n p) time and a copy of the data.

    Examples
    --------
    >>> from ranksieve.data import from_arrays
    >>> X, y, qid = np.array([[1.0, 0.0], [5.0, 2.0], [3.0, 3.0]]), np.array([0, 1, 2]), [7, 7, 7]
    >>> turned = in_own_order(from_arrays(X[::-1], y[::-1], qid))
    >>> np.array_equal(turned.X, in_own_order(from_arrays(X, y, qid)).X)
    True
    """
    data.check_memory()
    direction = _direction(data)
    blocks = [_ordered(block, direction) for block in data.blocks()]
    return RankingData(blocks, data.feature_names, data.scaling, data.tasks)


def in_one_own_order(data: RankingData) -> RankingData:
    """Return the data as `in_own_order` does, and in one block.

    For methods to which the order of sums matters: where the objective has kinks or is not
    convex, rounding decides where a fit ends.
    """
    if data.n_blocks > 1:
        block = Block(data.X, data.y, data.query_ptr, data.query_ids)
        data = RankingData([block], data.feature_names, data.scaling, data.tasks)
    return in_own_order(data)


def in_own_order_of_queries(data: RankingData) -> RankingData:
    """Return the data as `in_own_order` does, its queries in an order of their own, in one block.

    For methods that take queries one by one: reordered or renamed queries would give another
    model. Queries are ordered by the projections of their first, middle and last documents.
    """
    ordered = in_one_own_order(data)
    keys = np.empty(ordered.n_documents)
    (block,) = ordered.blocks()
    scores_of_rows(block.X, block.rows.start, block.rows.stop, _direction(ordered), keys)
    starts, ends = ordered.query_ptr[:-1], ordered.query_ptr[1:]
    sizes = ends - starts
    grades = np.add.reduceat(ordered.y, starts)
    order = np.lexsort((sizes, grades, keys[ends - 1], keys[(starts + ends) // 2], keys[starts]))
    query_ptr = np.concatenate([[0], np.cumsum(sizes[order])]).astype(np.int64)
    rows = np.arange(ordered.n_documents) + np.repeat(starts[order] - query_ptr[:-1], sizes[order])
    X = block.X[block.rows].T.take(rows, axis=1).T
    moved = Block(X, ordered.y[rows], query_ptr, ordered.query_ids[order])
    return RankingData([moved], ordered.feature_names, ordered.scaling)


def with_queries_by_id(data: RankingData) -> RankingData:
    """Return the data with its queries by rising id, and in one block.

    For methods that take queries one by one and to which the units of features must not matter.
    Cost: a copy of the data, unless the queries stand so already.
    """
    order = order_by_id(data.query_ids)
    if np.array_equal(order, np.arange(data.n_queries)):
        return data
    sizes = np.diff(data.query_ptr)[order]
    query_ptr = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    rows = np.arange(data.n_documents) + np.repeat(data.query_ptr[order] - query_ptr[:-1], sizes)
    X = np.asfortranarray(data.X[rows])
    block = Block(X, data.y[rows], query_ptr, data.query_ids[order])
    return RankingData([block], data.feature_names, data.scaling)


def _ordered(block: Block, direction: np.ndarray) -> Block:
    keys = np.empty(block.n_documents)
    scores_of_rows(block.X, block.rows.start, block.rows.stop, direction, keys)
    query = np.repeat(np.arange(block.n_queries), np.diff(block.query_ptr))
    grades = block.y[block.rows]
    order = np.lexsort((grades, keys, query))
    if _has_ties(keys[order], query[order]):
        # Beside a huge feature the others are rounded away: their bits still differ.
        order = np.lexsort((grades, row_numbers(block.X[block.rows], 0), keys, query))
    rows = block.rows.start + order
    documents = None if block.document_ids is None else block.document_ids[rows]
    return Block(
        X=block.X.T.take(rows, axis=1).T,
        y=block.y[rows],
        query_ptr=block.query_ptr - block.query_ptr[0],
        query_ids=block.query_ids,
        document_ids=documents,
        first_document=block.first_document,
    )


def _has_ties(keys: np.ndarray, query: np.ndarray) -> bool:
    """Tell whether sorted keys repeat inside a query; what is no number ties with its like."""
    equal = (keys[1:] == keys[:-1]) | (np.isnan(keys[1:]) & np.isnan(keys[:-1]))
    return bool((equal & (query[1:] == query[:-1])).any())


def _direction(data: RankingData) -> np.ndarray:
    direction: np.ndarray = np.random.default_rng(0).normal(size=data.n_features)
    return direction
