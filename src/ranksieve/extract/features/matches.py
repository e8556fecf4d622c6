"""How many terms of the query occur in a field."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ranksieve.extract.features.base import Family, FieldView


class Matches(Family):
    """Terms of the query that occur, their share, and whether any or all of them do.

        covered        = #{t in q : tf(t, d) > 0}
        covered_share  = covered / #{t in q}
        any_term       = 1 if covered > 0, else 0         (Boolean OR)
        all_terms      = 1 if covered = #{t in q}, else 0 (Boolean AND)

    over different terms of the query, those included that the collection does not have.
    """

    names = ("covered", "covered_share", "any_term", "all_terms")
    reads = "counts"

    def values(self, view: FieldView) -> NDArray[np.float64]:
        """Return the four features of each document."""
        covered = (view.counts > 0).sum(axis=1).astype(np.float64)
        n_asked = view.terms.n_asked
        return np.stack([covered, covered / n_asked, covered > 0, covered == n_asked], axis=1)
