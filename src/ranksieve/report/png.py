"""Pictures of few colours as PNG, which browsers show without help."""

from __future__ import annotations

import base64
import struct
import zlib

import numpy as np
from numpy.typing import NDArray


def palette_png(cells: NDArray[np.uint8], palette: NDArray[np.uint8]) -> bytes:
    """Return a PNG with one pixel a cell: the number of a colour of the palette.

    Parameters
    ----------
    cells : (height, width) array of uint8
    palette : (colours, 3) array of uint8: red, green and blue

    Examples
    --------
    >>> cells = np.array([[0, 1]], dtype=np.uint8)
    >>> palette_png(cells, np.array([[0, 0, 0], [255, 255, 255]], dtype=np.uint8))[1:4]
    b'PNG'
    """
    height, width = cells.shape
    # Eight bits a pixel, colours from a palette, no interlacing.
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    # Each row starts with the number of its filter: 0 is none.
    rows = np.zeros((height, width + 1), dtype=np.uint8)
    rows[:, 1:] = cells
    return b"".join(
        (
            b"\x89PNG\r\n\x1a\n",
            _chunk(b"IHDR", header),
            _chunk(b"PLTE", palette.tobytes()),
            _chunk(b"IDAT", zlib.compress(rows.tobytes(), 9)),
            _chunk(b"IEND", b""),
        )
    )


def data_uri(png: bytes) -> str:
    """Return the picture as an address that holds it."""
    return "data:image/png;base64," + base64.b64encode(png).decode("ascii")


def _chunk(kind: bytes, content: bytes) -> bytes:
    checksum = zlib.crc32(kind + content)
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", checksum)
