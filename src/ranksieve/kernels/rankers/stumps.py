"""Weak rankers that ask whether a feature is above a threshold: the best of all, and their sum."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.compile import compiled

# Sums that differ by less than this share are equal: the order of rows may not decide.
_EQUAL = 1e-9


@compiled
def best_cuts(
    bins: NDArray[np.uint8],
    n_cuts: NDArray[np.int64],
    potentials: NDArray[np.float64],
    sums: NDArray[np.float64],
    cuts: NDArray[np.int64],
) -> None:
    """Write, for each feature, the cut with the largest |sum of potentials above|, and the sum.

    Row f of `bins` holds, for each document, how many of the feature's n_cuts[f] thresholds
    are below its value; a document is above cut c if its bin is larger than c. The first of
    equal cuts counts; a feature without cuts gets sum 0 and cut -1.
    """
    odd, even = np.empty(256), np.empty(256)
    n = len(potentials)
    for feature in range(len(bins)):
        row, last = bins[feature], n_cuts[feature]
        sums[feature], cuts[feature] = 0.0, -1
        for which in range(last + 1):
            odd[which], even[which] = 0.0, 0.0
        # Two tables: the sums of neighbours in one bin need not wait for each other.
        for document in range(0, n - 1, 2):
            even[row[document]] += potentials[document]
            odd[row[document + 1]] += potentials[document + 1]
        if n % 2:
            even[row[n - 1]] += potentials[n - 1]
        above, largest = 0.0, 0.0
        for cut in range(last - 1, -1, -1):
            above += even[cut + 1] + odd[cut + 1]
            even[cut + 1] = above
            largest = max(largest, abs(above))
        for cut in range(last):
            if largest > 0.0 and abs(even[cut + 1]) >= largest * (1.0 - _EQUAL):
                sums[feature], cuts[feature] = even[cut + 1], cut
                break


@compiled
def add_steps(
    X: NDArray[Any],
    columns: NDArray[np.int64],
    step_ptr: NDArray[np.int64],
    thresholds: NDArray[np.float64],
    heights: NDArray[np.float64],
    scores: NDArray[np.float64],
) -> None:
    """Add to each score the height of the step that its document reaches, feature by feature.

    The thresholds of columns[k] are thresholds[step_ptr[k]:step_ptr[k + 1]], rising. A value
    that is above the first t of them reaches heights[step_ptr[k] + k + t].
    """
    for which in range(len(columns)):
        column = X[:, columns[which]]
        first, last = step_ptr[which], step_ptr[which + 1]
        for document in range(len(scores)):
            value = column[document]
            low, high = first, last
            while low < high:
                middle = (low + high) // 2
                if value > thresholds[middle]:
                    low = middle + 1
                else:
                    high = middle
            scores[document] += heights[low + which]
