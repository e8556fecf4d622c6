"""Timings of Solr, which `debug=timing` gives: a time for each component of a search.

All features are computed in one component: only a request for one feature tells its time.
"""

from __future__ import annotations

from typing import Any

from ranksieve.data.profiles.times import Times, time_in

_PHASES = ("prepare", "process")
_QUERY = "query"


def has_timing(response: dict[str, Any]) -> bool:
    """Tell whether a response has timings."""
    debug = response.get("debug")
    return isinstance(debug, dict) and isinstance(debug.get("timing"), dict)


def requested_feature(response: dict[str, Any]) -> Any:
    """Return the parameter `feature` of the request, which Solr echoes, or None."""
    header = response.get("responseHeader")
    parameters = header.get("params") if isinstance(header, dict) else None
    return parameters.get("feature") if isinstance(parameters, dict) else None


def component_times(response: dict[str, Any], feature: str | None) -> Times:
    """Return the time of the query component as the feature's, and that of others."""
    timing = response["debug"]["timing"]
    times = Times()
    for phase in _PHASES:
        components = timing.get(phase)
        for name, component in components.items() if isinstance(components, dict) else ():
            if not isinstance(component, dict):
                continue
            milliseconds = time_in(component, "time")
            if name == _QUERY and feature is not None:
                times.add(feature, milliseconds)
            else:
                times.add_unattributed(f"component {name}", milliseconds)
    times.add_unattributed("between components", time_in(timing, "time") - times.total)
    return times
