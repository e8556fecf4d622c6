"""Which engine takes an export, and what agreement with `predict` is."""

from __future__ import annotations

import re

import numpy as np

from ranksieve.export import Export
from ranksieve.rankers import LinearDescription, TreeDescription, TreesDescription
from tests.engines.engine import Task

# Targets with a version: the rules for missing values differ, and for Solr whose code runs.
VERSIONS = {
    "elasticsearch": ("elasticsearch", None),
    "elasticsearch-8.9.2": ("elasticsearch", "8.9.2"),
    "opensearch-2.19": ("opensearch", "2.19"),
    "opensearch-3.7": ("opensearch", "3.7"),
    "opensearch-3.8": ("opensearch", "3.8"),
    "solr": ("solr", "8.11"),
    "solr9": ("solr", None),
    "vespa": ("vespa", None),
    "ranklib": ("ranklib", None),
}
LARGEST = float(np.finfo(np.float32).max)


def task(engine: str, export: Export, names, X) -> Task:
    """What an engine computes for rows of X from an export."""
    model = export.content
    if engine == "vespa":
        engine = f"vespa/{export.kind}"
        if export.kind == "expression":
            model = re.search(r"expression: (.*)\n", model)[1]
    return Task(engine, model, tuple(names), X)


def sizes(description, X) -> np.ndarray:
    """For each row the sum of the sizes of what is added up: rounding is relative to it."""
    X = np.nan_to_num(np.asarray(X, dtype=np.float64))
    if isinstance(description, LinearDescription):
        return np.abs(X) @ np.abs(description.weights) + abs(description.intercept)
    if isinstance(description, TreesDescription):
        largest = sum(np.abs(tree.value).max() for tree in description.trees)
        return np.full(len(X), abs(description.base_score) + largest)
    total = np.abs(X)
    for layer in description.layers:
        total = total @ np.abs(layer.weights).T + np.abs(layer.biases)
    return total[:, 0]


def assert_agree(scores, expected, size, label: str = "") -> None:
    """Scores are within 1e-6 of what is added up, and documents in the same order."""
    assert scores.shape == expected.shape, label
    apart = np.abs(scores - expected) / np.maximum(size, 1e-300)
    worst = int(np.argmax(apart))
    assert apart[worst] <= 1e-6, (label, worst, scores[worst], expected[worst])
    order = np.argsort(expected, kind="stable")
    clear = np.diff(expected[order]) > 2e-6 * np.maximum(size[order][1:], size[order][:-1])
    assert (np.diff(scores[order])[clear] > 0).all(), label


def on_thresholds(description: TreesDescription, X, n_rows: int = 3000) -> np.ndarray:
    """Rows of X in which a feature has the value of a split, or that of a neighbour in float32."""
    rows = []
    for feature in description.used.tolist():
        splits = [tree.threshold[tree.feature == feature] for tree in description.trees]
        with np.errstate(over="ignore"):
            values = np.unique(np.concatenate(splits)).astype(np.float32)
            ends = [np.nextafter(values, np.float32(end)) for end in (-np.inf, np.inf)]
        near = np.unique(np.concatenate([values, *ends, np.zeros(1, np.float32)]))
        near = near[np.isfinite(near)]
        block = X[np.arange(len(near)) % len(X)].copy()
        block[:, feature] = near
        rows.append(block)
    every = np.concatenate(rows)
    return every[np.random.default_rng(0).permutation(len(every))[:n_rows]]


def walked(description: TreesDescription, X) -> np.ndarray:
    """The scores of trees in plain loops: left where x <= threshold, missing as the node says."""
    return np.array(
        [
            description.base_score + sum(_leaf(tree, row) for tree in description.trees)
            for row in np.asarray(X, dtype=np.float64)
        ]
    )


def _leaf(tree: TreeDescription, row) -> float:
    node = 0
    while tree.feature[node] != -1:
        value = row[tree.feature[node]]
        left = tree.missing_left[node] if np.isnan(value) else value <= tree.threshold[node]
        node = int(tree.left[node] if left else tree.right[node])
    return float(tree.value[node])
