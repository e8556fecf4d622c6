"""Similarities: how alike the rankings by two features are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ranksieve import catalog
from ranksieve.errors import ParameterError
from ranksieve.similarity.base import Doubled as Doubled
from ranksieve.similarity.base import Similarity as Similarity
from ranksieve.similarity.base import sizes_of as sizes_of

if TYPE_CHECKING:
    from ranksieve.similarity.footrule import FootruleSimilarity as FootruleSimilarity
    from ranksieve.similarity.identity import IdentitySimilarity as IdentitySimilarity
    from ranksieve.similarity.kendall import KendallSimilarity as KendallSimilarity
    from ranksieve.similarity.pearson import PearsonSimilarity as PearsonSimilarity
    from ranksieve.similarity.pooled_spearman import (
        PooledSpearmanSimilarity as PooledSpearmanSimilarity,
    )
    from ranksieve.similarity.spearman import SpearmanSimilarity as SpearmanSimilarity
    from ranksieve.similarity.tau_b import TauBSimilarity as TauBSimilarity


def __getattr__(name: str) -> Any:
    return catalog.exported(__name__, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *catalog.exported(__name__, "__all__")})


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
