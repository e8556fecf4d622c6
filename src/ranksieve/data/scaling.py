"""Scaling per query: what a feature says inside its query, on one scale for all queries."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ranksieve.catalog import suggestion
from ranksieve.data.block import Block
from ranksieve.data.ranking_data import RankingData
from ranksieve.errors import ParameterError
from ranksieve.kernels.columns.scaling import minmax_by_query, zscore_by_query

_KERNELS: dict[str, Any] = {"minmax": minmax_by_query, "zscore": zscore_by_query}


def scale(data: RankingData, method: Literal["minmax", "zscore"] = "minmax") -> RankingData:
    """Return data whose features are scaled inside each query.

        minmax:  (x - min) / (max - min)            to [0, 1], FS-SCPR's equation (1)
        zscore:  (x - mean) / standard deviation    population's deviation

    with minimum, maximum, mean and deviation of the feature over the query's documents. A
    feature that is constant in a query becomes 0 there. The type of the values is kept;
    the arithmetic is in float64.

    Parameters
    ----------
    data : RankingData
    method : {"minmax", "zscore"}

    Notes
    -----
    Cost: O(n p) time. The result is new data of the same size, built a block at a time. It
    remembers its scaling, and a ranker that is fitted on it scales what it predicts alike.

    References
    ----------
    FS-SCPR: feature selection by spectral clustering with biased PageRank, equation (1).

    Examples
    --------
    >>> from ranksieve.data import from_arrays
    >>> data = from_arrays([[1.0], [2.0], [5.0], [7.0]], [0, 1, 2, 0], [1, 1, 1, 2])
    >>> scale(data).X.ravel()
    array([0.  , 0.25, 1.  , 0.  ])
    """
    if method not in _KERNELS:
        raise ParameterError(
            f"unknown method of scaling {method!r}{suggestion(method, _KERNELS)} "
            "It is 'minmax' or 'zscore'."
        )
    kernel = _KERNELS[method]
    return data.mapped(lambda block: _scaled(block, kernel), scaling=method)


def _scaled(block: Block, kernel: Any) -> Block:
    X = np.empty((block.n_documents, block.n_features), dtype=block.X.dtype, order="F")
    kernel(block.X, block.query_ptr, X)
    documents = None if block.document_ids is None else block.document_ids[block.rows]
    return Block(
        X,
        block.y[block.rows],
        block.query_ptr - block.query_ptr[0],
        block.query_ids,
        documents,
        block.first_document,
    )
