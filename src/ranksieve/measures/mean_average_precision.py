"""Mean average precision."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.kernels.measures.average_precision import average_precision_per_query
from ranksieve.measures._parameters import check_cutoff, check_threshold
from ranksieve.measures.base import Kernel, Measure


@dataclass(frozen=True, repr=False)
class MAP(Measure):
    """Precision at each relevant document, averaged over a query's relevant documents.

        AP@k = (1 / R) Σ_{j ≤ k, document j relevant} (relevant among the first j) / j

    R counts all relevant documents of the query, also those after position k, as in
    trec_eval. A query is without relevant documents if R = 0.

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
    Under ties="average" the expectation has a closed form: O(1) a position. Cost:
    O(n log n) per query of n documents, less for k up to 64; O(n) memory.

    References
    ----------
    McSherry and Najork, Computing information retrieval performance measures efficiently
    in the presence of tied scores, 2008.

    Examples
    --------
    Relevant documents at positions 1 and 3: (1/1 + 2/3) / 2.

    >>> MAP()([2, 0, 1], [3.0, 2.0, 1.0], qid=[7, 7, 7])
    0.8333333333333333
    >>> MAP(threshold=2)([2, 0, 1], [3.0, 2.0, 1.0], qid=[7, 7, 7])
    1.0
    """

    k: int | None = None
    _: KW_ONLY
    threshold: float = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        check_cutoff(self.k)
        check_threshold(self.threshold)

    def _kernel(self, query_ptr: NDArray[np.int64]) -> tuple[Kernel, tuple[Any, ...]]:
        return average_precision_per_query, (
            self._positions(),
            self._tie_code(),
            self._no_relevant_value(),
            float(self.threshold),
        )
