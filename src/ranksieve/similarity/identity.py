"""No similarity at all: for methods that are to leave it out of account."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import RankingData
from ranksieve.similarity.base import Similarity


@dataclass(frozen=True)
class IdentitySimilarity(Similarity):
    """1 for a feature with itself and 0 with every other one: similarity switched off.

    The data is not looked at, so that even a copy of a feature counts as new. In FSMRank the
    redundancy term is then a ridge, lambda1 / 2 sum w_i^2.

    Notes
    -----
    Cost: none.

    Examples
    --------
    >>> from ranksieve import load
    >>> IdentitySimilarity().matrix(load(([[1.0, 1.0], [2.0, 2.0]], [0, 1], [1, 1])))
    array([[1., 0.],
           [0., 1.]])
    """

    ignores_sign: ClassVar[bool] = True
    looks_at_data: ClassVar[bool] = False

    def matrix(self, data: RankingData) -> NDArray[np.float64]:
        """Return the identity matrix."""
        return np.eye(data.n_features)
