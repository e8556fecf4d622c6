"""Traces of Vespa, in which `trace.profiling` gives the times of rank features and functions.

Content nodes profile the first and the second phase of ranking, each thread on its own, as a tree
(who asked for what) or as a flat list. Times of a node's own add up to the time of the phase.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from ranksieve.data.logs.vespa import VespaLog
from ranksieve.data.profiles.times import Times, time_in

_TAGS = ("first_phase_profiling", "second_phase_profiling")
_KINDS = ("rank feature ", "function ")

OUTSIDE = "ranking that is no feature"
NOT_LISTED = "rank features below the depth of the profile"


def has_trace(response: dict[str, Any]) -> bool:
    """Tell whether a response has a trace."""
    return isinstance(response.get("trace"), dict)


def matched_features(response: dict[str, Any]) -> list[str] | None:
    """Return the features that the documents of the response list, or None."""
    log = VespaLog()
    if not log.answers(response):
        return None
    for hit in log.hits(response):
        features = log.features(hit)
        if features:
            return list(features)
    return None


def ranking_times(response: dict[str, Any], features: Collection[str] | None) -> Times:
    """Return the times of features in the trace of a response.

    A node that is a feature has its own time; one that is none counts for the feature that asked
    for it. Without a list of features, all rank features and functions of the trace are ones.
    """
    listed = features or matched_features(response)
    names = None if listed is None else frozenset(listed)
    times = Times()
    for profile in _profiles(response["trace"]):
        before = times.total
        for node in _children(profile, "roots"):
            _add_node(node, names, None, times)
        added = times.total - before
        times.add_unattributed(NOT_LISTED, time_in(profile, "total_time_ms") - added)
    return times


def _add_node(
    node: dict[str, Any], names: frozenset[str] | None, asker: str | None, times: Times
) -> None:
    name = _feature_name(str(node.get("name", "")))
    owner = name if names is None or name in names else asker
    children = list(_children(node, "children"))
    milliseconds = time_in(node, "self_time_ms" if "self_time_ms" in node else "total_time_ms")
    if owner is None:
        times.add_unattributed(OUTSIDE, milliseconds)
    else:
        times.add(owner, milliseconds)
    for child in children:
        _add_node(child, names, owner, times)


def _feature_name(described: str) -> str:
    """Return the name in a description such as "rank feature bm25(title)"."""
    for kind in _KINDS:
        if described.startswith(kind):
            return described.removeprefix(kind)
    return described


def _profiles(trace: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the profiles of ranking, wherever they are in a trace."""
    waiting: list[Any] = [trace]
    while waiting:
        content = waiting.pop()
        if isinstance(content, dict) and content.get("tag") in _TAGS:
            yield content
        elif isinstance(content, dict | list):
            waiting += content.values() if isinstance(content, dict) else content


def _children(content: dict[str, Any], key: str) -> Iterator[dict[str, Any]]:
    inner = content.get(key)
    for node in inner if isinstance(inner, list) else ():
        if isinstance(node, dict):
            yield node
