"""NDCG of few documents by numpy: the same values, and nothing to compile in a first call."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.measures.ordering import WORST

# Up to this many documents numpy takes a tenth of a millisecond; compiling the kernel takes more
# than half a second.
FEW_DOCUMENTS = 1024


def ndcg_of_few(
    y: NDArray[np.float64],
    scores: NDArray[np.float64],
    query_ptr: NDArray[np.int64],
    out: NDArray[np.float64],
    k: int,
    ties: int,
    no_relevant: float,
    exponential: bool,
    discounts: NDArray[np.float64],
    short_scores_zero: bool,
) -> None:
    """Write what `ndcg_per_query` writes, to the last bit; not for AVERAGE ties."""
    documents, sizes = slice(query_ptr[0], query_ptr[-1]), np.diff(query_ptr)
    grades, falling = y[documents], -scores[documents]
    queries = np.repeat(np.arange(len(sizes)), sizes)
    gains = np.ldexp(1.0, grades.astype(np.int32)) - 1.0 if exponential else grades
    tied = (grades,) if ties == WORST else ()
    ideal = _dcg(gains, np.lexsort((-grades, queries)), query_ptr, queries, discounts)
    dcg = _dcg(gains, np.lexsort((*tied, falling, queries)), query_ptr, queries, discounts)
    if short_scores_zero:
        dcg[sizes < k] = 0.0
    out[:] = no_relevant
    np.divide(dcg, ideal, out=out, where=ideal > 0.0)


def _dcg(
    gains: NDArray[np.float64],
    order: NDArray[np.int64],
    query_ptr: NDArray[np.int64],
    queries: NDArray[np.int64],
    discounts: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return each query's sum of discounted gains; `order` has all documents, query by query."""
    positions = np.arange(len(order)) - (query_ptr[queries] - query_ptr[0])
    rows = np.flatnonzero(positions < len(discounts))
    # One row more, of zeros, for data without documents.
    terms = np.zeros((len(discounts) + 1, len(query_ptr) - 1))
    terms[positions[rows] + 1, queries[rows]] = gains[order[rows]] * discounts[positions[rows]]
    # One after the other, and not in pairs as by sum(): the order in which the kernel adds.
    total: NDArray[np.float64] = terms.cumsum(axis=0)[-1]
    return total
