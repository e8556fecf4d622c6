"""JSON of our own: the description in full, for programs that are not among the others."""

from __future__ import annotations

import json
from typing import Any

from ranksieve.export.prepare import used_names
from ranksieve.export.result import Export
from ranksieve.rankers import Description, LinearDescription, NetworkDescription

FORMAT, FORMAT_VERSION = "ranksieve-description", 1


def neutral_export(description: Description, name: str) -> Export:
    """Return the weights, trees or layers as they are, in double.

    The features are all of the model's, and trees and weights point to them by position, from 0.
    """
    kind, body = _body(description)
    content = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "name": name,
        "kind": kind,
        "features": list(description.names),
        **body,
    }
    return Export(
        target="json",
        name=name,
        kind=kind,
        content=json.dumps(content, ensure_ascii=False, allow_nan=False) + "\n",
        suffix=".json",
        features=used_names(description),
    )


def _body(description: Description) -> tuple[str, dict[str, Any]]:
    if isinstance(description, LinearDescription):
        weights = description.weights.tolist()
        return "linear", {"weights": weights, "intercept": float(description.intercept)}
    if isinstance(description, NetworkDescription):
        layers = [
            {
                "weights": layer.weights.tolist(),
                "biases": layer.biases.tolist(),
                "activation": layer.activation,
            }
            for layer in description.layers
        ]
        return "network", {"layers": layers}
    columns = ("feature", "threshold", "missing_left", "left", "right", "value")
    return "trees", {
        "rule": "left if x <= threshold, x a float32 number; if x is missing, as missing_left says",
        "base_score": float(description.base_score),
        "trees": [
            {column: getattr(tree, column).tolist() for column in columns}
            for tree in description.trees
        ],
    }
