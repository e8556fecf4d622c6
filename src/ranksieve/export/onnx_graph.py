"""ONNX: float32 features in, one float32 score out, and doubles between.

Trees are a TreeEnsembleRegressor with thresholds and leaves in double, so that splits and sums are
those of the description; layers are products of matrices in double.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.export.prepare import LEAF, check_used, used_names
from ranksieve.export.result import FILE, Export
from ranksieve.packages import require
from ranksieve.rankers import (
    Description,
    LayerDescription,
    LinearDescription,
    NetworkDescription,
    TreesDescription,
)

# Versions of the sets of operators: the first with what is used here, for old runtimes.
_OPERATORS, _ML_OPERATORS, _IR_VERSION = 15, 3, 8


def onnx_export(description: Description, name: str) -> Export:
    """Return an ONNX model: `features` of shape (documents, features), and `score`."""
    onnx = require("onnx", extra="onnx", caller="The export to ONNX")
    check_used(description, "ONNX")
    features = used_names(description)
    if isinstance(description, TreesDescription):
        kind, nodes, constants = "TreeEnsembleRegressor", *_trees(onnx, description)
    else:
        kind, nodes, constants = "MatMul", *_layers(onnx, description)
    helper, single = onnx.helper, onnx.TensorProto.FLOAT
    graph = helper.make_graph(
        [helper.make_node("Cast", ["features"], ["doubles"], to=onnx.TensorProto.DOUBLE), *nodes],
        name,
        [helper.make_tensor_value_info("features", single, ["documents", len(features)])],
        [helper.make_tensor_value_info("score", single, ["documents", 1])],
        constants,
    )
    model = helper.make_model(
        graph,
        producer_name="ranksieve",
        ir_version=_IR_VERSION,
        opset_imports=[
            helper.make_opsetid("", _OPERATORS),
            helper.make_opsetid("ai.onnx.ml", _ML_OPERATORS),
        ],
    )
    helper.set_model_props(model, {"features": json.dumps(list(features))})
    onnx.checker.check_model(model)
    return Export(
        target="onnx",
        name=name,
        kind=kind,
        content=model.SerializeToString(),
        suffix=".onnx",
        features=features,
        notes=(
            "The input has a column for each of the features above, in this order; their names are "
            "in the model's metadata, too.",
        ),
        calls=(
            f"python -c \"import onnxruntime; print(onnxruntime.InferenceSession('{FILE}')"
            '.get_inputs()[0])"',
        ),
    )


def _trees(onnx: Any, description: TreesDescription) -> tuple[list[Any], list[Any]]:
    columns = {feature: column for column, feature in enumerate(description.used.tolist())}
    split: dict[str, list[Any]] = {
        f"nodes_{name}": []
        for name in (
            "treeids",
            "nodeids",
            "featureids",
            "modes",
            "truenodeids",
            "falsenodeids",
            "missing_value_tracks_true",
        )
    }
    thresholds: list[float] = []
    leaves: list[tuple[int, int, float]] = []
    for index, tree in enumerate(description.trees):
        for node, feature in enumerate(tree.feature.tolist()):
            is_leaf = feature == LEAF
            row = (
                index,
                node,
                0 if is_leaf else columns[feature],
                "LEAF" if is_leaf else "BRANCH_LEQ",
                0 if is_leaf else int(tree.left[node]),
                0 if is_leaf else int(tree.right[node]),
                int(tree.missing_left[node]),
            )
            for values, value in zip(split.values(), row, strict=True):
                values.append(value)
            thresholds.append(float(tree.threshold[node]))
            if is_leaf:
                leaves.append((index, node, float(tree.value[node])))
    node = onnx.helper.make_node(
        "TreeEnsembleRegressor",
        ["doubles"],
        ["score"],
        domain="ai.onnx.ml",
        n_targets=1,
        **split,
        nodes_values_as_tensor=_tensor(onnx, "nodes_values", np.array(thresholds)),
        target_ids=[0] * len(leaves),
        target_treeids=[tree for tree, _, _ in leaves],
        target_nodeids=[node for _, node, _ in leaves],
        target_weights_as_tensor=_tensor(
            onnx, "target_weights", np.array([value for _, _, value in leaves])
        ),
        base_values_as_tensor=_tensor(onnx, "base_values", np.array([description.base_score])),
    )
    return [node], []


def _layers(
    onnx: Any, description: LinearDescription | NetworkDescription
) -> tuple[list[Any], list[Any]]:
    layers = _as_layers(description)
    nodes: list[Any] = []
    constants: list[Any] = []
    columns: NDArray[np.int64] | slice = description.used
    source = "doubles"
    for index, layer in enumerate(layers):
        weights, biases, product, output = (
            f"{part}_{index}" for part in ("weights", "biases", "product", "output")
        )
        constants += [
            _tensor(onnx, weights, np.ascontiguousarray(layer.weights[:, columns].T)),
            _tensor(onnx, biases, layer.biases),
        ]
        nodes += [
            onnx.helper.make_node("MatMul", [source, weights], [product]),
            onnx.helper.make_node("Add", [product, biases], [output]),
        ]
        source, columns = output, slice(None)
        if layer.activation == "tanh":
            source = f"tanh_{index}"
            nodes.append(onnx.helper.make_node("Tanh", [output], [source]))
    nodes.append(onnx.helper.make_node("Cast", [source], ["score"], to=onnx.TensorProto.FLOAT))
    return nodes, constants


def _as_layers(
    description: LinearDescription | NetworkDescription,
) -> tuple[LayerDescription, ...]:
    if isinstance(description, NetworkDescription):
        return description.layers
    biases = np.array([description.intercept])
    return (LayerDescription(description.weights[None, :], biases, "identity"),)


def _tensor(onnx: Any, name: str, values: NDArray[np.float64]) -> Any:
    return onnx.numpy_helper.from_array(np.asarray(values, dtype=np.float64), name)
