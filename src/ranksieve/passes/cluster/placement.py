"""Data in the memory of a cluster's workers, and passes over it.

Each worker gets a run of blocks once. A pass sends itself, and each worker returns the
contributions of its blocks: weights and partial sums travel, features do not.
"""

from __future__ import annotations

import uuid
import weakref
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import Block, RankingData
from ranksieve.data.lazy_block import LazyBlock
from ranksieve.data.memory import memory_limit
from ranksieve.errors import ClusterError, ParameterError
from ranksieve.passes.base import Pass
from ranksieve.passes.blocks import PIECES_OF_A_GROUP, in_groups, pieces
from ranksieve.passes.cluster.arrays import PartOfWorker
from ranksieve.passes.cluster.calls import Cluster
from ranksieve.passes.cluster.connect import active_cluster
from ranksieve.passes.cluster.residents import (
    Released,
    hold_blocks,
    hold_notes,
    hold_view,
    part_of_view,
    read_resident,
    release,
    resident,
    run_view,
)
from ranksieve.passes.notes import PieceNotes, notes_in
from ranksieve.progress import report

Partial = TypeVar("Partial")

# Bytes that are sent to a worker in one call.
_SENT_TOGETHER = 64 << 20
# What is shown of the data comes to the client if it takes no more.
_EASILY = 64 << 20


def place(data: RankingData) -> RankingData:
    """Return the data with its features in the memory of the active cluster's workers.

    Whatever reads it by passes then runs there, with the same results bit for bit as on one machine
    for the same blocks. The features are sent once; workers hold them until the data is gone, or
    the `with cluster(...)` ends.

    Examples
    --------
    >>> from ranksieve import GAS, load
    >>> from ranksieve.passes.cluster import cluster
    >>> with cluster("local:4"):                                # doctest: +SKIP
    ...     GAS(10).fit(place(load("train.parquet")))
    """
    cluster = active_cluster()
    if cluster is None:
        raise ParameterError("data is placed on a cluster: call this inside `with cluster(...)`")
    if data.on_workers:
        return data
    blocks = _residence(cluster).sent(pieces(data), data.n_documents)
    return RankingData(blocks, data.feature_names, data.scaling, data.tasks)


def _batches(
    blocks: Iterable[Block], n_documents: int, workers: Sequence[str]
) -> Iterator[tuple[str, list[Block]]]:
    """Yield blocks for workers, in the order of the data, some at a time.

    Each worker has one run of the data. It begins with a group of pieces, so that few groups are
    on two workers.
    """
    if not workers:
        raise ClusterError("the cluster has no workers. Start some, and try again.")
    batch: list[Block] = []
    worker = n_bytes = n_sent = 0
    for number, block in enumerate(blocks):
        if number % PIECES_OF_A_GROUP == 0:
            turn = min(n_sent * len(workers) // max(n_documents, 1), len(workers) - 1)
            if batch and (turn != worker or n_bytes >= _SENT_TOGETHER):
                yield workers[worker], batch
                batch, n_bytes = [], 0
            worker = turn
        batch.append(block.compact())
        n_bytes += block.n_documents * block.n_features * block.dtype.itemsize
        n_sent += block.n_documents
        report("to the workers", n_sent, n_documents)
    yield workers[worker], batch


class _Residence:
    """What a cluster's workers have of this client, and what they may forget."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self._views: weakref.WeakKeyDictionary[RankingData, _View] = weakref.WeakKeyDictionary()
        # What the workers have been given, by name; and what of it has ended, and is released with
        # the next call: objects end at any time, in any thread.
        self._held: dict[str, set[str]] = {"blocks": set(), "views": set(), "notes": set()}
        self._ended: dict[str, list[str]] = {kind: [] for kind in self._held}
        cluster.closing.append(self.close)

    def sent(self, blocks: Iterable[Block], n_documents: int) -> list[LazyBlock]:
        """Send blocks to the workers; return blocks that read them there."""
        results = []
        workers = self.cluster.workers()
        request = release, (self.ended(),)
        self.cluster.call_all(dict.fromkeys(workers, request), label="making room")
        for worker, batch in _batches(blocks, n_documents, workers):
            parts = {uuid.uuid4().hex: block for block in batch}
            features = {key: block.X for key, block in parts.items()}
            self.cluster.call(worker, hold_blocks, features, label="taking its part of the data")
            for key, block in parts.items():
                columns = WorkerColumns(self, worker, key, block.X.shape, block.dtype)
                self._hold("blocks", key, columns)
                results.append(
                    LazyBlock(
                        columns, block.y.copy(), block.query_ptr.copy(), block.query_ids.copy()
                    )
                )
        return results

    def view(self, data: RankingData) -> _View:
        """Return the pieces of the data as the workers have them, told to them once."""
        if data not in self._views:
            view = _View(uuid.uuid4().hex, _by_worker(data))
            requests = {
                worker: (hold_view, (view.name, [(n, _attributes(p)) for n, p in numbered]))
                for worker, numbered in view.pieces.items()
            }
            self.cluster.call_all(requests, label="taking its pieces of the data")
            self._hold("views", view.name, view)
            self._views[data] = view
        return self._views[data]

    def tell(self, notes: PieceNotes, view: _View) -> None:
        """Send what the client has noted to the workers that have the pieces; once."""
        if notes.name in view.told:
            return
        view.told.add(notes.name)
        self._hold("notes", notes.name, notes)
        requests = {}
        for worker, numbered in view.pieces.items():
            values = {
                piece.first_document: notes[piece.first_document]
                for _, piece in numbered
                if piece.first_document in notes
            }
            if values:
                requests[worker] = hold_notes, (notes.name, values)
        if requests:
            self.cluster.call_all(requests, label="taking what is known of its pieces")

    def _hold(self, kind: str, name: str, content: Any) -> None:
        """Remember what the workers were given, until its last use here."""
        if name not in self._held[kind]:
            self._held[kind].add(name)
            weakref.finalize(content, self._ended[kind].append, name)

    def ended(self) -> Released:
        """Return what has ended since the last call."""
        names = {}
        for kind, ended in self._ended.items():
            names[kind] = tuple(ended)
            del ended[: len(names[kind])]
            self._held[kind].difference_update(names[kind])
        return Released(**names)

    def close(self) -> None:
        """Let the workers forget everything."""
        everything = Released(**{kind: tuple(names) for kind, names in self._held.items()})
        request = release, (everything,)
        self.cluster.call_all(dict.fromkeys(self.cluster.workers(), request), label="making room")


_residences: weakref.WeakKeyDictionary[Cluster, _Residence] = weakref.WeakKeyDictionary()


def _residence(cluster: Cluster) -> _Residence:
    if cluster not in _residences:
        _residences[cluster] = _Residence(cluster)
    return _residences[cluster]


@dataclass(eq=False)
class _View:
    """The pieces of some data: worker -> numbers and pieces; and which notes were told."""

    name: str
    pieces: dict[str, list[tuple[int, LazyBlock]]]
    told: set[str] = field(default_factory=set)


def _by_worker(data: RankingData) -> dict[str, list[tuple[int, LazyBlock]]]:
    by_worker: dict[str, list[tuple[int, LazyBlock]]] = {}
    for number, piece in enumerate(cast(Iterator[LazyBlock], pieces(data))):
        worker = cast(WorkerColumns, piece.columns).worker
        by_worker.setdefault(worker, []).append((number, piece))
    return by_worker


def _attributes(piece: LazyBlock) -> tuple[Any, ...]:
    return (
        piece.columns,
        piece.y,
        piece.query_ptr,
        piece.query_ids,
        piece.first_document,
        piece.row_slice,
        piece.row_indices,
        piece.features,
        piece.directions,
    )


@dataclass(frozen=True, eq=False)
class WorkerColumns:
    """The features of one block in the memory of a worker."""

    residence: Any
    worker: str
    key: str
    shape: tuple[int, int]
    dtype: np.dtype[Any]

    on_workers = True

    @property
    def limit(self) -> int:
        """Bytes of features that may be in this process's memory at once."""
        return memory_limit()

    @property
    def easily(self) -> int:
        """Bytes that come to the client where a view is gathered."""
        return min(_EASILY, self.limit)

    def read(self, rows: slice, features: NDArray[np.int64] | None) -> NDArray[Any]:
        """Return some rows of some features; from the worker, where this is not it."""
        if resident(self.key) is not None:
            return read_resident(self.key, rows, features)
        X: NDArray[Any] = self.residence.cluster.call(
            self.worker, read_resident, self.key, rows, features, label="reading its data"
        )
        return np.asfortranarray(X)

    def prefetch(self) -> None:
        """Do nothing: passes go to the worker, which has the features in memory."""

    def keep(self, blocks: Iterable[Block], n_bytes: int) -> list[Block]:
        """Return equal blocks whose features are with this data's workers."""
        n_documents = n_bytes // (self.shape[1] * self.dtype.itemsize)
        cuts = (piece for block in blocks for piece in block.cuts())
        kept: list[Block] = list(self.residence.sent(cuts, n_documents))
        return kept

    def run_pass(self, work: Pass[Partial], data: RankingData, *, label: str) -> Partial:
        """Return what `ranksieve.passes.run` returns, of data that workers have."""
        return run_placed(work, data, label=label)

    def __reduce__(self) -> tuple[Any, ...]:
        return WorkerColumns, (None, self.worker, self.key, self.shape, self.dtype)


def parts_on_workers(data: RankingData) -> tuple[Cluster, dict[str, list[PartOfWorker]]]:
    """Return the cluster that has the data, and what gives each worker its part of it there."""
    columns: Any = data.columns
    view = columns.residence.view(data)
    parts: dict[str, list[PartOfWorker]] = {
        worker: [(part_of_view, (view.name,))] for worker in view.pieces
    }
    return columns.residence.cluster, parts


def run_placed(work: Pass[Partial], data: RankingData, *, label: str) -> Partial:
    """Return what `run` returns, of data that workers have."""
    columns: Any = data.columns
    residence: _Residence = columns.residence
    view = residence.view(data)
    for notes in notes_in(work):
        residence.tell(notes, view)
    released = residence.ended()
    requests = dict.fromkeys(view.pieces, (run_view, (view.name, work, released)))
    results = residence.cluster.call_all(requests, label=label or "a pass over its data")
    contributions = [entry for worker in view.pieces for entry in results[worker]]
    contributions.sort(key=lambda entry: entry[0])
    total: Partial = in_groups(work, iter(contributions))
    if label:
        report(label, data.n_documents, data.n_documents)
    return total
