"""Importance and similarity of FSMRank: of the catalog, or arrays of the caller."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ranksieve.data import RankingData
from ranksieve.errors import ParameterError
from ranksieve.importance import Importance, as_importance
from ranksieve.measures import Measure
from ranksieve.passes.variation import varying_features
from ranksieve.selectors._shared import SharedComponent
from ranksieve.similarity import Doubled, Similarity, as_similarity, sizes_of

ImportanceLike = str | Measure | Importance | ArrayLike
SimilarityLike = str | Similarity | ArrayLike

# Entries of a symmetric matrix may differ by rounding, relative to the largest.
_ROUNDING = 1e-9


def shared_components(
    importance: ImportanceLike, similarity: SimilarityLike
) -> tuple[SharedComponent, ...]:
    """Return those of the two that are components, not arrays."""
    shared: list[SharedComponent] = []
    if not _is_array(importance):
        shared.append(SharedComponent.importance("importance", cast(Any, importance)))
    if not _is_array(similarity):
        shared.append(SharedComponent.similarity("similarity", cast(Any, similarity)))
    return tuple(shared)


def importance_scores(spelled: ImportanceLike, data: RankingData) -> NDArray[np.float64]:
    """Return a number of at least 0 for each feature; 0 leaves a feature out.

    A vector is taken as it is, but for features that are constant in every query.
    """
    if not _is_array(spelled):
        text: Any = spelled
        return np.maximum(as_importance(text).scores(data), 0.0)
    vector = _numbers("importance", spelled, "a vector with one number per feature")
    if vector.shape != (data.n_features,):
        raise ParameterError(
            f"importance must be a vector of {data.n_features} numbers, one per feature, but has "
            f"the shape {vector.shape}"
        )
    if vector.min(initial=0.0) < 0.0:
        raise ParameterError(
            f"importance must not be negative, but has {vector.min():.3g} at feature "
            f"{vector.argmin()}. Take sizes where it has signs; 0 leaves a feature out."
        )
    return np.where(varying_features(data), vector, 0.0)


def similarity_matrices(
    spelled: SimilarityLike, data: RankingData
) -> tuple[NDArray[np.float64], Doubled]:
    """Return the similarity of features as it is, and as charged for equal and opposite signs.

    A matrix counts by the sizes of its entries, for both signs; a pair of matrices is what
    features have with each other, and with each other's mirror images.
    """
    if not _is_array(spelled):
        text: Any = spelled
        similarity = as_similarity(text)
        matrix = similarity.matrix(data)
        return matrix, similarity.doubled(data, matrix)
    if not _is_pair(spelled):
        matrix = _square("similarity", spelled, data.n_features)
        return matrix, sizes_of(matrix)
    pair: Any = spelled
    alike, mirrored = (
        _square(f"similarity[{index}]", part, data.n_features) for index, part in enumerate(pair)
    )
    least = min(alike.min(initial=0.0), mirrored.min(initial=0.0))
    if least < 0.0:
        raise ParameterError(
            "a pair of similarities, with features and with their mirror images, must not be "
            f"negative, but its least entry is {least:.3g}. Give one matrix where its sign says "
            "that features are contrary: its sizes are taken."
        )
    return alike, Doubled(alike, mirrored)


def _is_array(spelled: Any) -> bool:
    if isinstance(spelled, str | Measure | Importance | Similarity):
        return False
    return isinstance(spelled, list | tuple) or hasattr(spelled, "__array__")


def _is_pair(spelled: Any) -> bool:
    return not hasattr(spelled, "columns") and len(spelled) == 2 and np.ndim(spelled[0]) == 2


def _square(name: str, spelled: Any, n_features: int) -> NDArray[np.float64]:
    matrix = _numbers(name, spelled, "a matrix of numbers, features by features")
    if matrix.shape != (n_features, n_features):
        raise ParameterError(
            f"{name} must be a matrix of {n_features} by {n_features} numbers, features by "
            f"features, or a pair of them, but has the shape {matrix.shape}"
        )
    apart = np.abs(matrix - matrix.T)
    if apart.max(initial=0.0) > _ROUNDING * np.abs(matrix).max(initial=0.0):
        row, column = np.unravel_index(apart.argmax(), apart.shape)
        raise ParameterError(
            f"{name} must be symmetric, but features {row} and {column} have "
            f"{matrix[row, column]:.6g} and {matrix[column, row]:.6g}. Average it with its "
            "transpose."
        )
    return 0.5 * (matrix + matrix.T)


def _numbers(name: str, spelled: Any, kind: str) -> NDArray[np.float64]:
    try:
        numbers = np.array(spelled, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(f"{name} must be {kind}, but is {spelled!r}") from None
    if not np.isfinite(numbers).all():
        raise ParameterError(
            f"{name} must be {kind}, all finite, but "
            f"{np.count_nonzero(~np.isfinite(numbers))} of {numbers.size} numbers are not"
        )
    return numbers
