"""Reciprocal rank of the first relevant document, one value per query."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.compile import compiled
from ranksieve.kernels.measures.ordering import AVERAGE, INPUT


@compiled
def reciprocal_rank_per_query(
    y: NDArray[np.float64],
    scores: NDArray[np.float64],
    query_ptr: NDArray[np.int64],
    out: NDArray[np.float64],
    k: int,
    ties: int,
    no_relevant: float,
    threshold: float,
) -> None:
    """Write 1 / position of the first relevant document, 0 after position k.

    Nothing is sorted: the group of the best relevant score decides, so O(n) a query.
    """
    for query in range(len(out)):
        start, stop = query_ptr[query], query_ptr[query + 1]
        best = -1
        for row in range(start, stop):
            if y[row] >= threshold and (best < 0 or scores[row] > scores[best]):
                best = row
        if best < 0:
            out[query] = no_relevant
            continue
        above, tied, relevant, earlier = 0, 0, 0, 0
        for row in range(start, stop):
            if scores[row] > scores[best]:
                above += 1
            elif scores[row] == scores[best]:
                tied += 1
                relevant += y[row] >= threshold
                earlier += row < best
        if ties == AVERAGE:
            out[query] = _expected(above, tied, relevant, k)
        else:
            position = above + 1 + (earlier if ties == INPUT else tied - relevant)
            out[query] = 1.0 / position if position <= k else 0.0


@compiled
def _expected(above: int, tied: int, relevant: int, k: int) -> float:
    """Return E[1 / position of the first relevant document] in a group after `above` others."""
    total = 0.0
    none_yet = 1.0
    for index in range(min(tied - relevant + 1, k - above)):
        total += none_yet * relevant / (tied - index) / (above + index + 1)
        none_yet *= (tied - relevant - index) / (tied - index)
    return total
