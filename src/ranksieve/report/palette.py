"""Colours of similarity: one hue from light to dark, so that dark means alike."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

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
