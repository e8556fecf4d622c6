"""Costs of features: the median over the responses in which an engine measured them."""

from __future__ import annotations

import csv
import os
import statistics
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ranksieve.data.atomic import replacing
from ranksieve.data.logs.json_stream import json_objects
from ranksieve.data.profiles.query_profiles import (
    has_query_profile,
    times_of_one,
    times_of_set,
)
from ranksieve.data.profiles.times import ProfiledFeature, Times
from ranksieve.data.profiles.timings import component_times, has_timing, requested_feature
from ranksieve.data.profiles.traces import has_trace, ranking_times
from ranksieve.errors import DataError

# Where a response may be inside an object that says more about it, such as its feature.
_WRAPPERS = ("response", "result", "body")


@dataclass(frozen=True)
class FeatureCosts:
    """What features cost, in milliseconds of a request.

    Attributes
    ----------
    costs : the median of each feature, in the order of the definition or of appearance
    n_measured : in how many responses each feature was measured
    n_responses : responses in all
    attributed : milliseconds of all responses that belong to features
    unattributed : milliseconds that belong to none, by what they are
    unmeasured : features of the definition without a time
    """

    costs: dict[str, float]
    n_measured: dict[str, int]
    n_responses: int
    attributed: float
    unattributed: dict[str, float]
    unmeasured: tuple[str, ...] = ()

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write a CSV of feature and cost, whole or not at all: what the sieve reads."""
        with (
            replacing(path) as temporary,
            temporary.open("w", encoding="utf-8", newline="") as file,
        ):
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(("feature", "cost"))
            writer.writerows((name, f"{cost:.9g}") for name, cost in self.costs.items())


def profile_costs(
    paths: Sequence[str | os.PathLike[str]], features: Sequence[ProfiledFeature] | None = None
) -> FeatureCosts:
    """Return the costs of features from profiles of an engine.

    Each file has responses as a log has them: of Elasticsearch or OpenSearch with `profile`, of
    Solr with `debug.timing`, of Vespa with `trace`. An object `{"feature": NAME, "response": ...}`
    says that a response is of a request for one feature alone.

    Parameters
    ----------
    paths : files, packed or not
    features : those of the definition, in its order

    Notes
    -----
    The time of a response is the sum over its shards and threads. The median over responses is
    that of the responses in which the feature was measured.

    Examples
    --------
    >>> import json, tempfile
    >>> file = Path(tempfile.mkdtemp()) / "timing.json"
    >>> timing = {"time": 9.0, "process": {"time": 8.0, "query": {"time": 7.0}}}
    >>> answer = {"feature": "bm25", "response": {"debug": {"timing": timing}}}
    >>> _ = file.write_text(json.dumps(answer))
    >>> result = profile_costs([file])
    >>> result.costs, result.unattributed
    ({'bm25': 7.0}, {'between components': 2.0})
    """
    measured: dict[str, list[float]] = defaultdict(list)
    unattributed: dict[str, float] = defaultdict(float)
    n_responses = 0
    for path in paths:
        file = Path(path).expanduser()
        for line, content in json_objects(file):
            times = _times(content, features, f"{file}, line {line}")
            n_responses += 1
            for name, milliseconds in times.features.items():
                measured[name].append(milliseconds)
            for kind, milliseconds in times.unattributed.items():
                unattributed[kind] += milliseconds
    listed = None if features is None else [feature.name for feature in features]
    if not measured:
        raise _nothing_measured(paths, unattributed)
    names = list(measured) if listed is None else [name for name in listed if name in measured]
    names += [name for name in measured if name not in names]
    return FeatureCosts(
        {name: statistics.median(measured[name]) for name in names},
        {name: len(measured[name]) for name in names},
        n_responses,
        sum(map(sum, measured.values())),
        dict(unattributed),
        tuple(name for name in listed or () if name not in measured),
    )


def _times(
    content: dict[str, Any], features: Sequence[ProfiledFeature] | None, where: str
) -> Times:
    feature = content.get("feature")
    if feature is not None and not isinstance(feature, str):
        raise DataError(f"{where}: 'feature' must be the name of a feature, but is {feature!r}.")
    for response in (content, *(content.get(key) for key in _WRAPPERS)):
        if isinstance(response, dict):
            try:
                times = _measured(response, feature, features)
            except DataError as error:
                raise DataError(f"{where}: {error}") from None
            except RecursionError:
                raise DataError(f"{where}: the profile is nested too deep.") from None
            if times is not None:
                return times
    raise DataError(
        f"{where}: this response has no times: looked for profile.shards (Elasticsearch, "
        'OpenSearch: ask with "profile": true), debug.timing (Solr: debug=timing) and trace '
        "(Vespa: trace.level=1 and trace.profiling...), but its keys are "
        f"{', '.join(map(repr, list(content)[:10])) or 'none'}."
    )


def _measured(
    response: dict[str, Any], feature: str | None, features: Sequence[ProfiledFeature] | None
) -> Times | None:
    """Return the times of a response by its kind; None where it has none."""
    if has_query_profile(response):
        if feature is not None:
            return times_of_one(response, feature)
        return times_of_set(response, features)
    if has_timing(response):
        named = requested_feature(response) if feature is None else feature
        return component_times(response, None if named is None else str(named))
    if has_trace(response):
        names = None if features is None else [each.name for each in features]
        return ranking_times(response, names if feature is None else [feature])
    return None


def _nothing_measured(
    paths: Sequence[str | os.PathLike[str]], unattributed: dict[str, float]
) -> DataError:
    listed = ", ".join(f"{kind}: {value:.6g} ms" for kind, value in unattributed.items())
    return DataError(
        f"{', '.join(map(str, paths))}: no time belongs to a feature (there is "
        f"{listed or 'none'}). "
        "Elasticsearch and OpenSearch tell features apart below a RankerQuery that scores; Solr "
        "does not, and Vespa does in profiles of ranking. Otherwise time the query of each "
        'feature alone, and write its response as {"feature": NAME, "response": ...}.'
    )
