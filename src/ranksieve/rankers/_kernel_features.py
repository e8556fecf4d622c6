"""Kernels of documents and landmarks, and the features whose inner products they are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from threadpoolctl import threadpool_limits

from ranksieve.data import Block, RankingData
from ranksieve.data.check import check_dense_size
from ranksieve.errors import DataError
from ranksieve.kernels.rankers.landmarks import write_inner_products, write_squared_distances
from ranksieve.passes import run
from ranksieve.rankers._row_numbers import row_numbers

# Documents beside all landmarks at a time.
_TOGETHER = 1024
# Up to here one core decomposes in a fifth of a second; two would wait for each other longer.
_FEW_LANDMARKS = 1000


@dataclass(frozen=True)
class Kernel:
    """k(x, l) = exp(-gamma |x - l|^2), (gamma x . l + coef0)^degree, or x . l."""

    name: str
    gamma: float
    degree: int
    coef0: float

    def rows(
        self, X: NDArray[Any], start: int, stop: int, landmarks: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return k of the rows start:stop of X and all landmarks, column-major."""
        values = np.empty((stop - start, len(landmarks)), order="F")
        if self.name == "rbf":
            write_squared_distances(X, start, stop, landmarks, values)
            with np.errstate(over="ignore"):
                values *= -self.gamma
            np.exp(values, out=values)
            return values
        write_inner_products(X, start, stop, landmarks, values)
        return self._power(values) if self.name == "polynomial" else values

    def _power(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        # Whoever trains on what is too large is told so by `_check_finite`.
        with np.errstate(over="ignore", invalid="ignore"):
            values *= self.gamma
            values += self.coef0
            # By squares, several times as fast as a power of real degree.
            square, exponent = values.copy(), self.degree - 1
            while exponent:
                if exponent % 2:
                    values *= square
                exponent //= 2
                if exponent:
                    square *= square
        return values

    def chunks(
        self, X: NDArray[Any], rows: slice, landmarks: NDArray[np.float64]
    ) -> Iterator[tuple[slice, NDArray[np.float64]]]:
        """Yield some of the rows of X at a time, counted from the first, and their values."""
        for start in range(rows.start, rows.stop, _TOGETHER):
            stop = min(start + _TOGETHER, rows.stop)
            part = slice(start - rows.start, stop - rows.start)
            yield part, self.rows(X, start, stop, landmarks)


class Landmarks(NamedTuple):
    """Distinct documents, and whether they are all there are."""

    rows: NDArray[np.float64]
    complete: bool


def choose_landmarks(data: RankingData, most: int, seed: int) -> Landmarks:
    """Return distinct documents, `most` of them at random where there are more.

    Each document has a number from its features and the seed alone, and those with the
    smallest numbers are taken: one pass, whatever the order of rows and the blocks.
    """
    numbers, rows = run(_SmallestPass(most + 1, seed), data, label="landmarks")
    return Landmarks(np.ascontiguousarray(rows[:most]), len(numbers) <= most)


_Numbered = tuple[NDArray[np.uint64], NDArray[np.float64]]


@dataclass(frozen=True)
class _SmallestPass:
    most: int
    seed: int

    def partial(self, piece: Block) -> _Numbered:
        X = piece.X[piece.rows]
        return self._smallest(row_numbers(X, self.seed), X)

    def combine(self, left: _Numbered, right: _Numbered) -> _Numbered:
        return self._smallest(
            np.concatenate([left[0], right[0]]), np.concatenate([left[1], right[1]])
        )

    def _smallest(self, numbers: NDArray[np.uint64], X: NDArray[Any]) -> _Numbered:
        distinct, first = np.unique(numbers, return_index=True)
        return distinct[: self.most], X[first[: self.most]].astype(np.float64)


def feature_map(
    kernel: Kernel, landmarks: NDArray[np.float64], dtype: np.dtype[Any]
) -> NDArray[np.float64]:
    """Return M so that rows k(x, landmarks) M have k(x, x') as inner products.

    Exactly so for landmarks themselves: with K = U diag(v) U' over them, M = U diag(v)^(-1/2),
    without eigenvalues that are rounding. `dtype` is that of the documents which the landmarks
    are taken from.
    """
    # Of the type of the documents, which loses nothing: for another the kernel is compiled again.
    documents = np.asfortranarray(landmarks, dtype=dtype)
    K = kernel.rows(documents, 0, len(landmarks), landmarks)
    _check_finite(K)
    with threadpool_limits(1 if len(K) <= _FEW_LANDMARKS else None, user_api="blas"):
        values, vectors = eigh(K)
    positive = values > len(values) * np.finfo(np.float64).eps * max(values[-1], 0.0)
    if not positive.any():
        return np.zeros((len(values), 1))
    mapped: NDArray[np.float64] = vectors[:, positive] / np.sqrt(values[positive])
    return mapped


def mapped_data(
    data: RankingData,
    kernel: Kernel,
    landmarks: NDArray[np.float64],
    mapping: NDArray[np.float64],
) -> RankingData:
    """Return the data with the features k(x, landmarks) M, in float64."""
    n_features = mapping.shape[1]
    data.check_memory(n_features, 8)
    try:
        check_dense_size(data.n_documents, n_features, 8)
    except DataError as error:
        raise DataError(f"{str(error).split('. ')[0]}. Lower n_landmarks.") from None
    blocks = [_mapped(block, kernel, landmarks, mapping) for block in data.blocks()]
    return RankingData(blocks, [f"x{index}" for index in range(n_features)])


def _mapped(
    block: Block, kernel: Kernel, landmarks: NDArray[np.float64], mapping: NDArray[np.float64]
) -> Block:
    mapped = np.empty((block.n_documents, mapping.shape[1]), order="F")
    for part, values in kernel.chunks(block.X, block.rows, landmarks):
        _check_finite(values)
        mapped[part] = values @ mapping
    return Block(mapped, block.y[block.rows], block.query_ptr - block.query_ptr[0], block.query_ids)


def _check_finite(values: NDArray[np.float64]) -> None:
    if not np.isfinite(values).all():
        raise DataError(
            "kernels of documents must be finite, but some are not: features are too large. "
            "Scale the features first."
        )
