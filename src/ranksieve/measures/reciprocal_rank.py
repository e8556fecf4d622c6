"""Reciprocal rank of the first relevant document."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.measures.reciprocal_rank import reciprocal_rank_per_query
from ranksieve.measures._parameters import check_cutoff, check_threshold
from ranksieve.measures.base import Kernel, Measure


@dataclass(frozen=True, repr=False)
class ReciprocalRank(Measure):
    """One over the position of the first relevant document; its mean is known as MRR.

        RR@k = 1 / j for the first relevant position j ≤ k, and 0 if there is none

    A query is without relevant documents if none reaches the threshold.

    Parameters
    ----------
    k : int, optional
        Positions that count. None: all.
    threshold : number, default=1
        Least grade that is relevant.
    no_relevant, ties, convention
        As in `Measure`; both conventions are the same here.

    Notes
    -----
    Under ties="average" the group of the best relevant score decides: of its n documents,
    r relevant, the first relevant one is at place i with probability
    C(n - i, r - 1) / C(n, r). Cost: O(n) per query of n documents; no extra memory.

    Examples
    --------
    >>> ReciprocalRank()([0, 0, 1], [3.0, 2.0, 1.0], qid=[7, 7, 7])
    0.3333333333333333
    >>> ReciprocalRank(2)([0, 0, 1], [3.0, 2.0, 1.0], qid=[7, 7, 7])
    0.0
    """

    k: int | None = None
    _: KW_ONLY
    threshold: float = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        check_cutoff(self.k)
        check_threshold(self.threshold)

    def _kernel(self, query_ptr: NDArray[np.int64]) -> tuple[Kernel, tuple[Any, ...]]:
        return reciprocal_rank_per_query, (
            self._positions(),
            self._tie_code(),
            self._no_relevant_value(),
            float(self.threshold),
        )
