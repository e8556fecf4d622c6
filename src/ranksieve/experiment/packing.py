"""Arrays as bytes, and back, without rounding and without pickle."""

from __future__ import annotations

import io
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.errors import DataError


def packed(array: NDArray[Any]) -> bytes:
    """Return an array of numbers in numpy's own format, compressed.

    Examples
    --------
    >>> unpacked(packed(np.array([0.1, np.nan])))
    array([0.1, nan])
    """
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, np.ascontiguousarray(array), allow_pickle=False)
    return zlib.compress(buffer.getvalue(), 1)


def unpacked(content: bytes) -> NDArray[Any]:
    """Return the array that `packed` made bytes of."""
    try:
        buffer = io.BytesIO(zlib.decompress(content))
        array: NDArray[Any] = np.lib.format.read_array(buffer, allow_pickle=False)
    except (zlib.error, ValueError, EOFError) as error:
        raise DataError(
            f"the store holds an array that cannot be read ({error}): it was damaged. Restore it "
            "from a copy, or run the study into a new store."
        ) from None
    return array
