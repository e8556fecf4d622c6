"""What is in ranking data, before any selection."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import RankingData, load
from ranksieve.data.loading import file_format
from ranksieve.data.missing import Missing
from ranksieve.data.missing_counts import counting_missing
from ranksieve.importance import Importance, as_importance
from ranksieve.measures import Measure
from ranksieve.report.inspection.facts import FeatureFacts, GradeFacts, QueryFacts
from ranksieve.report.inspection.importance_facts import ImportanceFacts
from ranksieve.report.shared.similarity_facts import SimilarityFacts, check_cut
from ranksieve.similarity import Similarity, as_similarity


@dataclass(frozen=True, eq=False)
class Inspection:
    """Facts about ranking data, none of them rounded.

    Attributes
    ----------
    source : str, the name of the file, or what kind of object it was
    kind : str, "LETOR text", "CSV", "Parquet", "table", "arrays" or "RankingData"
    dtype, fingerprint : str
    n_documents, n_queries, n_features : int
    feature_names : tuple of str
    missing : rule by which missing values were filled before all else was computed
    queries : QueryFacts, documents per query
    grades : GradeFacts
    features : FeatureFacts: missing values, ranges, constants and copies
    importance : ImportanceFacts: what each feature says alone
    similarity : SimilarityFacts: which features rank alike
    """

    source: str
    kind: str
    dtype: str
    fingerprint: str
    n_documents: int
    n_queries: int
    n_features: int
    feature_names: tuple[str, ...]
    missing: Missing
    queries: QueryFacts
    grades: GradeFacts
    features: FeatureFacts
    importance: ImportanceFacts
    similarity: SimilarityFacts

    @property
    def n_missing(self) -> int:
        """Number of missing values in the source; 0 where that is not known."""
        counts = self.features.n_missing
        return 0 if counts is None else int(counts.sum())

    @property
    def permuted_across(self) -> NDArray[np.bool_]:
        """Features that the importance permuted across queries, as they are constant in each."""
        facts = self.features
        across: NDArray[np.bool_] = facts.constant_in_queries & ~facts.constant
        return across & (not self.importance.alone)

    def as_dict(self) -> dict[str, Any]:
        """Return all facts as numbers, texts, lists and dictionaries."""
        return {
            "data": {
                "source": self.source,
                "kind": self.kind,
                "dtype": self.dtype,
                "fingerprint": self.fingerprint,
                "documents": self.n_documents,
                "queries": self.n_queries,
                "features": self.n_features,
            },
            "documents_a_query": asdict(self.queries),
            "grades": _lists(asdict(self.grades)),
            "missing": {
                "known": self.features.n_missing is not None,
                "values": self.n_missing,
                "filled_by": self.missing,
            },
            "importance": self._importance_dict(),
            "features": [
                self._feature_dict(feature, block)
                for feature, block in enumerate(self.similarity.block_of().tolist())
            ],
            "similarity": self._similarity_dict(),
        }

    def _importance_dict(self) -> dict[str, Any]:
        facts = self.importance
        return {
            "importance": facts.name,
            "random_order": facts.random,
            "best": facts.best,
            "median": facts.median,
            "worst": facts.worst,
            "median_gain": facts.median_gain,
            "near_random": facts.n_near_random,
            "varies_largely": facts.varies_largely,
            "order": facts.order.tolist(),
        }

    def _feature_dict(self, feature: int, block: int) -> dict[str, Any]:
        facts = self.features
        copied = int(facts.duplicate_of[feature])
        return {
            "feature": self.feature_names[feature],
            "index": feature,
            "importance": float(self.importance.scores[feature]),
            "direction": int(self.importance.directions[feature]),
            "block": block if block >= 0 else None,
            "least": float(facts.least[feature]),
            "most": float(facts.most[feature]),
            "zeros": int(facts.n_zeros[feature]),
            "missing": None if facts.n_missing is None else int(facts.n_missing[feature]),
            "constant": bool(facts.constant[feature]),
            "constant_in_queries": bool(facts.constant_in_queries[feature]),
            "permuted_across_queries": bool(self.permuted_across[feature]),
            "duplicate_of": self.feature_names[copied] if copied >= 0 else None,
        }

    def _similarity_dict(self) -> dict[str, Any]:
        facts = self.similarity
        names = self.feature_names
        return {
            "similarity": facts.name,
            "cut": facts.cut,
            "redundant": facts.n_redundant,
            "is_redundant": facts.is_redundant,
            "has_few_blocks": facts.has_few_blocks,
            "mean_inside": facts.mean_inside,
            "mean_between": facts.mean_between,
            "blocks": [
                {
                    "size": len(block.members),
                    "best": names[block.best],
                    "mean_similarity": block.mean_similarity,
                    "members": [names[feature] for feature in block.members],
                }
                for block in facts.blocks
            ],
            "order": facts.order.tolist(),
            "matrix": facts.matrix.tolist(),
        }


def inspect(
    data: Any,
    *,
    importance: str | Measure | Importance = "map",
    similarity: str | Similarity = "kendall",
    cut: float = 0.8,
    missing: Missing = "query-minimum",
    **reading: Any,
) -> Inspection:
    """Return what is in ranking data: queries, grades, features, and how features relate.

    Parameters
    ----------
    data : path, table, (X, y, qid), or RankingData: what `load` takes
    importance : str, Measure or Importance
        What a feature is worth alone: a measure's text, or the name of an importance.
    similarity : str or Similarity
    cut : float
        Blocks are clusters of features whose mean similarity, scaled, is at least this.
    missing : "query-minimum", a number, or "error"
        Missing values are counted, and filled by this rule before the rest is computed.
    **reading
        Further parameters of `load`.

    Notes
    -----
    Cost: reading, importance and similarity; what is counted besides takes two passes over
    the data. Features are compared as they are: one that orders documents the opposite way
    of another is unlike it.

    The two aspects to look at before selecting, the spread of importance and blocks of similar
    features, are those of Geng, Liu, Qin and Li, Feature selection for ranking (2007),
    section 4.3.

    Examples
    --------
    >>> from ranksieve import make_ranking
    >>> data, truth = make_ranking(50, n_relevant=2, n_redundant=2, n_irrelevant=3, n_constant=1)
    >>> found = inspect(data)
    >>> found.n_features, found.features.constant.sum(), found.similarity.n_redundant
    (8, np.int64(1), 2)
    """
    check_cut(cut)
    chosen_importance, chosen_similarity = as_importance(importance), as_similarity(similarity)
    has_source = not isinstance(data, RankingData)
    with counting_missing() as counts:
        ranking = load(data, missing=missing, **reading)
    n_missing = counts.by_feature(ranking.n_features) if has_source else None
    features = FeatureFacts.of(ranking, n_missing=n_missing)
    alone = ImportanceFacts.of(ranking, features.orders, importance=chosen_importance)
    return Inspection(
        *_source_and_kind(data, reading),
        dtype=str(ranking.dtype),
        fingerprint=ranking.fingerprint,
        n_documents=ranking.n_documents,
        n_queries=ranking.n_queries,
        n_features=ranking.n_features,
        feature_names=ranking.feature_names,
        missing=missing,
        queries=QueryFacts.of(ranking),
        grades=GradeFacts.of(ranking),
        features=features,
        importance=alone,
        similarity=SimilarityFacts.of(
            ranking, features.orders, alone.scores, similarity=chosen_similarity, cut=cut
        ),
    )


def _source_and_kind(data: Any, reading: dict[str, Any]) -> tuple[str, str]:
    if isinstance(data, str | os.PathLike):
        path = Path(data).expanduser()
        kind = file_format(path, reading)
        return path.name or str(path), "LETOR text" if kind == "text" else kind
    if isinstance(data, RankingData):
        return "RankingData", "RankingData"
    return ("arrays", "arrays") if isinstance(data, tuple) else (type(data).__name__, "table")


def _lists(facts: dict[str, Any]) -> dict[str, Any]:
    return {
        name: list(value) if isinstance(value, tuple) else value for name, value in facts.items()
    }
