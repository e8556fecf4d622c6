"""Normalised discounted cumulative gain."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ranksieve.catalog import check_choice
from ranksieve.data.check import check_levels
from ranksieve.errors import DataError
from ranksieve.kernels.measures.ndcg import ndcg_per_query
from ranksieve.kernels.measures.ndcg_few import FEW_DOCUMENTS, ndcg_of_few
from ranksieve.kernels.measures.ordering import RUN
from ranksieve.measures._parameters import GRADE_LIMIT, check_cutoff
from ranksieve.measures.base import Kernel, Measure

_DISCOUNT_OF = {"standard": "log2", "letor": "letor"}


@dataclass(frozen=True, repr=False)
class NDCG(Measure):
    """Gain of the first k documents, discounted by position, over that of the ideal order.

        NDCG@k = DCG@k / (DCG@k of the ideal order),   DCG@k = Σ_{j ≤ k} gain_j · discount_j

    A query is without relevant documents if no gain is positive. Where a list is shorter
    than k, the standard convention uses what there is.

    Parameters
    ----------
    k : int, optional
        Positions that count. None: all.
    gain : {"exponential", "linear"}, default="exponential"
        2^grade - 1, which needs whole grades, or the grade itself.
    discount : {"log2", "letor"}, optional
        "log2" is 1 / log2(1 + j). "letor" is 1 at positions 1 and 2, and 1 / log2(j) from
        position 3. None takes the convention's: "log2" or "letor". One that is given holds
        in either convention.
    no_relevant, ties, convention
        As in `Measure`. "letor" sets the discount, unless one is given, and scores 0 for a
        query with fewer than k documents.

    Notes
    -----
    Tied documents under ties="average" each have the mean gain of their group. Cost:
    O(n + k² log(n / k)) expected per query of n documents for k up to 64, otherwise
    O(n log n); O(n) memory.

    References
    ----------
    Järvelin and Kekäläinen, Cumulated gain-based evaluation of IR techniques, 2002.
    McSherry and Najork, Computing information retrieval performance measures efficiently
    in the presence of tied scores, 2008.

    Examples
    --------
    >>> NDCG(10)([0, 1, 2], [0.1, 0.2, 0.3], qid=[7, 7, 7])
    1.0
    >>> NDCG(10).per_query([0, 1, 0, 0], [3.0, 2.0, 1.0, 0.0], qid=[7, 7, 8, 8]).round(4)
    array([0.6309, 0.    ])
    >>> print(NDCG(10, convention="letor"))
    letor-ndcg@10
    """

    k: int | None = None
    _: KW_ONLY
    gain: Literal["exponential", "linear"] = "exponential"
    discount: Literal["log2", "letor"] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_cutoff(self.k)
        check_choice("gain", self.gain, ("exponential", "linear"))
        if self.discount is None:
            # The same measure must be equal to itself however it was spelled.
            object.__setattr__(self, "discount", _DISCOUNT_OF[self.convention])
        check_choice("discount", self.discount, ("log2", "letor"))

    def check_grades(self, y: NDArray[np.float64]) -> None:
        """Raise unless all gains exist and their sums are finite."""
        highest = float(y.max(initial=0.0))
        if self.gain == "exponential":
            check_levels(y, "NDCG with gain='exponential'")
            if highest > GRADE_LIMIT:
                raise DataError(
                    f"the gain 2^grade - 1 overflows above grade {GRADE_LIMIT}, but row "
                    f"{y.argmax()} has grade {highest:g}. Map the grades to a few levels, or "
                    "use gain='linear'."
                )
        elif not np.isfinite(highest * len(y)):
            raise DataError(
                f"gains add up to infinity: row {y.argmax()} has grade {highest:g}. "
                "Scale the grades down."
            )

    def _kernel(self, query_ptr: NDArray[np.int64]) -> tuple[Kernel, tuple[Any, ...]]:
        positions = min(self._positions(), int(np.diff(query_ptr).max(initial=0)))
        parameters = (
            self._positions(),
            self._tie_code(),
            self._no_relevant_value(),
            self.gain == "exponential",
            self._discounts(positions),
            self.convention == "letor" and self.k is not None,
        )
        if self.ties != "average" and query_ptr[-1] - query_ptr[0] <= FEW_DOCUMENTS:
            return ndcg_of_few, parameters
        # None is a type of its own: the kernel is compiled without what it does not need then.
        without_sort = (None,) if positions <= RUN else ()
        return ndcg_per_query, (*parameters, *without_sort)

    def _discounts(self, n_positions: int) -> NDArray[np.float64]:
        positions = np.arange(1, n_positions + 1, dtype=np.float64)
        shifted = positions + 1.0 if self.discount == "log2" else np.maximum(positions, 2.0)
        return np.reciprocal(np.log2(shifted))

    def _defaults(self) -> dict[str, Any]:
        return super()._defaults() | {"discount": _DISCOUNT_OF[self.convention]}
