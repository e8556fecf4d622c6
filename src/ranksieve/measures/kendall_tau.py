"""Kendall's tau between scores and grades."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ranksieve.catalog import check_choice
from ranksieve.kernels.measures.kendall_tau import kendall_tau_per_query
from ranksieve.measures.base import Kernel, Measure, Ties


@dataclass(frozen=True, repr=False)
class KendallTau(Measure):
    """Share of a query's pairs with different grades that the scores order alike.

        share = (pairs ordered alike + ties / 2) / (pairs with different grades)
        b     = (alike - opposite) / √((pairs - ties in score) (pairs - ties in grade))

    where ties of the first line are pairs of equal score and different grade, and pairs of
    the second line are all. Grades may be real numbers. A query is without relevant
    documents if no two grades differ.

    Parameters
    ----------
    variant : {"share", "b"}, default="share"
        The share, from 0 to 1 (as in RankFilter), or tau-b, from -1 to 1 (as in scipy).
    no_relevant, convention
        As in `Measure`; both conventions are the same here.
    ties : {"average", "input", "worst"}, default="average"
        "average" counts half of the ties. "input" counts a tie as ordered alike if the
        higher grade came in first, "worst" counts none. Under "input" and "worst" no ties
        in score are left, so that tau-b corrects for ties in grade only.

    Notes
    -----
    The share under "average" is the mean over all orders of tied documents. Tau-b under
    "average" is scipy's value instead: it divides by less where scores tie. Where all
    scores tie, scipy has no value, and this is 0, as for a random order. Cost: O(n log n) a
    query of n documents; O(n) memory.

    Examples
    --------
    Two of three pairs are ordered alike; a tie counts half.

    >>> KendallTau()([3, 2, 1], [2.0, 3.0, 1.0], qid=[7, 7, 7])
    0.6666666666666666
    >>> KendallTau()([1, 0], [5.0, 5.0], qid=[7, 7])
    0.5
    >>> KendallTau(variant="b")([2, 1], [1.0, 2.0], qid=[7, 7])
    -1.0
    """

    _: KW_ONLY
    variant: Literal["share", "b"] = "share"
    ties: Ties = "average"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("variant", self.variant, ("share", "b"))

    def _kernel(self, query_ptr: NDArray[np.int64]) -> tuple[Kernel, tuple[Any, ...]]:
        return kendall_tau_per_query, (
            self._tie_code(),
            self._no_relevant_value(),
            self.variant == "b",
        )
