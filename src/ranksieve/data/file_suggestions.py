"""Which file is meant where there is none of that name."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

_ALIKE = 0.75


def suggest_file(name: str, candidates: Iterable[str]) -> str:
    """Return `: did you mean 'x'?` for a file whose name is alike, or a full stop.

    Names are compared without their endings: most files of a folder share these.

    Examples
    --------
    >>> suggest_file("trian.txt", ["test.txt", "train.txt"]), suggest_file("x.txt", ["test.txt"])
    (": did you mean 'train.txt'?", '.')
    >>> suggest_file("train.csv", ["train.txt"])
    ": did you mean 'train.txt'?"
    """
    stems = {candidate: _stem(candidate) for candidate in sorted(candidates)}
    stem_of_name = _stem(name)
    ratios = {
        candidate: difflib.SequenceMatcher(None, stem_of_name, stem).ratio()
        for candidate, stem in stems.items()
    }
    best = max(
        ratios,
        key=lambda candidate: (ratios[candidate], _same_ending(name, candidate)),
        default=None,
    )
    if best is None or ratios[best] < _ALIKE:
        return "."
    return f": did you mean {best!r}?"


def _stem(name: str) -> str:
    return name.lower().split(".", 1)[0] or name.lower()


def _same_ending(name: str, other: str) -> bool:
    return name.lower().rpartition(".")[2] == other.lower().rpartition(".")[2]
