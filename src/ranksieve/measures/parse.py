"""From text to measure: `ndcg@10`, `letor-map`, `NDCG(10, gain="linear")`."""

from __future__ import annotations

import re
from typing import Any

from ranksieve.catalog import get, parse
from ranksieve.errors import ParameterError
from ranksieve.measures.base import Measure

_SHORT = re.compile(r"(letor-)?([a-z][a-z_-]*)(?:@(\d{1,18}))?", re.IGNORECASE)
_ALIASES = {"p": "precision", "rr": "reciprocal-rank", "mrr": "reciprocal-rank"}


def parse_measure(measure: str | Measure) -> Measure:
    """Return the measure that a text spells; a measure is returned as it is.

    The text is a name, with `letor-` before and `@k` after where wanted, or a constructor
    call. It is parsed, never evaluated.

    Examples
    --------
    >>> parse_measure("letor-ndcg@10")
    NDCG(10, convention="letor")
    >>> parse_measure("p@5")
    Precision(5)
    >>> parse_measure("MAP(threshold=2)")
    MAP(threshold=2)
    """
    if isinstance(measure, Measure):
        return measure
    if not isinstance(measure, str):
        raise ParameterError(
            "a measure is a text such as 'ndcg@10' or an object such as NDCG(10), "
            f"but is {measure!r}"
        )
    if "(" in measure:
        parsed: Measure = parse(measure, "measures")
        return parsed
    match = _SHORT.fullmatch(measure.strip())
    if match is None:
        raise ParameterError(
            f"cannot read the measure {measure!r}: write a name such as 'map', 'ndcg@10' or "
            "'letor-ndcg@10', or a call such as 'NDCG(10, gain=\"linear\")'"
        )
    return _from_short(*match.groups())


def _from_short(letor: str | None, name: str, k: str | None) -> Measure:
    component = get("measures", _ALIASES.get(name.lower(), name))
    parameters: dict[str, Any] = {} if letor is None else {"convention": "letor"}
    if k is not None:
        if not hasattr(component, "k"):
            raise ParameterError(f"{name} counts all positions: write it without '@{k}'")
        parameters["k"] = int(k)
    measure: Measure = component(**parameters)
    return measure
