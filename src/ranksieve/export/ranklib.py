"""RankLib: linear models, boosted stumps and ensembles of trees, with features by number.

RankLib's LinearRegRank and RankBoost compute in double; Ensemble has thresholds and leaves of
float32, goes left where x <= threshold, and adds up in float32. A missing feature is 0.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ranksieve.catalog import suggestion
from ranksieve.errors import ParameterError
from ranksieve.export.prepare import check_used, nested, used_names, with_base
from ranksieve.export.result import FILE, Export
from ranksieve.export.thresholds import single, single_below, text
from ranksieve.rankers import (
    Description,
    LinearDescription,
    NetworkDescription,
    TreeDescription,
    TreesDescription,
)

_LEFT_OUT = (
    "A feature that a line leaves out is 0, but RankLib refuses a line that ends before a feature "
    "that the model reads: write the last one on every line."
)


def ranklib_export(
    description: Description, name: str, *, feature_set: Sequence[str] | None
) -> Export:
    """Return RankLib's text of a model, with features by the numbers of `ordinals`."""
    check_used(description, "RankLib")
    numbers = ordinals(description, feature_set)
    kind, content = model_text(description, numbers)
    listed = ", ".join(
        f"{numbers[feature]} {description.names[feature]}" for feature in description.used
    )
    return Export(
        target="ranklib",
        name=name,
        kind=kind,
        content=content,
        suffix=".txt",
        features=used_names(description),
        notes=(f"Features by number: {listed}.", _LEFT_OUT),
        calls=(f"java -jar RankLib.jar -load {FILE} -rank documents.txt -score scores.txt",),
    )


def ordinals(description: Description, feature_set: Sequence[str] | None) -> dict[int, int]:
    """Return the number of each feature that a model reads.

    Its place in the feature set, counted from 1. Without a set, the name itself where all names
    are whole numbers, as in LETOR text, or else the place among the model's features.
    """
    if feature_set is not None:
        places = {name: place for place, name in enumerate(feature_set, start=1)}
        return {feature: places[description.names[feature]] for feature in description.used}
    names = description.names
    if all(name.isascii() and name.isdecimal() and int(name) > 0 for name in names):
        return {feature: int(names[feature]) for feature in description.used}
    return {feature: feature + 1 for feature in description.used.tolist()}


def check_in_set(description: Description, feature_set: Sequence[str]) -> None:
    """Raise if a feature that the model reads is not in the set."""
    absent = [name for name in used_names(description) if name not in set(feature_set)]
    if absent:
        raise ParameterError(
            f"the model reads the feature {absent[0]!r}, which the feature set does not have"
            f"{suggestion(absent[0], feature_set)} {len(absent)} of the model's features are not "
            "in it. Give names that match."
        )


def model_text(description: Description, numbers: dict[int, int]) -> tuple[str, str]:
    """Return RankLib's name of the kind of model, and its text."""
    if isinstance(description, LinearDescription):
        return "Linear Regression", _linear(description, numbers)
    if isinstance(description, NetworkDescription):
        raise ParameterError(
            "RankLib's networks put a sigmoid on the score, so that scores would not be those of "
            "the model. Take Solr, Vespa or ONNX for a network, or a linear one (n_hidden=0)."
        )
    if _are_steps(description):
        return "RankBoost", _steps(description, numbers)
    return "LambdaMART", _ensemble(description, numbers)


def _linear(description: LinearDescription, numbers: dict[int, int]) -> str:
    weights = [
        f"{number}:{float(description.weights[feature])!r}" for feature, number in numbers.items()
    ]
    line = " ".join([f"0:{float(description.intercept)!r}", *weights])
    return f"## Linear Regression\n## Lambda = 1.0E-10\n{line}\n"


def _are_steps(description: TreesDescription) -> bool:
    """Tell whether all trees ask one question and give 0 below it: RankBoost's weak rankers."""
    steps = [tree for tree in description.trees if tree.value.any()]
    return description.base_score == 0.0 and all(
        len(tree.feature) == 3 and tree.value[tree.left[0]] == 0.0 for tree in steps
    )


def _steps(description: TreesDescription, numbers: dict[int, int]) -> str:
    steps = [
        f"{numbers[int(tree.feature[0])]}:{float(tree.threshold[0])!r}:"
        f"{float(tree.value[tree.right[0]])!r}"
        for tree in description.trees
        if tree.value.any()
    ]
    return f"## RankBoost\n## Iteration = {len(steps)}\n{' '.join(steps)}\n"


def _ensemble(description: TreesDescription, numbers: dict[int, int]) -> str:
    trees = with_base(description)
    lines = [f"## LambdaMART\n## No. of trees = {len(trees)}\n\n<ensemble>"]
    for index, tree in enumerate(trees, start=1):
        lines += [f'\t<tree id="{index}" weight="1.0">', "\t\t<split>"]
        lines += [*_tree_lines(tree, numbers), "\t\t</split>", "\t</tree>"]
    return "\n".join([*lines, "</ensemble>", ""])


def _tree_lines(tree: TreeDescription, numbers: dict[int, int]) -> list[str]:
    values, thresholds = single(tree.value, "a leaf"), single_below(tree.threshold)

    def leaf(node: int) -> list[str]:
        return [f"<output> {text(values[node])!r} </output>"]

    def split(node: int, left: list[str], right: list[str]) -> list[str]:
        return [
            f"<feature> {numbers[int(tree.feature[node])]} </feature>",
            f"<threshold> {_number(thresholds[node])} </threshold>",
            '<split pos="left">',
            *left,
            "</split>",
            '<split pos="right">',
            *right,
            "</split>",
        ]

    return [f"\t\t\t{line}" for line in nested(tree, leaf, split)]


def _number(threshold: np.float32) -> str:
    """Return a threshold as Java reads it, which has a word for infinity."""
    return repr(text(threshold)) if np.isfinite(threshold) else "-Infinity"
