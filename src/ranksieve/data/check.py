"""The door for arrays: everything is checked here once, and nothing behind it again."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from ranksieve.data.block import Block
from ranksieve.data.labels import check_labels, check_length, refuse_masked, task_of_queries
from ranksieve.data.missing import Missing, check_missing
from ranksieve.data.queries import check_distinct_queries, run_starts
from ranksieve.data.ranking_data import RankingData
from ranksieve.data.values import without_missing
from ranksieve.errors import DataError, ParameterError


def from_arrays(
    X: Any,
    y: ArrayLike,
    qid: ArrayLike | None,
    *,
    feature_names: Sequence[str] | None = None,
    document_ids: ArrayLike | None = None,
    task: ArrayLike | None = None,
    missing: Missing = "error",
    sort: bool = False,
) -> RankingData:
    """Return checked ranking data of one block from arrays, dense or scipy sparse.

    The type of X is kept if it is float32 or float64; other numbers become float64. A
    column-major X is not copied unless rows must move or missing values are filled.
    """
    check_missing(missing)
    matrix = as_matrix(X)
    grades = check_grades(y, len(matrix))
    ids = check_row_ids(qid, len(matrix))
    names = check_feature_names(feature_names, matrix.shape[1])
    documents = _check_document_ids(document_ids, len(matrix))
    labels = None if task is None else check_labels(task, len(matrix), "tasks (task)")
    rows = regrouped(ids) if sort else None
    matrix = np.asfortranarray(matrix)
    if rows is not None:
        matrix, grades, ids = matrix.T.take(rows, axis=1).T, grades[rows], ids[rows]
        documents = None if documents is None else documents[rows]
        labels = None if labels is None else labels[rows]
    query_ptr, query_ids = query_offsets(ids)
    matrix = without_missing(matrix, query_ptr, missing, names)
    tasks = None if labels is None else task_of_queries(labels, query_ptr, query_ids)
    return RankingData([Block(matrix, grades, query_ptr, query_ids, documents)], names, tasks=tasks)


def as_matrix(X: Any) -> NDArray[Any]:
    """Return X as a two-dimensional float32 or float64 array, not copied where it is one.

    Masked values count as missing.
    """
    if hasattr(X, "toarray") and hasattr(X, "tocsc"):
        check_dense_size(X.shape[0], X.shape[1], 8)
        return as_matrix(X.tocsc().toarray(order="F"))
    try:
        matrix = np.asarray(_unmasked(X))
        if matrix.dtype not in (np.float32, np.float64):
            if matrix.dtype.kind not in "fiubO":
                raise ValueError(f"its values are of type {matrix.dtype}")
            matrix = np.asarray(matrix, dtype=np.float64, order="F")
    except (ValueError, TypeError) as error:
        raise DataError(
            f"X must be a matrix of numbers, but is not: {error}. "
            "Encode text as numbers, or leave such columns out."
        ) from None
    if matrix.ndim != 2:
        raise DataError(
            f"X must have two dimensions, documents and features, but has {matrix.ndim}. "
            "Reshape your data: X[:, None] makes one feature of a vector."
        )
    if 0 in matrix.shape:
        raise DataError(
            f"X has {matrix.shape[0]} documents and {matrix.shape[1]} features; "
            "it needs at least one of each"
        )
    return matrix


def check_grades(y: ArrayLike, n_documents: int) -> NDArray[np.float64]:
    """Return grades as float64: one per document, finite and not negative."""
    try:
        grades = np.ascontiguousarray(_unmasked(y), dtype=np.float64)
    except (ValueError, TypeError):
        raise DataError(
            "grades (y) must be numbers; map text labels to 0, 1, 2, ... first"
        ) from None
    check_length(grades, n_documents, "grades (y)")
    bad = np.flatnonzero(~(np.isfinite(grades) & (grades >= 0)))
    if len(bad):
        raise DataError(
            f"grades must be finite and not negative, but {len(bad)} are not "
            f"(first: {grades[bad[0]]} at row {bad[0]}). Shift or map them so that 0 is the worst."
        )
    return grades


def check_scores(scores: ArrayLike, n_documents: int) -> NDArray[np.float64]:
    """Return scores as float64: one per document, and no NaN (infinities order well)."""
    refuse_masked(scores, "scores")
    try:
        checked = np.ascontiguousarray(scores, dtype=np.float64)
    except (ValueError, TypeError):
        raise DataError("scores must be numbers") from None
    check_length(checked, n_documents, "scores")
    bad = np.flatnonzero(np.isnan(checked))
    if len(bad):
        raise DataError(
            f"scores must not be NaN, but {len(bad)} are (first: row {bad[0]}). "
            "Find out why the model gave them."
        )
    return checked


def check_row_ids(qid: ArrayLike | None, n_documents: int) -> NDArray[Any]:
    """Return query ids, one per document: whole numbers or text."""
    if qid is None:
        raise DataError(
            "qid is required: one query id per document, as in qid=[1, 1, 1, 2, 2]. "
            "Without it there is no ranking, and all documents would count as one query."
        )
    return check_labels(qid, n_documents, "query ids (qid)")


def check_feature_names(names: Sequence[str] | None, n_features: int) -> tuple[str, ...]:
    """Return one distinct name per feature; x0, x1, ... where none are given."""
    if names is None:
        return tuple(f"x{index}" for index in range(n_features))
    checked = tuple(str(name) for name in names)
    if len(checked) != n_features:
        raise DataError(
            f"{n_features} features need {n_features} names, but {len(checked)} are given"
        )
    if len(set(checked)) < len(checked):
        again = next(name for index, name in enumerate(checked) if name in checked[:index])
        raise DataError(f"feature names must differ, but {again!r} appears twice")
    return checked


def query_offsets(ids: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Return the offsets of runs of equal ids, and the id of each; no id may come again."""
    starts = run_starts(ids)
    query_ids = ids[starts]
    check_distinct_queries(query_ids, starts)
    return np.append(starts, len(ids)), query_ids


def regrouped(ids: NDArray[Any]) -> NDArray[np.int64] | None:
    """Return the row order that brings queries together as they first appear; None if they are."""
    _, first, inverse = np.unique(ids, return_index=True, return_inverse=True)
    order = np.argsort(first[inverse], kind="stable")
    return None if np.array_equal(order, np.arange(len(ids))) else order


def check_dtype(dtype: DTypeLike) -> np.dtype[Any]:
    """Return the type of feature values: float32 or float64."""
    try:
        kind = np.dtype(dtype)
    except TypeError:
        kind = None
    if kind not in (np.float32, np.float64):
        received = repr(dtype) if kind is None else kind
        raise ParameterError(f"dtype must be float32 or float64, but is {received}")
    return kind


def check_count(name: str, value: Any, least: int) -> None:
    """Raise unless a parameter is a whole number of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise ParameterError(f"{name} must be a whole number of at least {least}, but is {value!r}")


def check_seed(value: Any, name: str = "random_state") -> None:
    """Raise unless a seed is a whole number of 64 bits, which every generator and store takes."""
    check_count(name, value, 0)
    if value >= 2**64:
        raise ParameterError(f"{name} must be below 2^64, but is {value}")


def check_levels(y: NDArray[np.float64], caller: str) -> None:
    """Raise unless all grades are whole numbers."""
    bad = np.flatnonzero(y != np.rint(y))
    if len(bad):
        raise DataError(
            f"{caller} needs whole grades (levels), but {len(bad)} are fractional "
            f"(first: {y[bad[0]]} at row {bad[0]}). Round or bin the grades first."
        )


def check_dense_size(n_documents: int, n_features: int, itemsize: int) -> None:
    """Raise if a dense matrix of this size would not fit into the machine's memory."""
    if not hasattr(os, "sysconf"):
        return
    needed = n_documents * n_features * itemsize
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if needed > memory:
        raise DataError(
            f"{n_documents:,} documents with {n_features:,} features need "
            f"{needed / 2**30:,.0f} GiB as a dense matrix, and this machine has "
            f"{memory / 2**30:,.0f} GiB. Renumber the features without gaps, or leave some out."
        )


def _check_document_ids(document_ids: ArrayLike | None, n_documents: int) -> NDArray[Any] | None:
    if document_ids is None:
        return None
    documents = np.asarray(document_ids)
    if documents.shape != (n_documents,):
        raise DataError(
            f"document_ids needs one id per row ({n_documents}), but has shape {documents.shape}"
        )
    return documents


def _unmasked(values: Any) -> Any:
    if isinstance(values, np.ma.MaskedArray):
        return np.ma.filled(values.astype(np.float64), np.nan)
    return values
