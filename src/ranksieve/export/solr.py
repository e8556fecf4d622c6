"""Solr: LinearModel, MultipleAdditiveTreesModel and NeuralNetworkModel.

All compute in float32. A model lists its features, and computes only these; LinearModel wants a
weight for each. Weights are written with a point, since a whole number would be read as one.

A tree goes left where x <= float32(threshold + 1e-6). For most numbers there is a threshold whose
sum is the split of the model; near 0 there are few. Features with such splits are multiplied by a
power of two first, which is exact, by a StandardNormalizer: beside large numbers 1e-6 is nothing.
What remains is put at the next number below, with a warning that says which values it concerns.

A missing feature is 0, or, from 9.2 on, goes where `missing` says if isNullSameAsZero is false and
the feature's defaultValue is NaN.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.export.prepare import (
    check_used,
    missing_differs,
    negative_warnings,
    nested,
    used_names,
    with_base,
)
from ranksieve.export.result import FILE, Export
from ranksieve.export.thresholds import (
    SOLR_SLACK,
    single,
    single_below,
    solr_threshold,
    solr_threshold_below,
    text,
)
from ranksieve.rankers import (
    Description,
    LayerDescription,
    LinearDescription,
    NetworkDescription,
    TreeDescription,
    TreesDescription,
)

_PACKAGE = "org.apache.solr.ltr"
_DEFAULT_STORE = "_DEFAULT_"
# From 2 to this on, 1e-6 is less than half of what separates float32 numbers.
_LARGE_EXPONENT = 5
# Powers of two that float32 has: the largest without overflow, the smallest as a divisor.
_LARGEST_EXPONENT, _LARGEST_SCALE = 126, 149


def solr_export(description: Description, name: str, *, rule: str, store: str | None) -> Export:
    """Return the JSON object that Solr's model store takes."""
    check_used(description, "Solr")
    notes: list[str] = []
    warnings: list[str] = []
    norms: dict[str, Any] = {}
    if isinstance(description, LinearDescription):
        kind, params = _linear(description)
    elif isinstance(description, NetworkDescription):
        kind, params = "NeuralNetworkModel", _network(description)
    else:
        scales = {feature: _scale(description, feature) for feature in description.used.tolist()}
        kind = "MultipleAdditiveTreesModel"
        params = _trees(description, scales, rule, notes, warnings)
        norms = {description.names[feature]: scale for feature, scale in scales.items() if scale}
    warnings += negative_warnings(description)
    features = used_names(description)
    body = {
        "class": f"{_PACKAGE}.model.{kind}",
        "name": name,
        "store": store or _DEFAULT_STORE,
        "features": [_feature(feature, norms.get(feature, 0)) for feature in features],
        "params": params,
    }
    return Export(
        target="solr",
        name=name,
        kind=kind,
        content=json.dumps(body, ensure_ascii=False, allow_nan=False) + "\n",
        suffix=".json",
        features=features,
        notes=tuple(notes),
        warnings=tuple(dict.fromkeys(warnings)),
        calls=(
            "curl -X PUT 'http://ENGINE_HOST:8983/solr/COLLECTION/schema/model-store' "
            f"-H 'Content-Type: application/json' --data-binary @{FILE}",
            "curl 'http://ENGINE_HOST:8983/solr/admin/collections?action=RELOAD&name=COLLECTION'",
        ),
    )


def _feature(name: str, scale: int) -> dict[str, Any]:
    if not scale:
        return {"name": name}
    params = {"avg": "0.0", "std": repr(text(np.ldexp(np.float32(1.0), -scale)))}
    return {
        "name": name,
        "norm": {"class": f"{_PACKAGE}.norm.StandardNormalizer", "params": params},
    }


def _linear(description: LinearDescription) -> tuple[str, dict[str, Any]]:
    if description.intercept == 0.0:
        weights = single(description.weights, "a weight")
        return "LinearModel", {
            "weights": {
                description.names[index]: text(weights[index]) for index in description.used
            }
        }
    # A layer of one unit has what LinearModel has not: an intercept.
    layer = LayerDescription(
        description.weights[None, :], np.array([description.intercept]), "identity"
    )
    return "NeuralNetworkModel", _network(NetworkDescription(description.names, (layer,)))


def _network(description: NetworkDescription) -> dict[str, Any]:
    columns: NDArray[np.int64] | slice = description.used
    layers = []
    for layer in description.layers:
        matrix = single(layer.weights[:, columns], "a weight").astype(np.float64)
        bias = single(layer.biases, "a bias").astype(np.float64)
        layers.append(
            {"matrix": matrix.tolist(), "bias": bias.tolist(), "activation": layer.activation}
        )
        columns = slice(None)
    return {"layers": layers}


def _scale(description: TreesDescription, feature: int) -> int:
    """Return the power of two that a feature is multiplied by: 0 where Solr has all its splits."""
    splits = [single_below(tree.threshold[tree.feature == feature]) for tree in description.trees]
    thresholds = np.unique(np.concatenate(splits))
    # Scaled, the largest numbers are infinite: beside such a threshold they would be on its side.
    if np.isinf(thresholds).any():
        return 0
    if all(solr_threshold(threshold) is not None for threshold in thresholds):
        return 0
    sizes = np.abs(thresholds[thresholds != 0])
    _, smallest = np.frexp(sizes.min())
    _, largest = np.frexp(sizes.max())
    wanted = _LARGE_EXPONENT + 1 - int(smallest)
    return max(min(wanted, _LARGEST_EXPONENT - int(largest), _LARGEST_SCALE), 0)


def _trees(
    description: TreesDescription,
    scales: dict[int, int],
    rule: str,
    notes: list[str],
    warnings: list[str],
) -> dict[str, Any]:
    n_splits = missing_differs(description)
    with_missing = rule == "learned" and n_splits > 0
    if with_missing:
        notes.append(
            "Missing values go where the model sends them if each feature in the store has "
            '"defaultValue": "NaN" in its params; without it they are 0.'
        )
    elif n_splits:
        warnings.append(
            f"This version of Solr takes a missing feature for 0, but at {n_splits} splits the "
            "model sends a missing value elsewhere: such documents score otherwise. Take Solr 9.2 "
            "or newer, or export with missing='zero'."
        )
    trees = [
        {
            "weight": "1.0",
            "root": _node(tree, description.names, scales, with_missing, warnings),
        }
        for tree in with_base(description)
    ]
    return {**({"isNullSameAsZero": False} if with_missing else {}), "trees": trees}


def _node(
    tree: TreeDescription,
    names: tuple[str, ...],
    scales: dict[int, int],
    with_missing: bool,
    warnings: list[str],
) -> dict[str, Any]:
    values, thresholds = single(tree.value, "a leaf"), single_below(tree.threshold)

    def leaf(node: int) -> dict[str, Any]:
        return {"value": repr(text(values[node]))}

    def split(node: int, left: dict[str, Any], right: dict[str, Any]) -> dict[str, Any]:
        feature = int(tree.feature[node])
        threshold = _threshold(thresholds[node], scales[feature], names[feature], warnings)
        missing = {"missing": "left" if tree.missing_left[node] else "right"}
        return {
            "feature": names[feature],
            "threshold": repr(text(threshold)) if np.isfinite(threshold) else "-Infinity",
            **(missing if with_missing else {}),
            "left": left,
            "right": right,
        }

    return nested(tree, leaf, split)


def _threshold(threshold: np.float32, scale: int, feature: str, warnings: list[str]) -> np.float32:
    exact = solr_threshold(threshold, scale)
    if exact is not None:
        return exact
    below = solr_threshold_below(np.ldexp(threshold, scale))
    reached = float(below + SOLR_SLACK) * 2.0**-scale
    warnings.append(
        f"Values of {feature!r} above {reached!r} up to {text(threshold)!r} go another way at one "
        "split: Solr adds 1e-6 to a threshold, and no float32 number gives this one. If there are "
        "such values, multiply the feature by 1,000 in the data and in Solr, and train again."
    )
    return below
