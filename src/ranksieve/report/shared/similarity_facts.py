"""Which features rank documents alike, and the blocks that they form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import RankingData
from ranksieve.errors import ParameterError
from ranksieve.report.shared.clustering import (
    FeatureBlock,
    clusters,
    feature_blocks,
    mean_similarities,
)
from ranksieve.similarity import Similarity, as_similarity

# Redundancy is high from this share of features on that others of their block stand for.
HIGH_REDUNDANCY = 0.25
# The two largest blocks hold so large a share of the features: as on OHSUMED in the GAS paper,
# most features are like most others, and a penalty on similarity cannot tell them apart.
FEW_BLOCKS = 0.5


@dataclass(frozen=True, eq=False)
class SimilarityFacts:
    """Similarity of features, and blocks of features that are alike.

        scaled(f, g) = sim(f, g) / sqrt(sim(f, f) sim(g, g))

    so that a feature with ties is as similar to its copy as one without. Blocks are the
    clusters of average linkage on 1 - scaled, cut where the mean similarity of two clusters
    falls below `cut`. Features that order nothing are left out.

    Attributes
    ----------
    name : str
    cut : float
    range : tuple of float, the least and the largest value that can occur
    matrix : (p, p) array, as the similarity gives it
    scaled : (p, p) array
    order : (m,) array of int
        The m features that order documents, with those of a block adjacent.
    blocks : tuple of FeatureBlock with two members or more, the largest first
    mean_inside, mean_between : float
        Mean scaled similarity of two features of one block, and of two of different ones
        (a feature outside of blocks is one by itself); NaN where there is no such pair.

    Notes
    -----
    Cost: that of the similarity, O(p^2) for the linkage, and O(p^3) at worst for the order of
    leaves, which is the best one up to 1,000 features.
    """

    name: str
    cut: float
    range: tuple[float, float]
    matrix: NDArray[np.float64]
    scaled: NDArray[np.float64]
    order: NDArray[np.int64]
    blocks: tuple[FeatureBlock, ...]
    mean_inside: float
    mean_between: float

    @classmethod
    def of(
        cls,
        data: RankingData,
        orders: NDArray[np.bool_],
        scores: NDArray[np.float64],
        *,
        similarity: str | Similarity = "kendall",
        cut: float = 0.8,
    ) -> Self:
        """Return the facts of data, with `orders` and `scores` of its features.

        Examples
        --------
        >>> from ranksieve import load
        >>> X = [[1.0, 2.0, 2.0], [2.0, 4.0, 3.0], [3.0, 6.0, 1.0]]
        >>> data = load((X, [0, 1, 2], [1, 1, 1]))
        >>> facts = SimilarityFacts.of(data, np.ones(3, bool), np.array([1.0, 1.0, 0.5]))
        >>> [sorted(block.members) for block in facts.blocks]
        [[0, 1]]
        """
        chosen = as_similarity(similarity)
        check_cut(cut)
        matrix = chosen.matrix(data)
        scaled = scaled_similarity(matrix)
        order, labels = clusters(scaled, np.flatnonzero(orders), cut)
        blocks = feature_blocks(scaled, order, labels, scores)
        inside, between = mean_similarities(scaled, order, labels)
        return cls(
            repr(chosen).removesuffix("()"),
            cut,
            chosen.range,
            matrix,
            scaled,
            order,
            blocks,
            inside,
            between,
        )

    @property
    def n_in_blocks(self) -> int:
        """Number of features in blocks."""
        return sum(len(block.members) for block in self.blocks)

    @property
    def n_redundant(self) -> int:
        """Number of features that the best one of their block stands for."""
        return self.n_in_blocks - len(self.blocks)

    @property
    def is_redundant(self) -> bool:
        """Whether a quarter of the features or more are redundant."""
        return bool(len(self.order)) and self.n_redundant >= HIGH_REDUNDANCY * len(self.order)

    @property
    def has_few_blocks(self) -> bool:
        """Whether the two largest blocks hold more than half of the features."""
        largest = sum(len(block.members) for block in self.blocks[:2])
        return self.is_redundant and largest > FEW_BLOCKS * len(self.order)

    def block_of(self) -> NDArray[np.int64]:
        """Return the block of each feature, or -1."""
        indices = np.full(len(self.matrix), -1, dtype=np.int64)
        for index, block in enumerate(self.blocks):
            indices[list(block.members)] = index
        return indices


def scaled_similarity(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the matrix with 1 on its diagonal: each entry over the mean of its features' own.

    A feature that is not even similar to itself, because it orders nothing, is similar to no
    other.

    Examples
    --------
    >>> scaled_similarity(np.array([[0.5, 0.5, 0.0], [0.5, 0.5, 0.0], [0.0, 0.0, 0.0]]))
    array([[1., 1., 0.],
           [1., 1., 0.],
           [0., 0., 1.]])
    """
    self_similarity = np.sqrt(np.maximum(np.diag(matrix), 0.0))
    norms = np.outer(self_similarity, self_similarity)
    scaled = np.divide(matrix, norms, out=np.zeros_like(matrix), where=norms > 0)
    np.fill_diagonal(scaled, 1.0)
    clipped: NDArray[np.float64] = np.minimum(scaled, 1.0)
    return clipped


def check_cut(cut: float) -> None:
    """Raise unless `cut` is a similarity at which clusters can be cut."""
    if isinstance(cut, bool) or not isinstance(cut, int | float) or not 0.0 < cut <= 1.0:
        raise ParameterError(
            f"cut must be a similarity above 0 and at most 1, but is {cut!r}. "
            "0.8 is a good start: the larger, the smaller the blocks."
        )
