"""Ids of queries and labels of tasks: whole numbers or text, and none of them missing."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ranksieve.errors import DataError

# Whole numbers beyond this are not all exact as float64, so two ids could look like one.
_MAX_EXACT = 2.0**53


def check_labels(
    values: ArrayLike, n_values: int, name: str, each: str = "document"
) -> NDArray[Any]:
    """Return whole numbers or text, a value for each document, or each of what `each` says.

    Examples
    --------
    >>> check_labels([1.0, 2.0], 2, "query ids")
    array([1, 2])
    """
    refuse_masked(values, name)
    try:
        labels = _as_ids(np.asarray(values))
    except (ValueError, TypeError, OverflowError) as error:
        short = name.split(" (")[0]
        raise DataError(
            f"{short} must be whole numbers or text, and none may be missing: {error}"
        ) from None
    check_length(labels, n_values, name, each)
    return labels


def task_of_queries(
    task: ArrayLike, query_ptr: NDArray[np.int64], query_ids: NDArray[Any]
) -> NDArray[Any]:
    """Return the task of each query from one per document: the same for all of a query's.

    Examples
    --------
    >>> task_of_queries(["de", "de", "fr"], np.array([0, 2, 3]), np.array([7, 9]))
    array(['de', 'fr'], dtype='<U2')
    """
    labels = check_labels(task, int(query_ptr[-1]), "tasks (task)")
    sizes, first = np.diff(query_ptr), labels[query_ptr[:-1]]
    mixed = np.flatnonzero(labels != np.repeat(first, sizes))
    if len(mixed):
        query = int(np.searchsorted(query_ptr, mixed[0], side="right")) - 1
        raise DataError(
            "all documents of a query must have the same task, but qid "
            f"{query_ids[query].item()!r} has {first[query].item()!r} at row {query_ptr[query]} "
            f"and {labels[mixed[0]].item()!r} at row {mixed[0]}. Correct the tasks, or give the "
            "documents of each task a query of their own."
        )
    tasks: NDArray[Any] = first
    return tasks


def refuse_masked(values: Any, name: str) -> None:
    """Raise where a value is masked."""
    if np.ma.is_masked(values):
        raise DataError(f"{name} must not be missing, but some are masked")


def check_length(values: NDArray[Any], n_values: int, name: str, each: str = "document") -> None:
    """Raise unless there is one value for each document, or each of what `each` says."""
    if values.shape != (n_values,):
        raise DataError(
            f"{name} must have one value per {each}: {n_values}, but the shape is {values.shape}"
        )


def _as_ids(ids: NDArray[Any]) -> NDArray[Any]:
    if ids.dtype.kind == "O":
        ids = _from_objects(ids)
    if ids.dtype.kind == "f":
        exact = np.isfinite(ids) & (np.abs(ids) <= _MAX_EXACT) & (ids == np.rint(ids))
        if not exact.all():
            raise ValueError(f"row {np.argmin(exact)} has {ids.ravel()[np.argmin(exact)]}")
        return ids.astype(np.int64)
    if ids.dtype.kind == "S":
        return np.char.decode(ids, "utf-8")
    if ids.dtype.kind == "T":
        return np.array(ids.tolist(), dtype=np.str_)
    if ids.dtype.kind not in "iuU":
        raise ValueError(f"they are {ids.dtype}")
    return ids


def _from_objects(ids: NDArray[Any]) -> NDArray[Any]:
    values = ids.ravel().tolist()
    for row, value in enumerate(values):
        if isinstance(value, bool) or not isinstance(value, str | int | np.integer):
            raise ValueError(f"row {row} has {value!r}")
    if not any(isinstance(value, str) for value in values):
        return ids.astype(np.int64)
    if len({str(value) for value in values}) < len(set(values)):
        raise ValueError("a number and a text are spelled alike")
    return ids.astype(str)
