"""Bring together rows of a query that are apart in a file."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.data.block import Block
from ranksieve.data.check import query_offsets, regrouped
from ranksieve.data.missing import Missing, fill


def regrouped_block(blocks: list[Block], missing: Missing) -> list[Block]:
    """Return blocks without split queries, filled where values are missing.

    Queries are in the order of their first rows, rows of a query as they were. Where rows
    must move the result is one block; the given list is emptied on the way to save memory.
    """
    ids = np.concatenate([np.repeat(block.query_ids, np.diff(block.query_ptr)) for block in blocks])
    order = regrouped(ids)
    if order is None:
        for block in blocks:
            fill(block.X, block.query_ptr, missing)
        return blocks
    y = np.concatenate([block.y for block in blocks])[order]
    documents = _document_ids(blocks)
    X = _moved(blocks, order)
    query_ptr, query_ids = query_offsets(ids[order])
    fill(X, query_ptr, missing)
    return [Block(X, y, query_ptr, query_ids, None if documents is None else documents[order])]


def _moved(blocks: list[Block], order: NDArray[np.int64]) -> NDArray[Any]:
    target = np.empty(len(order), dtype=np.int64)
    target[order] = np.arange(len(order))
    X = np.empty((len(order), blocks[0].n_features), dtype=blocks[0].X.dtype, order="F")
    start = 0
    blocks.reverse()
    while blocks:
        block = blocks.pop()
        X[target[start : start + block.n_documents]] = block.X
        start += block.n_documents
    return X


def _document_ids(blocks: list[Block]) -> NDArray[Any] | None:
    document_ids = [block.document_ids for block in blocks]
    if all(ids is None for ids in document_ids):
        return None
    if any(ids is not None and ids.dtype == object for ids in document_ids):
        document_ids = [None if ids is None else _as_objects(ids) for ids in document_ids]
    # An id that is absent is the empty one of whatever type the others have.
    kind: Any = next(ids.dtype for ids in document_ids if ids is not None)
    empty: Any = "" if kind.kind == "O" else b""
    return np.concatenate(
        [
            np.full(block.n_documents, empty, dtype=kind) if ids is None else ids
            for ids, block in zip(document_ids, blocks, strict=True)
        ]
    )


def _as_objects(ids: NDArray[Any]) -> NDArray[Any]:
    return ids if ids.dtype == object else np.char.decode(ids, "utf-8", "replace").astype(object)
