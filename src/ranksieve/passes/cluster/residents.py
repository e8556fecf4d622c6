"""What a worker has of the data: blocks, and the pieces of them that passes work on.

These functions run on workers. What they keep is in this process, and goes when the client says so,
or with the process.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.data.lazy_block import LazyBlock
from ranksieve.passes.base import Pass
from ranksieve.passes.blocks import PIECES_OF_A_GROUP
from ranksieve.passes.notes import drop_notes, notes_of_worker
from ranksieve.threads import side_by_side

# The features of blocks, by key.
_features: dict[str, NDArray[Any]] = {}
# The pieces of a view with their numbers, by the view's name.
_views: dict[str, list[tuple[int, LazyBlock]]] = {}


@dataclass(frozen=True)
class Released:
    """What a client no longer has, and its workers need no longer keep."""

    blocks: tuple[str, ...] = ()
    views: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def hold_blocks(blocks: Mapping[str, NDArray[Any]]) -> None:
    """Keep the features of blocks."""
    for key, X in blocks.items():
        _features[key] = np.asfortranarray(X)


def resident(key: str) -> NDArray[Any] | None:
    """Return the features of a block that this process has, or None."""
    return _features.get(key)


def read_resident(key: str, rows: slice, features: NDArray[np.int64] | None) -> NDArray[Any]:
    """Return a part of the features of a block of this process."""
    X = _features[key][rows]
    return X if features is None else X.T[features].T


def hold_view(view: str, pieces: Sequence[tuple[int, tuple[Any, ...]]]) -> None:
    """Keep the pieces of a view, which are parts of blocks of this process."""
    _views[view] = [(number, LazyBlock(*attributes)) for number, attributes in pieces]


def hold_notes(name: str, values: Mapping[int, Any]) -> None:
    """Keep what the client notes for the pieces of this process."""
    notes_of_worker(name).update(values)


def run_view(view: str, work: Pass[Any], released: Released) -> list[tuple[int, Any]]:
    """Return the contributions of the pieces that this process has of a view.

    Those of a group of pieces together, with the number of the first one; of a group that begins on
    another worker one by one, so that they are combined in the same order as on one machine.
    """
    release(released)

    def partial(numbered: tuple[int, LazyBlock]) -> tuple[int, Any]:
        number, piece = numbered
        # A piece of its own: what it reads goes with it.
        return number, work.partial(piece.moved(piece.first_document))

    results: list[tuple[int, Any]] = []
    for number, contribution in side_by_side(partial, _views[view]):
        begins = number % PIECES_OF_A_GROUP == 0
        follows = results and number // PIECES_OF_A_GROUP == results[-1][0] // PIECES_OF_A_GROUP
        complete = results and results[-1][0] % PIECES_OF_A_GROUP == 0
        if begins or not follows or not complete:
            results.append((number, contribution))
        else:
            results[-1] = results[-1][0], work.combine(results[-1][1], contribution)
    return results


def part_of_view(view: str) -> tuple[NDArray[Any], NDArray[np.float64], NDArray[np.int64]]:
    """Return what this process has of a view: features, grades, and documents of each query."""
    numbered = _views[view]
    X = np.concatenate([piece.moved(0).X.T for _, piece in numbered], axis=1).T
    y = np.concatenate([piece.y for _, piece in numbered])
    sizes = np.concatenate([np.diff(piece.query_ptr) for _, piece in numbered])
    return X, y, sizes


def release(released: Released) -> None:
    """Forget what the client no longer has."""
    for key in released.blocks:
        _features.pop(key, None)
    for view in released.views:
        _views.pop(view, None)
    drop_notes(released.notes)


def n_residents() -> tuple[int, int]:
    """Return how many blocks and views this process has."""
    return len(_features), len(_views)
