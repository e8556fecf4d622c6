"""Content of JSON files with something changed in it, to see that a reader bears it."""

from __future__ import annotations

import copy

VALUES = (None, True, 3, 1.5, "x", "", [], {}, [1], {"a": 1}, [{}], [[]], [None], 10**30, "NaN")
KEYS = ("x", "features", "response", "error", "children", "root", "hits")


def places(content, path=()):
    """The path of every value in nested lists and objects."""
    if path:
        yield path
    if isinstance(content, dict | list):
        pairs = content.items() if isinstance(content, dict) else enumerate(content)
        for key, inner in pairs:
            yield from places(inner, (*path, key))


def mutated(content, draw):
    """The content with one value removed, renamed or replaced."""
    changed = copy.deepcopy(content)
    *path, last = draw.choice(list(places(changed)))
    inner = changed
    for key in path:
        inner = inner[key]
    action = draw.random()
    if action < 0.3:
        del inner[last]
    elif action < 0.5 and isinstance(inner, dict):
        inner[draw.choice(KEYS)] = inner.pop(last)
    else:
        inner[last] = copy.deepcopy(draw.choice(VALUES))
    return changed
