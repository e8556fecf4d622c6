"""What the methods of a study share, from the store: importances, similarities, traces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np

from ranksieve import catalog
from ranksieve.experiment.folds import FoldFacts
from ranksieve.experiment.results.outcomes import Trace
from ranksieve.experiment.run.shared import COMPUTED, components
from ranksieve.experiment.store.store import Store
from ranksieve.experiment.study import Study


def shared_numbers(
    store: Store, study: Study, folds: Sequence[FoldFacts], kind: str
) -> dict[str, dict[str, Any]]:
    """Return data set to component to what was computed of each fold, where all have it.

    Of components that the study's selectors use; other studies of the store may have more.
    """
    wanted = _components(study, kind)
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for fold in folds:
        for fingerprint, component, part in store.parts([fold.fingerprint], kind):
            if component in wanted:
                of_data = found.setdefault(fold.data, {})
                # By fold: another version of the package may have computed it too.
                of_data.setdefault(component, {})[fingerprint] = part.arrays["numbers"]
    marks = {name: [f.fingerprint for f in folds if f.data == name] for name in found}
    return {
        data: {
            text: np.array([stack[mark] for mark in marks[data]])
            for text, stack in of.items()
            if set(stack) == set(marks[data])
        }
        for data, of in found.items()
    }


def traces(store: Store, study: Study, folds: Sequence[FoldFacts]) -> Iterator[Trace]:
    """Yield how the fits of the study's embedded methods went."""
    wanted = {setting for one in study.selector_grids for setting in one.settings}
    for fold in folds:
        found = {
            component: part
            for _, component, part in store.parts([fold.fingerprint], "trace")
            if component in wanted and part.arrays
        }
        for component, part in found.items():
            yield Trace(fold.data, fold.name, component, **part.arrays)


class SharedSeconds:
    """What the components took that a selector shares with others: it would need them alone too."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._of_fold: dict[str, dict[tuple[str, str], float]] = {}

    def of(self, setting: str, fingerprint: str) -> float:
        """Return the seconds of a selector's importance and similarity on a fold."""
        if fingerprint not in self._of_fold:
            self._of_fold[fingerprint] = {
                (kind, component): part.seconds
                for kind in COMPUTED
                for _, component, part in self._store.parts([fingerprint], kind)
            }
        known = self._of_fold[fingerprint]
        return sum(known.get(one, 0.0) for one in _components_of(setting))


@cache
def _components_of(setting: str) -> frozenset[tuple[str, str]]:
    if not setting:
        return frozenset()
    return frozenset(components(catalog.parse(setting, "selectors")))


def _components(study: Study, kind: str) -> set[str]:
    settings = [one.settings[0] for one in study.selector_grids]
    return {text for one in settings for name, text in _components_of(one) if name == kind}
