"""What share of the features a method keeps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import Block, RankingData
from ranksieve.data.check import check_count
from ranksieve.errors import ParameterError
from ranksieve.passes import run


def sparsity_ratio(n_selected: int, n_used: int) -> float:
    """Return the share of the used features that a method selected: n_selected / n_used.

    Features that are 0 in all documents are not used (see `n_used`): no method could select
    them, and to count them would flatter all.

    Examples
    --------
    >>> sparsity_ratio(9, 45)
    0.2
    """
    check_count("n_selected", n_selected, 0)
    check_count("n_used", n_used, 1)
    if n_selected > n_used:
        raise ParameterError(
            f"n_selected must be at most n_used, but is {n_selected} of {n_used}. Were features "
            "counted that are 0 in all documents?"
        )
    return int(n_selected) / int(n_used)


def n_used(data: RankingData) -> int:
    """Return the number of features that are not 0 in all documents of the data.

    Cost: one pass over the blocks.

    Examples
    --------
    >>> from ranksieve import load
    >>> n_used(load(([[0.0, 1.0, 0.0], [0.0, 1.0, 2.0]], [0, 1], [1, 1])))
    2
    """
    return int(run(_Used(), data, label="used features").sum())


@dataclass(frozen=True)
class _Used:
    """Which features have a value other than 0."""

    def partial(self, piece: Block) -> NDArray[np.bool_]:
        return np.asarray(piece.X[piece.rows].any(axis=0), dtype=np.bool_)

    def combine(self, left: NDArray[np.bool_], right: NDArray[np.bool_]) -> NDArray[np.bool_]:
        return left | right
