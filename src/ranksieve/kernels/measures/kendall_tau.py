"""Kendall's tau between scores and grades, one value per query."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.compile import compiled
from ranksieve.kernels.measures.ordering import AVERAGE, INPUT, longest_query, sort_rows


@compiled
def kendall_tau_per_query(
    y: NDArray[np.float64],
    scores: NDArray[np.float64],
    query_ptr: NDArray[np.int64],
    out: NDArray[np.float64],
    ties: int,
    no_relevant: float,
    tau_b: bool,
) -> None:
    """Write the share of pairs ordered alike, or tau-b, by two merge sorts a query.

    The first puts rows in the order of the scores. The second sorts that by grade: the
    pairs that change places are those in the wrong order.
    """
    longest = longest_query(query_ptr)
    rows = np.empty(longest, dtype=np.int64)
    spare = np.empty(longest, dtype=np.int64)
    for query in range(len(out)):
        start, n = query_ptr[query], query_ptr[query + 1] - query_ptr[query]
        for index in range(n):
            rows[index] = start + index
        # Falling grade inside a tie keeps tied pairs out of the wrong ones under AVERAGE.
        tie_sign = 0 if ties == INPUT else -1 if ties == AVERAGE else 1
        sort_rows(rows, n, scores, y, tie_sign, spare)
        score_ties, both_ties = 0, 0
        if ties == AVERAGE:
            score_ties = _tied_pairs(scores, scores, rows, n)
            both_ties = _tied_pairs(scores, y, rows, n)
        wrong = sort_rows(rows, n, y, y, tie_sign, spare)
        all_pairs = n * (n - 1) // 2
        pairs = all_pairs - _tied_pairs(y, y, rows, n)
        undecided = score_ties - both_ties
        if pairs == 0:
            out[query] = no_relevant
        elif not tau_b:
            out[query] = (pairs - wrong - 0.5 * undecided) / pairs
        elif score_ties == all_pairs:
            out[query] = 0.0
        else:
            scale = np.sqrt(float(pairs)) * np.sqrt(float(all_pairs - score_ties))
            out[query] = (pairs - undecided - 2 * wrong) / scale


@compiled
def _tied_pairs(
    first: NDArray[np.float64], second: NDArray[np.float64], rows: NDArray[np.int64], n: int
) -> int:
    """Return how many pairs are equal in both, given rows sorted by first and then second."""
    pairs, run = 0, 0
    for index in range(1, n):
        row, previous = rows[index], rows[index - 1]
        run = run + 1 if first[row] == first[previous] and second[row] == second[previous] else 0
        pairs += run
    return pairs
