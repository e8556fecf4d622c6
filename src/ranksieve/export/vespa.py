"""Vespa: trees as LightGBM's JSON, other models as a ranking expression; all in double.

Vespa's importer of LightGBM turns a split into `x < t`, or `!(x >= t)` where missing values go
left, with `missing_type` ignored: at t itself a document goes the other way than in LightGBM. So
the next double above is written. Its importer of XGBoost rounds splits to float32 and leaves
base_score out; it is not needed here. A missing attribute is NaN in Vespa.
"""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np

from ranksieve.errors import ParameterError
from ranksieve.export.prepare import check_used, nested, used_names, with_base
from ranksieve.export.result import FILE, Export
from ranksieve.rankers import (
    Description,
    LinearDescription,
    NetworkDescription,
    TreeDescription,
    TreesDescription,
)

# A rank feature: a name with parts, and perhaps arguments in brackets; no bare number.
_RANK_FEATURE = re.compile(r"[A-Za-z_][\w@]*(\([^()\n]*\))?(\.[\w]+(\([^()\n]*\))?)*", re.ASCII)


def vespa_export(description: Description, name: str) -> Export:
    """Return a model for Vespa, and the rank profile that uses it."""
    check_used(description, "Vespa")
    features = used_names(description)
    _check_names(features)
    profile = f"{name}.profile"
    attachments: dict[str, str] = {}
    copies = [f"cp {FILE} application/schemas/SCHEMA/{profile}"]
    if isinstance(description, TreesDescription):
        content, suffix, kind = _trees(description), ".json", "lightgbm"
        attachments[profile] = _profile(name, f'lightgbm("{name}.json")', features)
        copies = [
            f"cp {FILE} application/models/{name}.json",
            f"cp $(dirname {FILE})/{profile} application/schemas/SCHEMA/{profile}",
        ]
    else:
        content = _profile(name, _expression(description), features)
        suffix, kind = ".profile", "expression"
    return Export(
        target="vespa",
        name=name,
        kind=kind,
        content=content,
        suffix=suffix,
        features=features,
        attachments=attachments,
        notes=_notes(description),
        calls=(
            *copies,
            "tar -C application -czf application.tar.gz .",
            "curl -X POST 'http://ENGINE_HOST:19071/application/v2/tenant/default/"
            "prepareandactivate' -H 'Content-Type: application/x-gzip' "
            "--data-binary @application.tar.gz",
        ),
    )


def _check_names(features: tuple[str, ...]) -> None:
    wrong = [name for name in features if _RANK_FEATURE.fullmatch(name) is None]
    if wrong:
        raise ParameterError(
            f"{wrong[0]!r} is no name of a rank feature, so that Vespa would take it for a number "
            "or refuse it. Give names such as bm25(title) or attribute(price), in the order of the "
            f"model's features; {len(wrong)} of {len(features)} names are concerned."
        )


def _notes(description: Description) -> tuple[str, ...]:
    if isinstance(description, TreesDescription):
        return ()
    return (
        "A missing attribute is NaN in Vespa, and then so is the score: give the attribute a "
        "default, or use if (isNan(attribute(x)), 0, attribute(x)) as a function.",
    )


def _trees(description: TreesDescription) -> str:
    body = {
        "objective": "lambdarank",
        "feature_names": list(description.names),
        "feature_infos": {},
        "pandas_categorical": [],
        "tree_info": [
            {"tree_index": index, "tree_structure": _node(tree)}
            for index, tree in enumerate(with_base(description))
        ],
    }
    return json.dumps(body, ensure_ascii=False, allow_nan=False) + "\n"


def _node(tree: TreeDescription) -> dict[str, Any]:
    def leaf(node: int) -> dict[str, Any]:
        return {"leaf_value": float(tree.value[node])}

    def split(node: int, left: dict[str, Any], right: dict[str, Any]) -> dict[str, Any]:
        return {
            "split_feature": int(tree.feature[node]),
            "threshold": float(np.nextafter(tree.threshold[node], np.inf)),
            "decision_type": "<=",
            "default_left": bool(tree.missing_left[node]),
            "missing_type": "NaN",
            "left_child": left,
            "right_child": right,
        }

    return nested(tree, leaf, split)


def _expression(description: LinearDescription | NetworkDescription) -> str:
    if isinstance(description, LinearDescription):
        terms = [
            f"{_literal(description.weights[index])} * {description.names[index]}"
            for index in description.used
        ]
        intercept = [_literal(description.intercept)] if description.intercept else []
        return " + ".join([*intercept, *terms])
    inputs = list(description.names)
    for layer in description.layers:
        sums = [
            " + ".join(
                [
                    _literal(bias),
                    *(
                        f"{_literal(weight)} * {each}"
                        for weight, each in zip(row, inputs, strict=True)
                        if weight != 0.0
                    ),
                ]
            )
            for row, bias in zip(layer.weights, layer.biases, strict=True)
        ]
        inputs = [f"tanh({each})" if layer.activation == "tanh" else f"({each})" for each in sums]
    return inputs[0]


def _literal(value: float) -> str:
    """Return a number that the language of ranking expressions reads: a sign needs brackets.

    Examples
    --------
    >>> _literal(0.5), _literal(-2e-9)
    ('0.5', '(-2e-09)')
    """
    number = repr(float(value))
    return f"({number})" if number.startswith("-") else number


def _profile(name: str, expression: str, features: tuple[str, ...]) -> str:
    lines = "".join(f"        {feature}\n" for feature in features)
    return (
        f"rank-profile {name} {{\n"
        "    first-phase {\n"
        f"        expression: {expression}\n"
        "    }\n"
        "    match-features {\n"
        f"{lines}"
        "    }\n"
        "}\n"
    )
