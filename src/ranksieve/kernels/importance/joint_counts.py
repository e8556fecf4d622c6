"""Documents by the bins of two features and the level of the grade, for all pairs of features."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.compile import compiled


@compiled
def add_joint_counts(
    bins: NDArray[np.int32], levels: NDArray[np.int32], counts: NDArray[np.int64]
) -> None:
    """Add documents to counts[pair, bin of i, bin of j, level], for pairs i <= j in rising order.

    `bins` has a row per feature and a column per document.
    """
    n_features, n_documents = bins.shape
    pair = 0
    for i in range(n_features):
        first = bins[i]
        for j in range(i, n_features):
            second, table = bins[j], counts[pair]
            for document in range(n_documents):
                table[first[document], second[document], levels[document]] += 1
            pair += 1
