"""What passes note for each piece between one pass and the next, such as scores."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any

# On a worker of a cluster: the notes of the pieces that it has, by name.
_of_worker: dict[str, PieceNotes] = {}


class PieceNotes(dict[int, Any]):
    """A value for each piece, by the piece's first document.

    Passes share it as a dictionary. On a cluster the values stay where the pieces are: what a
    client puts in is sent once, to the workers that have the pieces, and what workers put in
    does not come back. Only its name travels with a pass.
    """

    @cached_property
    def name(self) -> str:
        """What the workers of a cluster keep the notes by; a solve makes thousands without one."""
        return uuid.uuid4().hex

    def __reduce__(self) -> Any:
        return notes_of_worker, (self.name,)


def notes_of_worker(name: str) -> PieceNotes:
    """Return the notes of this process by their name, new where there are none."""
    if name not in _of_worker:
        _of_worker[name] = PieceNotes()
    return _of_worker[name]


def drop_notes(names: Iterable[str]) -> None:
    """Forget notes of this process that no pass will ask for again."""
    for name in names:
        _of_worker.pop(name, None)


def notes_in(work: Any) -> Iterator[PieceNotes]:
    """Yield the notes that a pass uses, or the passes that it is made of."""
    for value in vars(work).values() if hasattr(work, "__dict__") else ():
        if isinstance(value, PieceNotes):
            yield value
        elif isinstance(value, tuple):
            for part in value:
                yield from notes_in(part)


def n_notes() -> int:
    """Return how many notes this process keeps for passes of a client."""
    return len(_of_worker)
