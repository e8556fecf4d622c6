"""A definition of features, cut down to those that are chosen and to what these depend on.

The way of a definition:

    pruning         `prune`: which engine's definition it is, and what is returned
    feature_sets    Elasticsearch and OpenSearch: which feature names which
    feature_stores  Solr
    rank_profiles   Vespa: lists of features, and functions
    feature_files   RankLib
    json_text       elements taken out of a list in JSON, everything else as it was
    closure         the chosen names, and what they depend on
"""

from __future__ import annotations

from ranksieve.export.prune.pruning import Pruned, listed_features, prune

__all__ = ["Pruned", "listed_features", "prune"]
