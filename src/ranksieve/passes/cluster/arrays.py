"""Arrays that stay on the workers, for libraries that train on Dask themselves.

A part is what a worker has of the data: whole queries. It becomes one chunk of Dask's arrays, on
the same worker, so that no query is split and no row travels.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.errors import DataError
from ranksieve.passes.cluster.calls import Cluster
from ranksieve.passes.cluster.remote import packed, run_resident

# Documents of whole queries: X of shape (n, p), the grades, and the number of documents per query.
Part = tuple[NDArray[Any], NDArray[np.float64], NDArray[np.int64]]
# A function and its arguments, which returns a part when a worker calls it.
PartOfWorker = tuple[Callable[..., Part], Sequence[Any]]


@dataclass(frozen=True, eq=False)
class ClusterArrays:
    """Dask's arrays of the same parts, a chunk each.

    Attributes
    ----------
    X, y : features and grades of all documents
    sizes : documents of each query
    queries : the number of each document's query, counted through over all parts
    workers : the workers that have a part
    """

    X: Any
    y: Any
    sizes: Any
    queries: Any
    workers: tuple[str, ...]


def cluster_arrays(cluster: Cluster, parts: Mapping[str, Sequence[PartOfWorker]]) -> ClusterArrays:
    """Return arrays of what workers have: each calls its functions, and keeps what they return.

    Parameters
    ----------
    cluster : where the parts are
    parts : the address of a worker -> the functions that return its parts there
    """
    requests = [(worker, request) for worker in sorted(parts) for request in parts[worker]]
    if not requests:
        raise DataError("the data has no documents")
    workers = tuple(dict.fromkeys(worker for worker, _ in requests))

    def described() -> tuple[list[Any], list[Any]]:
        futures = [_resident(cluster, worker, request) for worker, request in requests]
        shapes = [
            cluster.client.submit(_shape, future, workers=[worker], pure=False)
            for future, (worker, _) in zip(futures, requests, strict=True)
        ]
        return futures, cluster.client.gather(shapes)

    futures, shapes = cluster.guarded(described, workers, label="preparing its part of the data")
    return _joined(futures, shapes, workers)


def _resident(cluster: Cluster, worker: str, request: PartOfWorker) -> Any:
    """Return Dask's future of a part that its worker makes and keeps."""
    return cluster.client.submit(
        run_resident,
        cluster.sender,
        packed(request),
        workers=[worker],
        allow_other_workers=False,
        pure=False,
        retries=0,
    )


def _joined(
    futures: Sequence[Any], shapes: Sequence[Any], workers: tuple[str, ...]
) -> ClusterArrays:
    dask, array = import_module("dask"), import_module("dask.array")
    item, numbered = dask.delayed(operator.getitem), dask.delayed(_query_numbers)
    chunks: dict[str, list[Any]] = {"X": [], "y": [], "sizes": [], "queries": []}
    first_query = 0
    for future, (n_documents, n_features, n_queries, dtype) in zip(futures, shapes, strict=True):
        descriptions = {
            "X": (item(future, 0), (n_documents, n_features), dtype),
            "y": (item(future, 1), (n_documents,), np.float64),
            "sizes": (item(future, 2), (n_queries,), np.int64),
            "queries": (numbered(future, first_query), (n_documents,), np.int64),
        }
        for name, (value, shape, kind) in descriptions.items():
            chunks[name].append(array.from_delayed(value, shape=shape, dtype=kind))
        first_query += n_queries
    joined = {name: array.concatenate(pieces) for name, pieces in chunks.items()}
    return ClusterArrays(**joined, workers=workers)


def _shape(part: Part) -> tuple[int, int, int, Any]:
    return (*part[0].shape, len(part[2]), part[0].dtype)


def _query_numbers(part: Part, first: int) -> NDArray[np.int64]:
    sizes = part[2]
    return np.repeat(np.arange(first, first + len(sizes)), sizes)
