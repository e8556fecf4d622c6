"""Profiles of Elasticsearch and OpenSearch: the tree of queries that `profile: true` gives.

The plugin's query is a node of the type RankerQuery. It makes a query of each feature of its set,
in the order of the set, and the profile has a child for each: the n-th child is the n-th feature.
A time includes those of all children.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ranksieve.data.logs.elasticsearch import ElasticsearchLog
from ranksieve.data.profiles.times import ProfiledFeature, Times, time_in
from ranksieve.errors import DataError

_RANKER = "RankerQuery"
# What queries of features that are no templates are called.
_TYPES = {"derived_expression": "FVDerivedExpressionQuery", "script_feature": "LtrScript"}
_NANOSECONDS_PER_MILLISECOND = 1e6

REWRITING = "rewriting queries"
MODEL = "the model, and collecting features"
OTHER_QUERIES = "queries that are no features"


def has_query_profile(response: dict[str, Any]) -> bool:
    """Tell whether a response has a profile."""
    profile = response.get("profile")
    return isinstance(profile, dict) and isinstance(profile.get("shards"), list)


def logged_features(response: dict[str, Any]) -> list[ProfiledFeature] | None:
    """Return the features of the set in their order, where the response logs them."""
    log = ElasticsearchLog()
    if not log.answers(response) or log.problem(response) is not None:
        return None
    for hit in log.hits(response):
        features = log.features(hit) if isinstance(hit, dict) else None
        if features:
            return [ProfiledFeature(name) for name in features]
    return None


def times_of_one(response: dict[str, Any], feature: str) -> Times:
    """Return the times of a response whose query is that of one feature."""
    times = Times()
    for search in _searches(response):
        times.add_unattributed(REWRITING, _rewriting(search))
        for node in _nodes(search, "query"):
            times.add(feature, _time(node))
    return times


def times_of_set(response: dict[str, Any], features: Sequence[ProfiledFeature] | None) -> Times:
    """Return the times of the features of a set, by the children of RankerQuery.

    Raises
    ------
    DataError
        Children and features differ in number, or in what they are.
    """
    expected = features or logged_features(response)
    times = Times()
    for search in _searches(response):
        times.add_unattributed(REWRITING, _rewriting(search))
        for node in _nodes(search, "query"):
            _add_node(node, expected, times)
    return times


def _add_node(
    node: dict[str, Any], features: Sequence[ProfiledFeature] | None, times: Times
) -> None:
    children = list(_nodes(node, "children"))
    outside = _time(node) - sum(map(_time, children))
    if node.get("type") != _RANKER:
        times.add_unattributed(OTHER_QUERIES, outside)
        for child in children:
            _add_node(child, features, times)
        return
    times.add_unattributed(MODEL, outside)
    # Without scores, as in a filter, the ranker computes nothing.
    if not children:
        return
    if features is None:
        raise DataError(
            f"the profile has times of {len(children)} features, but nothing says which they are. "
            "Give the feature set with featureset=FILE, or log the features in the same request."
        )
    _check_children(children, features)
    for feature, child in zip(features, children, strict=True):
        times.add(feature.name, _time(child))


def _check_children(
    children: Sequence[dict[str, Any]], features: Sequence[ProfiledFeature]
) -> None:
    if len(children) != len(features):
        raise DataError(
            f"the profile has times of {len(children)} features, but the feature set has "
            f"{len(features)}. Give the set with which the request was made."
        )
    for position, (feature, child) in enumerate(zip(features, children, strict=True), start=1):
        kind, expected = child.get("type"), _TYPES.get(feature.language or "")
        if feature.language is not None and (
            kind != expected if expected is not None else kind in _TYPES.values()
        ):
            raise DataError(
                f"feature {position}, {feature.name!r}, is of the language {feature.language!r}, "
                f"but query {position} of the profile is a {kind}. Give the set with which the "
                "request was made, in its order."
            )


def _searches(response: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for shard in response["profile"]["shards"]:
        yield from _nodes(shard, "searches")


def _nodes(content: Any, key: str) -> Iterator[dict[str, Any]]:
    inner = content.get(key) if isinstance(content, dict) else None
    for node in inner if isinstance(inner, list) else ():
        if isinstance(node, dict):
            yield node


def _time(node: dict[str, Any]) -> float:
    return time_in(node, "time_in_nanos") / _NANOSECONDS_PER_MILLISECOND


def _rewriting(search: dict[str, Any]) -> float:
    return time_in(search, "rewrite_time") / _NANOSECONDS_PER_MILLISECOND
