"""What a neighbour adds to the weights: the part in which the methods differ."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Rule(ABC):
    """A method in terms of pairs: sums over pairs of  share * gain * |x_j - neighbour_j|.

    Attributes
    ----------
    levels : (n_documents,) array; nearest neighbours are sought in each level
    n_levels : int
    profile : (k,) array of the weights of positions, from the nearest on, before they are
        brought to the sum 1 over the neighbours that there are
    n_sums : how many sums, each with its gain
    centred : whether the gain needs the median score distance of the visited document
    """

    levels: NDArray[np.int64]
    n_levels: int
    profile: NDArray[np.float64]

    n_sums: ClassVar[int] = 1
    centred: ClassVar[bool] = False

    @abstractmethod
    def gains(
        self,
        seen: NDArray[np.int64],
        neighbours: NDArray[np.int64],
        centres: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Return a row of gains a sum, for pairs of places; `centres` are medians of `seen`."""


@dataclass(frozen=True, eq=False)
class LevelRule(Rule):
    """The gain is that of a pair of levels: gain_of[level of x, level of the neighbour]."""

    gain_of: NDArray[np.float64]

    def gains(
        self,
        seen: NDArray[np.int64],
        neighbours: NDArray[np.int64],
        centres: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Return one row."""
        gains: NDArray[np.float64] = self.gain_of[self.levels[seen], self.levels[neighbours]]
        return gains[None]


@dataclass(frozen=True, eq=False)
class ScoreRule(Rule):
    """Gains from the distance of two documents' scores; all documents are of one level."""

    scores: NDArray[np.float64]

    def score_distances(
        self, seen: NDArray[np.int64], neighbours: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Return |score of one - score of the other|."""
        distances: NDArray[np.float64] = np.abs(self.scores[seen] - self.scores[neighbours])
        return distances


@dataclass(frozen=True, eq=False)
class RegressionRule(ScoreRule):
    """RReliefF's sums: of the differences, and of those times the share of the score range."""

    score_range: float

    n_sums: ClassVar[int] = 2

    def gains(
        self,
        seen: NDArray[np.int64],
        neighbours: NDArray[np.int64],
        centres: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Return a row of ones, and score distances as shares of the range."""
        distances = self.score_distances(seen, neighbours)
        relative = distances / self.score_range if self.score_range > 0 else distances
        return np.stack([np.ones(len(seen)), relative])


@dataclass(frozen=True, eq=False)
class SignificanceRule(ScoreRule):
    """RankWrapper's rank significance: score distance less the median of the neighbours."""

    centred: ClassVar[bool] = True

    def gains(
        self,
        seen: NDArray[np.int64],
        neighbours: NDArray[np.int64],
        centres: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Return one row."""
        return (self.score_distances(seen, neighbours) - centres)[None]
