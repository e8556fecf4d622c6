"""A short text that identifies the content of ranking data."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.data.block import Block
from ranksieve.kernels.columns.hashing import add_column_hash

_GRADES = 1 << 40  # a column beyond those of any matrix


def fingerprint(blocks: Iterable[Block], feature_names: Sequence[str]) -> str:
    """Return 32 hexadecimal digits that depend on values, grades, queries and names.

    Every value is hashed with its row and column, and the hashes are summed modulo 2^64:
    a sum does not depend on how the data is cut into blocks. A change of type that keeps
    all values (float32 to float64) keeps the fingerprint. It guards against mistakes, not
    against an attacker.
    """
    sums = np.zeros(2, dtype=np.uint64)
    text = hashlib.blake2b(digest_size=16)
    for name in feature_names:
        text.update(f"{len(name)}\0{name}".encode())
    for block in blocks:
        rows = slice(block.query_ptr[0], block.query_ptr[-1])
        for column in range(block.X.shape[1]):
            add_column_hash(_bits(block.X[rows, column]), block.first_document, column, sums)
        add_column_hash(_bits(block.y[rows]), block.first_document, _GRADES, sums)
        for query, size in zip(block.query_ids, np.diff(block.query_ptr), strict=True):
            text.update(f"{len(str(query))}\0{query}{size}\0".encode())
    text.update(sums.tobytes())
    return text.hexdigest()


def _bits(values: NDArray[Any]) -> NDArray[np.uint64]:
    """Return the bits of values as float64; -0 has those of 0."""
    return (values.astype(np.float64) + 0.0).view(np.uint64)
