"""Lines of LETOR text, put together from their parts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.compile import compiled
from ranksieve.kernels.text.shortest import UNKNOWN, write_decimal

MAX_VALUE_BYTES = 26  # sign, 22 places, zero and point


@compiled
def write_lines(
    text: NDArray[np.uint8],
    X: NDArray[Any],
    places: NDArray[np.int8],
    heads: tuple[NDArray[np.uint8], NDArray[np.int32]],
    labels: tuple[NDArray[np.uint8], NDArray[np.int32]],
    odd: tuple[NDArray[np.uint8], NDArray[np.int32]],
    tails: tuple[NDArray[np.uint8], NDArray[np.int32]],
) -> int:
    """Write head, labels with values, and tail of each row into `text`; return the end.

    Texts are bytes with offsets. Values whose places are UNKNOWN are the texts in `odd`, row
    by row.
    """
    end = 0
    next_odd = 0
    for row in range(X.shape[0]):
        end = _copy(text, end, heads, row)
        for column in range(X.shape[1]):
            end = _copy(text, end, labels, column)
            if places[row, column] == UNKNOWN:
                end = _copy(text, end, odd, next_odd)
                next_odd += 1
            else:
                end = write_decimal(text, end, X[row, column], places[row, column])
        end = _copy(text, end, tails, row)
    return end


@compiled
def _copy(
    text: NDArray[np.uint8],
    end: int,
    source: tuple[NDArray[np.uint8], NDArray[np.int32]],
    index: int,
) -> int:
    letters, offsets = source
    for slot in range(offsets[index], offsets[index + 1]):
        text[end] = letters[slot]
        end += 1
    return end
