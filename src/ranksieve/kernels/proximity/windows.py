"""Distances and windows of terms in documents."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.compile import compiled


@compiled
def closest_terms(
    positions: NDArray[np.int64],
    terms: NDArray[np.int64],
    document_ptr: NDArray[np.int64],
    follows: NDArray[np.bool_],
    out: NDArray[np.float64],
) -> None:
    """Write 1 / least distance, terms / shortest window, and pairs in order of each document.

    Document d has the words `positions[document_ptr[d]:document_ptr[d + 1]]`, which rise, and their
    terms. Of two different terms the closest pair is side by side in this list. The shortest window
    moves its two ends over the list once.
    """
    n_terms = len(follows)
    occurs = np.zeros(n_terms, dtype=np.int64)
    for document in range(len(document_ptr) - 1):
        start, stop = document_ptr[document], document_ptr[document + 1]
        occurs[:] = 0
        n_different = 0
        nearest = 0
        ordered = 0
        for hit in range(start, stop):
            if occurs[terms[hit]] == 0:
                n_different += 1
            occurs[terms[hit]] += 1
            if hit == start:
                continue
            distance = positions[hit] - positions[hit - 1]
            if terms[hit] != terms[hit - 1] and (nearest == 0 or distance < nearest):
                nearest = distance
            if distance == 1 and follows[terms[hit - 1], terms[hit]]:
                ordered += 1
        out[document, 0] = out[document, 1] = 0.0
        out[document, 2] = ordered
        if n_different < 2:
            continue
        out[document, 0] = 1.0 / nearest
        occurs[:] = 0
        n_inside = 0
        first = start
        shortest = positions[stop - 1] - positions[start] + 1
        for hit in range(start, stop):
            if occurs[terms[hit]] == 0:
                n_inside += 1
            occurs[terms[hit]] += 1
            while occurs[terms[first]] > 1:
                occurs[terms[first]] -= 1
                first += 1
            if n_inside == n_different:
                shortest = min(shortest, positions[hit] - positions[first] + 1)
        out[document, 1] = n_different / shortest
