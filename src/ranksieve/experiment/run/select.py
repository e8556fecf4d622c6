"""What a selector takes for each number of features, and the models of an embedded method."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ranksieve import catalog
from ranksieve.data import RankingData
from ranksieve.experiment.run.shared import LookUp, ending_of, watched, with_computed
from ranksieve.experiment.store.store import Part
from ranksieve.experiment.study import ALL


def selection(setting: str, numbers: Sequence[int], train: RankingData, look_up: LookUp) -> Part:
    """Return the features that a selector keeps for each number, in its order."""
    selector = with_computed(catalog.parse(setting, "selectors"), look_up, train)
    with watched() as cost:
        sets = selector.feature_sets(train)
        features = {f"{n}": np.asarray(sets.of_size(n), np.int64) for n in numbers if n != ALL}
    if ALL in numbers:
        features[f"{ALL}"] = np.arange(train.n_features, dtype=np.int64)
    return Part({"warnings": cost.warnings}, features, cost.seconds, cost.peak_memory)


@dataclass(frozen=True, eq=False)
class _Solved:
    weights: NDArray[np.float64]
    ending: dict[str, Any]
    seconds: float
    peak_memory: int | None


def models(settings: Sequence[str], train: RankingData, look_up: LookUp) -> Part:
    """Return the weights of each setting's model, what each cost, and how it ended.

    Settings that differ only in the strength are one path, each model started from the one
    before; others are fits of their own.
    """
    solved: dict[str, _Solved] = {}
    for family in _families(settings):
        selector = with_computed(catalog.parse(family[0], "selectors"), look_up, train)
        solved |= zip(family, _solutions(selector, family, train), strict=True)
    solutions = [solved[setting] for setting in settings]
    peaks = [each.peak_memory for each in solutions if each.peak_memory is not None]
    seconds = np.array([each.seconds for each in solutions])
    return Part(
        {"endings": [each.ending for each in solutions]},
        {"weights": np.array([each.weights for each in solutions]), "seconds": seconds},
        float(seconds.sum()),
        max(peaks, default=None),
    )


def trace(setting: str, train: RankingData, look_up: LookUp) -> Part:
    """Return how the fit of one setting goes, from 0; nothing where it keeps no trace."""
    selector = with_computed(catalog.parse(setting, "selectors"), look_up, train)
    with watched() as cost:
        steps = getattr(selector.fit(train), "trace_", None)
    names = ("seconds", "objectives", "gaps") if steps is not None else ()
    arrays = {name: getattr(steps, name) for name in names}
    return Part({}, arrays, cost.seconds, cost.peak_memory)


def largest(weights: NDArray[np.float64], number: int) -> NDArray[np.int64]:
    """Return the features with the largest weights, at most `number` of them, none with 0.

    Examples
    --------
    >>> largest(np.array([0.0, -3.0, 1.0, 2.0]), 2), largest(np.array([0.0, 1.0]), 2)
    (array([1, 3]), array([1]))
    """
    sizes = np.abs(weights)
    order = np.argsort(-sizes, kind="stable")[: np.count_nonzero(sizes)]
    return order[:number].astype(np.int64)


def _families(settings: Sequence[str]) -> list[list[str]]:
    """Return the settings in groups that differ in the strength only, the strongest first."""
    groups: dict[str, list[tuple[float, str]]] = {}
    for text in settings:
        selector = catalog.parse(text, "selectors")
        strength = selector.strength_on_path()
        if strength is None:
            groups[text] = [(0.0, text)]
            continue
        family = repr(selector.set_params(**{selector.strength_parameter: None}))
        groups.setdefault(family, []).append((-strength, text))
    return [
        [text for _, text in sorted(group, key=lambda member: member[0])]
        for group in groups.values()
    ]


def _solutions(selector: Any, family: Sequence[str], train: RankingData) -> Iterator[_Solved]:
    if len(family) == 1:
        with watched() as cost:
            fitted = clone(selector).fit(train)
        weights = fitted.feature_weights_
        yield _Solved(weights, ending_of(fitted, cost), cost.seconds, cost.peak_memory)
        return
    strengths = [catalog.parse(text, "selectors").strength_on_path() for text in family]
    with watched() as cost:
        path = selector.path(train, strengths=strengths)
    for row in range(len(family)):
        content: dict[str, Any] = {
            "converged": bool(path.converged[row]),
            "n_iter": int(path.n_iter[row]),
            "objective": float(path.objectives[row]),
            "gap": float(path.gaps[row]),
        }
        if cost.warnings:
            content["warnings"] = cost.warnings
        yield _Solved(path.weights[row], content, cost.seconds / len(family), cost.peak_memory)
