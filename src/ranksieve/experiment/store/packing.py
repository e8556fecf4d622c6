"""Arrays as bytes, and back, without rounding and without pickle.

Compressed: the name of the type (three bytes), the number of axes (one), the length of each (eight
each, the lowest first), and the numbers in C's order, little-endian.
"""

from __future__ import annotations

import struct
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.errors import DataError

_TYPES = (b"<f8", b"<i8", b"|b1")


def packed(array: NDArray[Any]) -> bytes:
    """Return an array of numbers (float64, int64 or bool) as bytes.

    Examples
    --------
    >>> unpacked(packed(np.array([0.1, np.nan])))
    array([0.1, nan])
    """
    kind = array.dtype.newbyteorder("<").str.encode()
    if kind not in _TYPES:
        raise TypeError(f"arrays of float64, int64 and bool are kept, not of {array.dtype}")
    head = kind + struct.pack(f"<B{array.ndim}Q", array.ndim, *array.shape)
    return zlib.compress(head + np.ascontiguousarray(array).astype(kind.decode()).tobytes(), 1)


def unpacked(content: bytes) -> NDArray[Any]:
    """Return the array that `packed` made bytes of."""
    try:
        raw = zlib.decompress(content)
        if raw[:3] not in _TYPES:
            raise ValueError(f"unknown type {raw[:3]!r}")
        n_axes = raw[3]
        shape = struct.unpack_from(f"<{n_axes}Q", raw, 4)
        numbers = np.frombuffer(raw, dtype=raw[:3].decode(), offset=4 + 8 * n_axes)
        # A copy, since what is made of bytes cannot be written to.
        return numbers.reshape(shape).copy()
    except (zlib.error, ValueError, IndexError, struct.error) as error:
        raise DataError(
            f"the store holds an array that cannot be read ({error}): it was damaged. Restore it "
            "from a copy, or run the study into a new store."
        ) from None
