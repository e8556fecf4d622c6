"""Chi-square: how far a feature's bins and the grades are from independent."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ranksieve.importance._binned import BinnedImportance


@dataclass(frozen=True)
class ChiSquareImportance(BinnedImportance):
    """Pearson's chi-square of a feature's bins and the grades (CHI).

        score(f) = sum over bins and levels of (observed - expected)^2 / expected

    where expected = documents in the bin * documents of the level / documents, over all
    documents, whatever their queries, with grades as levels without an order: this is how the
    GAS paper applies a measure for classification to ranking, as a baseline. A constant feature,
    a feature without an accepted cut, and grades that are all alike score 0.

    It grows with the number of documents, and with that of bins: features with more bins have
    more degrees of freedom, which the score does not correct for.

    Parameters
    ----------
    bins : {"mdl", "equal-frequency"}
        As in `InformationGainImportance`.
    n_bins : int
        For "equal-frequency" only, at least 2.

    Notes
    -----
    Better than a random order: as in `InformationGainImportance`.

    Cost: O(p n log n) time for sorting, and O(n) for each depth of cuts; memory of 21 bytes
    a document and thread. With other binned importances, `binned_scores` sorts only once. Grades
    must be whole numbers. The result is the same, bit for bit, for any order of rows and blocks.

    References
    ----------
    Geng, Liu, Qin and Li, Feature selection for ranking (2007), section 3.4.

    Examples
    --------
    >>> from ranksieve import load
    >>> X = [[float(row), float(row % 2)] for row in range(8)]
    >>> data = load((X, [0, 0, 0, 0, 1, 1, 1, 1], [1] * 8))
    >>> ChiSquareImportance().scores(data)
    array([8., 0.])
    """

    def _score(self, counts: NDArray[np.int64]) -> float:
        expected = np.outer(counts.sum(axis=1), counts.sum(axis=0) / counts.sum())
        return float(((counts - expected) ** 2 / expected).sum())
