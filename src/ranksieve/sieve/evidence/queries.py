"""What each query gains or loses with the chosen features."""

from __future__ import annotations

import numpy as np

from ranksieve.sieve.result import QueryChange
from ranksieve.sieve.search.search import Search


def query_changes(found: Search, choice: int) -> tuple[QueryChange, ...]:
    """Return the queries that count, that which loses most first; equal ones by id."""
    question = found.question
    on_everything = choice in found.on_everything
    queries = np.ones(len(found.searched), dtype=bool) if on_everything else found.searched
    positions = np.flatnonzero(queries)[question.counting[queries]]
    sizes = np.diff(question.data.query_ptr)
    changes = [
        QueryChange(
            str(question.data.query_ids[position]),
            int(sizes[position]),
            float(reference),
            float(value),
        )
        for position, value, reference in zip(
            positions, found.values(choice), found.reference(choice), strict=True
        )
    ]
    return tuple(sorted(changes, key=lambda change: (change.change, change.query)))
