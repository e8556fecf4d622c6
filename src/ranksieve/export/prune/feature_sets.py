"""Feature sets of Elasticsearch and OpenSearch: where their features are, and who names whom.

A feature of the language `derived_expression` is an expression of other features; one of
`script_feature` reads other features from `params.feature_vector`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from ranksieve.errors import DataError

SOURCE = "the feature set"

# A variable of an expression, with what follows it: an opening bracket calls a function.
_VARIABLE = re.compile(r"(?<![\w$.])([A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*)(\s*\()?", re.ASCII)
_LITERAL = re.compile(r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"")
_ESCAPE = re.compile(r"\\(.)")
_VECTOR = re.compile(r"\bfeature_vector\b")
# An access whose name can be read from the script: by a literal, or by a parameter.
_FOLLOWED = re.compile(
    r"""feature_vector['"]?\]?\s*
        (?:\.\s*(?:get|getOrDefault|containsKey)\s*\(|\[)\s*
        (?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|params\s*\.\s*(?P<parameter>\w+))\s*[,)\]]""",
    re.VERBOSE,
)


def features_path(content: Any) -> list[str | int]:
    """Return the path of the list of features, in any shape in which people have a feature set.

    It is a list of features, an object with `features`, or one around it: `featureset` as it is
    sent, `_source` as it is got, `hits.hits` of a single set.

    Examples
    --------
    >>> features_path({"_source": {"featureset": {"name": "movies", "features": []}}})
    ['_source', 'featureset', 'features']
    """
    path: list[str | int] = []
    while not isinstance(content, list):
        key = _next_key(content)
        if key == "hits":
            content = _single_hit(content)
            path += ["hits", "hits", 0]
        else:
            content = content[key]
            path.append(key)
    return path


def feature_names(features: Sequence[Any]) -> list[str]:
    """Return the name of each feature; DataError where one has none, or two have the same."""
    names: list[str] = []
    for number, feature in enumerate(features, start=1):
        name = feature.get("name") if isinstance(feature, dict) else None
        if not isinstance(name, str):
            raise DataError(
                f"feature {number} of {SOURCE} has no name: a feature is an object with 'name' "
                f"and 'template', but it is {_shortened(feature)}"
            )
        if name in names:
            raise DataError(
                f"{SOURCE} has two features {name!r}, numbers {names.index(name) + 1} and "
                f"{number}. Names are unique: rename or remove one of them."
            )
        names.append(name)
    return names


def feature_dependences(feature: dict[str, Any], names: Sequence[str]) -> list[str]:
    """Return the features that a feature uses, of all names of its set.

    Examples
    --------
    >>> feature = {"name": "c", "template_language": "derived_expression",
    ...            "template": "max(a, 2) * log(boost)"}
    >>> feature_dependences(feature, ["a", "b", "c", "max"])
    ['a']
    """
    mentioned = set(_mentioned(feature))
    return [name for name in names if name in mentioned and name != feature["name"]]


def reads_more(feature: dict[str, Any]) -> bool:
    """Tell whether a script may read features by names that are not written in it.

    Such are a name that comes with the query, a loop over the vector, a stored script, and
    scripts in a language of which only the name is written here.

    Examples
    --------
    >>> script = {"lang": "painless", "source": "params.feature_vector.get(params.which)"}
    >>> reads_more({"template_language": "script_feature", "template": script})
    True
    """
    script = _script(feature)
    if script is None:
        return False
    source, parameters = script.get("source", script.get("inline")), script.get("params", {})
    if not isinstance(source, str) or script.get("lang", "painless") not in (
        "painless",
        "expression",
    ):
        return True
    followed = sum(
        match["parameter"] is None or isinstance(parameters.get(match["parameter"]), str)
        for match in _FOLLOWED.finditer(source)
    )
    return followed < len(_VECTOR.findall(source))


def _next_key(content: Any) -> str:
    keys = ("features", "featureset", "_source", "hits")
    for key in keys:
        inner = content.get(key) if isinstance(content, dict) else None
        if isinstance(inner, list if key == "features" else dict):
            return key
    has = ", ".join(map(repr, content)) if isinstance(content, dict) else _shortened(content)
    raise DataError(
        f"{SOURCE} has no list of features: looked for 'features', also inside 'featureset', "
        f"'_source' and 'hits.hits', but there is {has or 'nothing'}"
    )


def _single_hit(content: dict[str, Any]) -> Any:
    hits = content["hits"].get("hits")
    if not isinstance(hits, list) or len(hits) != 1:
        count = len(hits) if isinstance(hits, list) else "no list of"
        ids = [hit.get("_id") for hit in hits if isinstance(hit, dict)] if hits else []
        listed = f" ({', '.join(map(str, ids[:10]))})" if ids else ""
        raise DataError(
            f"the answer has {count} feature sets{listed}, and one is to be pruned. "
            "Get it by its name: GET _ltr/_featureset/NAME."
        )
    return hits[0]


def _mentioned(feature: dict[str, Any]) -> Iterator[str]:
    """Yield the texts in a feature that may be names of others."""
    if feature.get("template_language") == "derived_expression":
        for match in _VARIABLE.finditer(str(feature.get("template", ""))):
            if match[2] is None:
                yield match[1]
    script = _script(feature)
    if script is not None:
        yield from _texts(script.get("params"))
        for match in _LITERAL.finditer(str(script.get("source", script.get("inline", "")))):
            yield _ESCAPE.sub(r"\1", match[1] if match[1] is not None else match[2])


def _script(feature: dict[str, Any]) -> dict[str, Any] | None:
    """Return the script of a script feature, which may be written as text; None for others."""
    if feature.get("template_language") != "script_feature":
        return None
    template = feature.get("template")
    if isinstance(template, str):
        try:
            template = json.loads(template)
        except json.JSONDecodeError:
            return {"source": template}
    return template if isinstance(template, dict) else {"source": str(template)}


def _texts(content: Any) -> Iterator[str]:
    """Yield all texts in the values of nested lists and objects."""
    waiting = [content]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict | list):
            waiting += value.values() if isinstance(value, dict) else value


def _shortened(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
