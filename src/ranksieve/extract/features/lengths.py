"""The length of a field, whatever the query."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ranksieve.extract.features.base import Family, FieldView


class Lengths(Family):
    """length = |d|, the words of the field without stop words."""

    names = ("length",)
    reads = "lengths"

    def values(self, view: FieldView) -> NDArray[np.float64]:
        """Return the length of each document."""
        return view.lengths[:, None]
