"""How close terms of the query stand to each other in a field."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ranksieve.extract.features.base import Family, FieldView
from ranksieve.kernels.proximity.windows import closest_terms


class Proximity(Family):
    """Closeness of different terms of the query, by their positions in the text.

        nearest_pair  = 1 / least distance of two different terms of the query
        cover         = n / words of the shortest piece of text with all n terms that occur
        ordered_pairs = places where two terms that follow each other in the query do so in the text

    `nearest_pair` and `cover` are 0 where fewer than two different terms occur, and 1 where terms
    stand side by side. Words are counted with stop words.

    References
    ----------
    Tao and Zhai, An exploration of proximity measures in information retrieval (2007).
    """

    names = ("nearest_pair", "cover", "ordered_pairs")
    reads = "positions"

    def values(self, view: FieldView) -> NDArray[np.float64]:
        """Return the three features of each document."""
        positions, terms, document_ptr = view.hits
        out = np.zeros((len(view.documents), 3))
        if len(view.terms.numbers) > 1:
            closest_terms(positions, terms, document_ptr, view.terms.follows, out)
        return out
