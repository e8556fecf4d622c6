"""The structured hinge of average precision: the most violated ordering of each query."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.compile import compiled
from ranksieve.kernels.measures.ordering import longest_query
from ranksieve.kernels.sorting import order_descending


@compiled
def average_precision_hinge(
    scores: NDArray[np.float64],
    relevant: NDArray[np.bool_],
    query_ptr: NDArray[np.int64],
    gradient: NDArray[np.float64],
) -> float:
    """Return the sum over queries of the hinge of 1 - AP, and write a subgradient by score.

    With R relevant and N other documents, the hinge of a query is the maximum over orderings of

        1 - AP - 2 / (R N) * sum over relevant i that come after others j of (s_i - s_j)

    Relevant documents among themselves, and others among themselves, stand by falling score in
    the best ordering, and with others 1 ... j before relevant document i, AP loses

        1 / R * i / ((i + j - 1) (i + j))

    by the j-th of them. So the maximum is a sum over others of the best place of each, and the
    places rise with j (Yue et al. 2007): O(R N) at most, and less where the
    places rise early. Queries with R = 0 or N = 0 count nothing. Of equal orderings, others
    come late.
    """
    longest = longest_query(query_ptr)
    order = np.empty(longest, dtype=np.int32)
    hits = np.empty(longest, dtype=np.int64)
    passed = np.empty(longest + 1, dtype=np.int64)
    value = 0.0
    for query in range(len(query_ptr) - 1):
        start, stop = query_ptr[query], query_ptr[query + 1]
        n_relevant = 0
        for document in range(start, stop):
            n_relevant += relevant[document]
            gradient[document] = 0.0
        if 0 < n_relevant < stop - start:
            m = stop - start
            order_descending(scores[start:stop], order[:m])
            value += _hinge_of_query(
                scores[start:stop],
                relevant[start:stop],
                order[:m],
                n_relevant,
                hits,
                passed,
                gradient[start:stop],
            )
    return value


@compiled
def _hinge_of_query(
    scores: NDArray[np.float64],
    relevant: NDArray[np.bool_],
    order: NDArray[np.int32],
    n_relevant: int,
    hits: NDArray[np.int64],
    passed: NDArray[np.int64],
    gradient: NDArray[np.float64],
) -> float:
    """Return the hinge of one query; `gradient` is 0 before, `hits` and `passed` are room."""
    n_hits = 0
    for index in range(len(order)):
        if relevant[order[index]]:
            hits[n_hits] = order[index]
            passed[n_hits] = 0
            n_hits += 1
    share = 1.0 / n_relevant
    weight = 2.0 / (n_relevant * (len(order) - n_relevant))
    value, earliest, j = 0.0, 0, 0
    for index in range(len(order)):
        document = order[index]
        if relevant[document]:
            continue
        j += 1
        total, best, first = 0.0, 0.0, n_relevant
        for i in range(n_relevant, earliest, -1):
            lost = share * i / ((i + j - 1.0) * (i + j))
            total += lost - weight * (scores[hits[i - 1]] - scores[document])
            if total > best:
                best, first = total, i - 1
        if first == n_relevant:
            # Others with lower scores come after all relevant documents too.
            break
        value += best
        gradient[document] = weight * (n_relevant - first)
        passed[first] += 1
        earliest = first
    before = 0
    for i in range(n_relevant):
        before += passed[i]
        gradient[hits[i]] = -weight * before
    return value
