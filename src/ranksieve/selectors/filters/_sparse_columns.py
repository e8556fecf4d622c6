"""A sparse matrix as ranking data, some features at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from numpy.typing import ArrayLike, NDArray

from ranksieve.data import RankingData, from_arrays

# Bytes of the features that are dense at a time.
_PIECE_BYTES = 1 << 26


def column_pieces(
    matrix: Any, grades: NDArray[Any], qid: ArrayLike | None
) -> Iterator[RankingData]:
    """Yield all documents with some features each, in the order of the columns."""
    n_columns = max(1, _PIECE_BYTES // (matrix.shape[0] * matrix.dtype.itemsize))
    for start in range(0, matrix.shape[1], n_columns):
        piece = matrix[:, start : start + n_columns].toarray(order="F")
        yield from_arrays(piece, grades, qid)
