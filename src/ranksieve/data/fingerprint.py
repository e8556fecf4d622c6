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


def query_fingerprints(blocks: Iterable[Block], feature_names: Sequence[str]) -> NDArray[np.uint64]:
    """Return a number for each query that depends on its documents, grades and names of features.

    The order of documents, of features and of queries, and the query's id, do not matter: the
    same query in another file has the same number. Two queries have the same by accident with a
    chance of 2^-64.
    """
    names = np.array([_text_hash(name) for name in feature_names], dtype=np.uint64)
    parts = []
    for block in blocks:
        rows = slice(block.query_ptr[0], block.query_ptr[-1])
        documents = mixed(_bits(block.y[rows]))
        for column, name in enumerate(names):
            documents += mixed(mixed(_bits(block.X[rows, column])) + name)
        starts = block.query_ptr[:-1] - block.query_ptr[0]
        parts.append(np.add.reduceat(mixed(documents), starts))
    return mixed(np.concatenate(parts))


def _text_hash(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


def mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return well-mixed bits of each number: the finaliser of splitmix64."""
    bits = numbers + np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    result: NDArray[np.uint64] = bits ^ (bits >> np.uint64(31))
    return result
