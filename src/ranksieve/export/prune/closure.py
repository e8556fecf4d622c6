"""Names that are asked for, and the names that these depend on."""

from __future__ import annotations

import difflib
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ranksieve.errors import DataError, ParameterError

_NEAREST = 3
_LISTED = 20


@dataclass(frozen=True)
class Closure:
    """Names in the order of a definition, and who needs those that nobody asked for.

    Attributes
    ----------
    names : frozenset of str
    needed_by : pairs of a name and the name that needs it
    """

    names: frozenset[str]
    needed_by: tuple[tuple[str, str], ...]


def closure(
    requested: Sequence[str], names: Sequence[str], dependences: Mapping[str, Sequence[str]]
) -> Closure:
    """Return the requested names and all that they depend on, followed to the end.

    The search goes in breadth from the requested names, in the order of the definition, so that
    neither the order of the request nor a cycle matters.

    Parameters
    ----------
    requested : some of the names
    names : all names, in the order of the definition
    dependences : the names that each name uses

    Examples
    --------
    >>> closure(["c"], ["a", "b", "c"], {"c": ["b"], "b": ["a", "c"]}).needed_by
    (('a', 'b'), ('b', 'c'))
    """
    asked_for = set(requested)
    position = {name: index for index, name in enumerate(names)}
    waiting = deque(name for name in names if name in asked_for)
    reached = set(waiting)
    needed_by: dict[str, str] = {}
    while waiting:
        name = waiting.popleft()
        for used in sorted(dependences.get(name, ()), key=lambda used: position[used]):
            if used not in reached:
                reached.add(used)
                needed_by[used] = name
                waiting.append(used)
    pairs = tuple((name, needed_by[name]) for name in names if name in needed_by)
    return Closure(frozenset(reached), pairs)


def check_names(requested: Sequence[str], names: Sequence[str], source: str) -> None:
    """Raise unless every requested name is one of the names; say which are nearest.

    Examples
    --------
    >>> check_names(["titel"], ["title", "body"], "the feature set")
    Traceback (most recent call last):
    ...
    ranksieve.errors.DataError: the feature set does not have 1 of the 1 features to keep:
    'titel' (nearest: 'title'). It has 2 features.
    """
    if not requested:
        raise ParameterError("no features are to be kept: give at least one name")
    members = set(names)
    absent = [name for name in dict.fromkeys(requested) if name not in members]
    if not absent:
        return
    listed = ", ".join(f"{name!r}{_nearest(name, names)}" for name in absent[:_LISTED])
    more = f" and {len(absent) - _LISTED} more" if len(absent) > _LISTED else ""
    raise DataError(
        f"{source} does not have {len(absent)} of the {len(set(requested))} features to keep: "
        f"{listed}{more}. It has {len(members)} features."
    )


def _nearest(name: str, names: Sequence[str]) -> str:
    folded = {candidate.lower(): candidate for candidate in names}
    matches = difflib.get_close_matches(name.lower(), folded, n=_NEAREST, cutoff=0.5)
    if not matches:
        return ""
    return f" (nearest: {', '.join(repr(folded[match]) for match in matches)})"
