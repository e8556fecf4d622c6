"""BM25, as Lucene computes it since version 8."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.extract.features.base import Family, FieldView

K1, B = 1.2, 0.75


class BM25(Family):
    """The score of Okapi BM25 in a field.

        bm25 = sum over t in q of  w(t) idf(t) tf / (tf + k1 (1 - b + b |d| / mean length))
        idf(t) = ln(1 + (N - df + 1/2) / (df + 1/2)),   k1 = 1.2, b = 0.75

    with how often t stands in the query, w(t). The constant factor k1 + 1 of older forms is left
    out, as in Lucene: it changes no order.

    References
    ----------
    Robertson and Zaragoza, The probabilistic relevance framework (2009); Kamphuis et al., Which
    BM25 do you mean? (2020).
    """

    names = ("bm25",)
    reads = "counts"

    def values(self, view: FieldView) -> NDArray[np.float64]:
        """Return the score of each document."""
        field = view.field
        idf = lucene_idf(field.document_frequencies[view.terms.numbers], field.n_documents)
        norms = length_norm(view.lengths, field.mean_length, k1=K1, b=B)
        saturated = view.counts / (view.counts + norms[:, None])
        return (saturated @ (view.terms.weights * idf))[:, None]


def lucene_idf(document_frequencies: NDArray[Any], n_documents: int) -> NDArray[np.float64]:
    """Return ln(1 + (N - df + 1/2) / (df + 1/2)), which is never negative."""
    df = document_frequencies
    idf: NDArray[np.float64] = np.log1p((n_documents - df + 0.5) / (df + 0.5))
    return idf


def length_norm(
    lengths: NDArray[np.float64], mean_length: float, *, k1: float, b: float
) -> NDArray[np.float64]:
    """Return k1 (1 - b + b |d| / mean length)."""
    return k1 * (1.0 - b + b * lengths / mean_length)
