"""What a version of an engine does with features that are missing."""

from __future__ import annotations

import re

from ranksieve.errors import ParameterError

# For each engine, from which version on a missing feature is 0, goes right at each split, or goes
# where the split says. Elasticsearch's plugin has builds for versions of Elasticsearch: that for
# 8.11.4 is the first which reads `missing`. RankLib and Solr before 9.2 know 0 alone.
_RULES: dict[str, tuple[tuple[tuple[int, ...], str], ...]] = {
    "elasticsearch": (((), "zero"), ((8, 11, 4), "learned")),
    "opensearch": (((), "zero"), ((3, 2), "right"), ((3, 8), "learned")),
    "solr": (((), "zero"), ((9, 2), "learned")),
    "ranklib": (((), "zero"),),
    "vespa": (((), "learned"),),
    "onnx": (((), "learned"),),
    "json": (((), "learned"),),
}


def missing_rule(target: str, version: str | None) -> str:
    """Return what missing features do: "zero", "right" or "learned"; the newest rule for None.

    Examples
    --------
    >>> [missing_rule("opensearch", version) for version in ("2.19", "3.2.0", "3.10", None)]
    ['zero', 'right', 'learned', 'learned']
    """
    rules = _RULES[target]
    if version is None:
        return rules[-1][1]
    number = _parsed(version)
    return [rule for first, rule in rules if number >= first][-1]


def _parsed(version: str) -> tuple[int, ...]:
    if re.fullmatch(r"\d+(\.\d+)*", version, re.ASCII) is None:
        raise ParameterError(
            f"an engine's version is numbers with points, such as 3.8 or 9.10.1, but is {version!r}"
        )
    return tuple(int(part) for part in version.split("."))
