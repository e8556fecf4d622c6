"""Similarities: how alike the rankings by two features are."""

from __future__ import annotations

from ranksieve import catalog
from ranksieve.errors import ParameterError
from ranksieve.similarity.base import Doubled, Similarity, sizes_of
from ranksieve.similarity.footrule import FootruleSimilarity
from ranksieve.similarity.identity import IdentitySimilarity
from ranksieve.similarity.kendall import KendallSimilarity
from ranksieve.similarity.pearson import PearsonSimilarity
from ranksieve.similarity.spearman import SpearmanSimilarity
from ranksieve.similarity.tau_b import TauBSimilarity

__all__ = [
    "Doubled",
    "FootruleSimilarity",
    "IdentitySimilarity",
    "KendallSimilarity",
    "PearsonSimilarity",
    "Similarity",
    "SpearmanSimilarity",
    "TauBSimilarity",
    "as_similarity",
    "sizes_of",
]


def as_similarity(spelled: str | Similarity) -> Similarity:
    """Return the similarity that a text spells.

    Examples
    --------
    >>> as_similarity("kendall")
    KendallSimilarity()
    """
    if isinstance(spelled, Similarity):
        return spelled
    if not isinstance(spelled, str):
        raise ParameterError(
            f"a similarity is a name such as 'kendall' or a Similarity, but is {spelled!r}"
        )
    similarity: Similarity = catalog.parse(spelled, "similarity")
    return similarity
