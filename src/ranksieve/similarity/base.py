"""The one interface of similarities."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import RankingData
from ranksieve.errors import ParameterError


class Doubled(NamedTuple):
    """How alike features are to each other, and to each other's mirror images.

    Attributes
    ----------
    alike : (n, n) array, of f_i and f_j; at least 0
    mirrored : (n, n) array, of f_i and -f_j; at least 0
        The same array as `alike` where the sign of a feature does not matter.
    """

    alike: NDArray[np.float64]
    mirrored: NDArray[np.float64]


class Similarity(ABC):
    """How alike the rankings by two features are.

    `range` is the least and the largest value that can occur. `ignores_sign` says that f and
    -f are as similar to every other feature: sim(f, -g) = sim(f, g). `looks_at_data` is False
    for what is the same whatever the values of the features are.
    """

    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    ignores_sign: ClassVar[bool] = False
    looks_at_data: ClassVar[bool] = True

    @abstractmethod
    def matrix(self, data: RankingData) -> NDArray[np.float64]:
        """Return a symmetric matrix, features by features."""

    def doubled(self, data: RankingData, matrix: NDArray[np.float64] | None = None) -> Doubled:
        """Return how much two features repeat each other, as they are and one of them negated.

        A model with signed weights can use -f where it has f, so that a feature and its mirror
        image are the same information. There are three kinds of similarities:

        - sign-free (`ignores_sign`): sim(f, -g) is sim(f, g);
        - signed, with a `range` from below 0, where sim(f, -g) = -sim(f, g): its size counts;
        - all others, such as shares of agreements: sim(f, -g) is measured on negated features.

        All must have sim(-f, -g) = sim(f, g).

        Parameters
        ----------
        data : RankingData
        matrix : what `matrix(data)` returned, where that was computed before

        Notes
        -----
        Cost: that of `matrix` for the first two kinds; for the third that of twice as many
        features, which is four times the time.

        Examples
        --------
        >>> from ranksieve import load
        >>> from ranksieve.similarity import KendallSimilarity, TauBSimilarity
        >>> X = [[1.0, 1.0], [2.0, 3.0], [3.0, 2.0]]
        >>> data = load((X, [0, 1, 2], [1, 1, 1]))
        >>> [part[0, 1].round(3).item() for part in KendallSimilarity().doubled(data)]
        [0.667, 0.333]
        >>> [part[0, 1].round(3).item() for part in TauBSimilarity().doubled(data)]
        [0.333, 0.333]
        """
        if self.ignores_sign or self.range[0] < 0.0:
            return sizes_of(self.matrix(data) if matrix is None else matrix)
        both = self.matrix(data.with_mirror_images())
        n = data.n_features
        if both.shape != (2 * n, 2 * n):
            raise ParameterError(
                f"{type(self).__name__}.matrix(data) must be features by features, but has the "
                f"shape {both.shape} for {2 * n} features. Set ignores_sign = True on a "
                "similarity that does not depend on the data."
            )
        mirrored = 0.5 * (both[:n, n:] + both[n:, :n])
        return Doubled(both[:n, :n] if matrix is None else matrix, mirrored)


def sizes_of(matrix: NDArray[np.float64]) -> Doubled:
    """Return what sizes of entries say of features and of their mirror images alike."""
    sizes = np.abs(matrix) if matrix.min(initial=0.0) < 0.0 else matrix
    return Doubled(sizes, sizes)
