"""Precision among the first documents."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.measures.precision import precision_per_query
from ranksieve.measures._parameters import check_count, check_threshold
from ranksieve.measures.base import Kernel, Measure


@dataclass(frozen=True, repr=False)
class Precision(Measure):
    """Share of the first k positions that hold relevant documents.

        P@k = (relevant among the first k) / k

    The denominator is k also where a query has fewer documents, as in trec_eval and in
    LETOR's tool: missing documents are not relevant. A query is without relevant documents
    if none reaches the threshold.

    Parameters
    ----------
    k : int, default=10
        Positions that count.
    threshold : number, default=1
        Least grade that is relevant.
    no_relevant, ties, convention
        As in `Measure`; both conventions are the same here.

    Notes
    -----
    Under ties="average" a tied document is relevant with the share of its group. Cost:
    O(n + k² log(n / k)) expected per query of n documents for k up to 64, otherwise
    O(n log n); O(n) memory.

    Examples
    --------
    >>> Precision(2)([0, 2, 1], [3.0, 2.0, 1.0], qid=[7, 7, 7])
    0.5
    >>> print(Precision(5))
    precision@5
    """

    k: int = 10
    _: KW_ONLY
    threshold: float = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count("k", self.k)
        check_threshold(self.threshold)

    def _kernel(self, query_ptr: NDArray[np.int64]) -> tuple[Kernel, tuple[Any, ...]]:
        return precision_per_query, (
            self._positions(),
            self._tie_code(),
            self._no_relevant_value(),
            float(self.threshold),
        )
