"""Kendall's tau of all pairs of features, as the GAS paper defines it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ranksieve.catalog import check_choice
from ranksieve.data import RankingData
from ranksieve.similarity._by_query import mean_over_queries
from ranksieve.similarity._kendall_forms import agreements, half_agreements
from ranksieve.similarity.base import Similarity

_ADDERS = {"strict": agreements, "half": half_agreements}


@dataclass(frozen=True, repr=False)
class KendallSimilarity(Similarity):
    """Share of a query's document pairs that two features order strictly and alike.

        sim(f, g) = mean over queries of
                    #{pairs that f and g both order strictly, and alike} / #{pairs}

    Between 0 and 1. A tie is not an agreement, so sim(f, f) < 1 where f has ties, and a
    constant feature is similar to none. A query with one document has no pairs and does not
    vote; without any voter all similarities are 0. Features are taken as they are: f and -f
    have similarity 0.

    Parameters
    ----------
    ties : {"strict", "half"}, default="strict"
        "half" counts half an agreement for each pair that at least one of the two ties,

            (#{pairs ordered strictly and alike} + #{pairs that f or g ties} / 2) / #{pairs}

        which is the mean over all orders of tied documents, the ties of f and of g broken on
        their own. A constant feature has 1/2 with any other, as two random orders have; f
        with itself has 1 less half of its share of tied pairs, and f with -f has that half.

    Notes
    -----
    Cost: O(p^2 sum m^2 / 64) word operations after O(p sum m log m) for sorting (p features,
    queries of m documents). Where a query has more than 2,048 documents, pairs of features
    are counted in O(m log m) steps instead, which is faster from about there on; the counts
    are the same. Memory is O(p m) per thread in both: bit sets are made in tiles.
    Geng, Liu, Qin and Li, Feature selection for ranking (2007), section 2.3.

    Examples
    --------
    >>> from ranksieve import load
    >>> X = [[1.0, 1.0, 3.0], [2.0, 3.0, 2.0], [3.0, 2.0, 1.0]]
    >>> KendallSimilarity().matrix(load((X, [0, 1, 2], [1, 1, 1])))
    array([[1.        , 0.66666667, 0.        ],
           [0.66666667, 1.        , 0.33333333],
           [0.        , 0.33333333, 1.        ]])
    >>> tied = load(([[1.0, 1.0], [1.0, 2.0], [2.0, 3.0]], [0, 1, 2], [1, 1, 1]))
    >>> KendallSimilarity(ties="half").matrix(tied)     # of three pairs, one is tied by f
    array([[0.83333333, 0.83333333],
           [0.83333333, 1.        ]])
    """

    ties: Literal["strict", "half"] = "strict"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)

    def matrix(self, data: RankingData) -> NDArray[np.float64]:
        """Return the mean share of agreements of all pairs of features."""
        check_choice("ties", self.ties, tuple(_ADDERS))
        return mean_over_queries(_ADDERS[self.ties], data)

    def __repr__(self) -> str:
        return f"KendallSimilarity({'' if self.ties == 'strict' else f'ties={self.ties!r}'})"
