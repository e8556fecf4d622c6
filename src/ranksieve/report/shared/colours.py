"""Colours of charts and heat maps, and pictures of few colours as PNG."""

from __future__ import annotations

import base64
import struct
import zlib

import numpy as np
from numpy.typing import NDArray

# Told apart by colour-blind eyes as well, each on light and on dark paper.
COLOURS = {
    "light": (
        "#1d5c99",
        "#c2410c",
        "#2f7d4f",
        "#8b3fa0",
        "#a87b00",
        "#0b8793",
        "#b8326b",
        "#6b4a2f",
        "#5b61c9",
        "#6f7f1c",
    ),
    "dark": (
        "#6fb1ea",
        "#f58a4b",
        "#6fcf97",
        "#cf94e6",
        "#e3bd4a",
        "#4fd0da",
        "#f287b4",
        "#c9a689",
        "#a5a9f5",
        "#b7c95a",
    ),
}
GREY = {"light": "#8f989f", "dark": "#727d87"}

# Light to dark, with lightness falling evenly: it also reads in grey and to colour-blind eyes.
_ANCHORS = np.array(
    [[248, 247, 243], [212, 225, 233], [145, 186, 211], [62, 127, 175], [24, 73, 124], [9, 32, 66]],
    dtype=np.float64,
)


def shades(n: int) -> NDArray[np.uint8]:
    """Return n colours from unlike (light) to alike (dark), red, green and blue in a row.

    Examples
    --------
    >>> shades(2)
    array([[248, 247, 243],
           [  9,  32,  66]], dtype=uint8)
    """
    places = np.linspace(0, len(_ANCHORS) - 1, n)
    channels = [np.interp(places, range(len(_ANCHORS)), channel) for channel in _ANCHORS.T]
    colours: NDArray[np.uint8] = np.rint(np.stack(channels, axis=1)).astype(np.uint8)
    return colours


def palette_png(cells: NDArray[np.uint8], palette: NDArray[np.uint8]) -> bytes:
    """Return a PNG with one pixel per cell: the number of a colour of the palette.

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
    # Eight bits per pixel, colours from a palette, no interlacing.
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
