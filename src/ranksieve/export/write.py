"""From a fitted ranker to the file that an engine takes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ranksieve.catalog import check_choice
from ranksieve.errors import ParameterError
from ranksieve.export.elasticsearch import elasticsearch_export
from ranksieve.export.neutral import neutral_export
from ranksieve.export.onnx_graph import onnx_export
from ranksieve.export.prepare import prepared
from ranksieve.export.ranklib import check_in_set, ranklib_export
from ranksieve.export.result import Export
from ranksieve.export.solr import solr_export
from ranksieve.export.versions import missing_rule
from ranksieve.export.vespa import vespa_export

TARGETS = ("elasticsearch", "opensearch", "solr", "vespa", "ranklib", "onnx", "json")
_MISSING = ("zero", "learned")
_NAME = re.compile(r"[A-Za-z][\w-]*", re.ASCII)


def export_model(
    model: Any,
    to: str,
    *,
    engine_version: str | None = None,
    names: Sequence[str] | None = None,
    name: str = "ranksieve",
    missing: str = "zero",
    feature_set: Sequence[str] | None = None,
    store: str | None = None,
    model_type: str | None = None,
) -> Export:
    """Return a fitted ranker as the file that a search engine takes.

    Its scores there are those of `predict` for features of float32, to the rounding of sums in
    float32 where the engine adds up in float32, and so is the order of documents.

    Parameters
    ----------
    model : a fitted ranker, or a selector that ranks
    to : {"elasticsearch", "opensearch", "solr", "vespa", "ranklib", "onnx", "json"}
    engine_version : str or None
        Such as "3.8". What missing features do depends on it; None is the newest.
    names : names of the model's features in the engine, in the order of its columns
    name : str
        The model's name in the engine.
    missing : {"zero", "learned"}
        What a missing feature does in trees. No model of ranksieve has seen one: data is without
        gaps, and what LETOR text leaves out is 0. "learned" keeps what the library would do.
    feature_set : names of the features in the engine's set, in its order
        Features of model/ranklib are numbers that count them.
    store : name of the feature set or store
    model_type : {"model/linear", "model/xgboost+json", "model/ranklib"} or None
        For Elasticsearch and OpenSearch; None for the first or second, as the model is.

    Examples
    --------
    >>> from ranksieve import RankSVM
    >>> from ranksieve.export import export_model
    >>> X, y, qid = [[0.0, 3.0], [1.0, 3.0]], [0, 1], [1, 1]
    >>> svm = RankSVM(C=1.0).fit(X, y, qid=qid)
    >>> export = export_model(svm, "elasticsearch", names=["bm25", "clicks"])
    >>> export.kind, export.features
    ('model/linear', ('bm25',))
    """
    check_choice("to", to, TARGETS)
    check_choice("missing", missing, _MISSING)
    if _NAME.fullmatch(name) is None:
        raise ParameterError(
            f"a model's name must be a letter, and then letters, digits, _ and -, but is {name!r}"
        )
    if model_type is not None and to not in ("elasticsearch", "opensearch"):
        raise ParameterError(f"model_type is for elasticsearch and opensearch, and not for {to}")
    if not hasattr(model, "description"):
        raise ParameterError(
            f"a model must be a fitted ranker of ranksieve, but is {type(model).__name__}. A "
            "Sieve has one as model_; a file is read by ranksieve.rankers.load_ranker."
        )
    rule = missing_rule(to, engine_version)
    described = model.description(names)
    if to == "json":
        return neutral_export(described, name)
    description = prepared(described, missing=missing)
    if feature_set is not None:
        check_in_set(description, feature_set)
    if to == "solr":
        return solr_export(description, name, rule=rule, store=store)
    if to == "vespa":
        return vespa_export(description, name)
    if to == "onnx":
        return onnx_export(description, name)
    if to == "ranklib":
        return ranklib_export(description, name, feature_set=feature_set)
    return elasticsearch_export(
        description,
        name,
        target=to,
        rule=rule,
        feature_set=feature_set,
        store=store,
        model_type=model_type,
    )
