"""All families, and the names and groups of their features by field."""

from __future__ import annotations

from dataclasses import dataclass

from ranksieve.extract.features import links
from ranksieve.extract.features.base import Family
from ranksieve.extract.features.bm25 import BM25
from ranksieve.extract.features.frequencies import (
    InverseDocumentFrequencies,
    NormalisedFrequencies,
    TermFrequencies,
    TfIdf,
)
from ranksieve.extract.features.language_models import LanguageModels
from ranksieve.extract.features.lengths import Lengths
from ranksieve.extract.features.matches import Matches
from ranksieve.extract.features.proximity import Proximity
from ranksieve.extract.index import FIELDS

FAMILIES: tuple[Family, ...] = (
    Matches(),
    TermFrequencies(),
    InverseDocumentFrequencies(),
    TfIdf(),
    NormalisedFrequencies(),
    Lengths(),
    BM25(),
    LanguageModels(),
    Proximity(),
)
LINKS = "links"


@dataclass(frozen=True)
class FeatureGroup:
    """A feature and what it is read from: features of one group share what they read."""

    feature: str
    group: str


def feature_groups(*, with_links: bool) -> list[FeatureGroup]:
    """Return all features in the order of the columns, with their groups.

    Examples
    --------
    >>> groups = feature_groups(with_links=True)
    >>> len(groups), groups[0], groups[-1]
    (99, FeatureGroup(feature='title.covered', group='title.counts'),
     FeatureGroup(feature='pagerank', group='links'))
    """
    groups = [
        FeatureGroup(f"{field}.{name}", f"{field}.{family.reads}")
        for field in FIELDS
        for family in FAMILIES
        for name in family.names
    ]
    return groups + ([FeatureGroup(name, LINKS) for name in links.NAMES] if with_links else [])
