"""Information gain: bits that a feature's bin tells about the grade."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ranksieve.importance._binned import BinnedImportance


@dataclass(frozen=True)
class InformationGainImportance(BinnedImportance):
    """Bits by which knowing a feature's bin lowers the entropy of the grade (IG).

        score(f) = H(grade) - H(grade | bin of f)

    over all documents, whatever their queries, with grades as levels without an order: this is
    how the GAS paper applies a measure for classification to ranking, as a baseline. Between 0
    and H(grade). A constant feature, a feature without an accepted cut, and grades that are all
    alike score 0.

    Parameters
    ----------
    bins : {"mdl", "equal-frequency"}
        "mdl" cuts a part of the feature's values where the entropy E of its grades falls most,
        if it falls by more than

            (log2(n - 1) + log2(3^k - 2) - (k E - k1 E1 - k2 E2)) / n

        and treats both sides in the same way (n documents and k levels in the part; 1 and 2 are
        its sides). Every border between two values is tried, without binning beforehand.
        Equally good cuts, up to rounding: the lowest.
        "equal-frequency" cuts after the value at which the count of documents reaches i / n_bins
        of all, i = 1, ..., n_bins - 1.
        Documents with equal values are never separated, so bins may be fewer than asked for.
    n_bins : int
        For "equal-frequency" only, at least 2.

    Notes
    -----
    Better than a random order of the documents within queries: documents count by their bin and
    level as (observed - expected) / expected of the feature's table. The value of a query is the
    sum over its documents less the mean of that sum over all orders of them, and

        t^2 > d * (95 per cent quantile of F with d and n - 1 degrees of freedom)

    for Student's t over the n queries with two grades, t > 0 and d = (bins - 1)(levels - 1). This
    is the table's chi-square test with the variance of queries, not of documents: those of one
    query are no independent draws. A score of 0, and a property of the query, are never better.

    Cost: O(p n log n) time for sorting, and O(n) for each depth of cuts; memory of 21 bytes
    a document and thread. With other binned importances, `binned_scores` sorts only once. Grades
    must be whole numbers. The result is the same, bit for bit, for any order of rows and blocks.

    References
    ----------
    Geng, Liu, Qin and Li, Feature selection for ranking (2007), section 3.4.
    Fayyad and Irani, Multi-interval discretization of continuous-valued attributes for
    classification learning (1993).

    Examples
    --------
    >>> from ranksieve import load
    >>> X = [[float(row), float(row % 2)] for row in range(8)]
    >>> data = load((X, [0, 0, 0, 0, 1, 1, 1, 1], [1] * 8))
    >>> InformationGainImportance().scores(data)
    array([1., 0.])
    """

    def _score(self, counts: NDArray[np.int64]) -> float:
        n = float(counts.sum())
        expected = np.outer(counts.sum(axis=1), counts.sum(axis=0) / n)
        seen = counts > 0
        bits = (counts[seen] * np.log2(counts[seen] / expected[seen])).sum()
        return max(float(bits) / n, 0.0)
