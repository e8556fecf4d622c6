"""From the counts of a query's pairs of documents to sums over queries."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.compile import compiled


@compiled
def _add_shares(counts: NDArray[np.int64], m: int, total: NDArray[np.float64]) -> None:
    """Add counts of agreements over the number of pairs of m documents, for all f <= g."""
    n_pairs = m * (m - 1) / 2.0
    for f in range(len(counts)):
        shares, alike = total[f], counts[f]
        for g in range(f, len(counts)):
            shares[g] += alike[g] / n_pairs


@compiled
def _add_half_shares(net: NDArray[np.int64], m: int, total: NDArray[np.float64]) -> None:
    """Add shares of agreements where a tied pair is half of one, for all f <= g.

    `net` is agreements less disagreements. With P pairs, alike + (P - alike - contrary) / 2 is
    (P + alike - contrary) / 2.
    """
    n_pairs = m * (m - 1) // 2
    for f in range(len(net)):
        shares, lead = total[f], net[f]
        for g in range(f, len(net)):
            shares[g] += (n_pairs + lead[g]) / (2.0 * n_pairs)


@compiled
def _add_taus(counts: NDArray[np.int64], total: NDArray[np.float64]) -> None:
    """Add tau-b from agreements less disagreements, for all f <= g.

    A feature agrees with itself on every pair that it does not tie: the diagonal counts them.
    """
    untied = np.empty(len(counts))
    for f in range(len(counts)):
        untied[f] = counts[f, f]
    for f in range(len(counts)):
        taus, net = total[f], counts[f]
        for g in range(f, len(counts)):
            # The root is at least 1 unless one of the two is constant, and then net is 0.
            taus[g] += net[g] / max(np.sqrt(untied[f] * untied[g]), 1.0)
