"""What the methods of a study share, from the store: importances, similarities, traces."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np

from ranksieve import catalog
from ranksieve.experiment.folds import FoldFacts
from ranksieve.experiment.results.outcomes import Trace
from ranksieve.experiment.store.store import Part, Store
from ranksieve.experiment.study import Study
from ranksieve.selectors import Selector


def shared_numbers(
    store: Store, study: Study, folds: Sequence[FoldFacts], kind: str
) -> dict[str, dict[str, Any]]:
    """Return data set to component to what was computed of each fold, where all have it.

    Of components that the study's selectors use; other studies of the store may have more.
    """
    return _of_all_folds(store, study, folds, kind, lambda part: part.arrays["numbers"])


def random_orders(
    store: Store, study: Study, folds: Sequence[FoldFacts]
) -> dict[str, dict[str, float]]:
    """Return data set to importance to the mean over folds of what a random order scores.

    Only of importances that were stored with it in all folds: stores of older versions, and what
    was computed into them before, do not have it.
    """
    stacks = _of_all_folds(
        store, study, folds, "importance", lambda part: part.content.get("random_order")
    )
    return {
        data: {text: float(stack.mean()) for text, stack in of_data.items()}
        for data, of_data in stacks.items()
    }


def _of_all_folds(
    store: Store,
    study: Study,
    folds: Sequence[FoldFacts],
    kind: str,
    read: Callable[[Part], Any],
) -> dict[str, dict[str, Any]]:
    """Return data set to component to what `read` returns for each fold, where none is None."""
    components = _components(study, kind)
    values: dict[str, dict[str, dict[str, Any]]] = {}
    for fold in folds:
        for fingerprint, component, part in store.parts([fold.fingerprint], kind):
            value = read(part)
            if component in components and value is not None:
                of_data = values.setdefault(fold.data, {})
                # By fold: another version of the package may have computed it too.
                of_data.setdefault(component, {})[fingerprint] = value
    fingerprints = {name: [f.fingerprint for f in folds if f.data == name] for name in values}
    return {
        data: {
            text: np.array([stack[fingerprint] for fingerprint in fingerprints[data]])
            for text, stack in by_component.items()
            if set(stack) == set(fingerprints[data])
        }
        for data, by_component in values.items()
    }


def traces(store: Store, study: Study, folds: Sequence[FoldFacts]) -> Iterator[Trace]:
    """Yield how the fits of the study's embedded methods went."""
    settings = {setting for grid in study.selector_grids for setting in grid.settings}
    for fold in folds:
        parts = {
            component: part
            for _, component, part in store.parts([fold.fingerprint], "trace")
            if component in settings and part.arrays
        }
        for component, part in parts.items():
            yield Trace(fold.data, fold.name, component, **part.arrays)


class SharedSeconds:
    """What the components took that a selector shares with others: it would need them alone too."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._seconds: dict[tuple[str, str], dict[str, float]] = {}

    def of(self, setting: str, fingerprint: str) -> float:
        """Return the seconds of a selector's importance and similarity on a fold."""
        return sum(
            self._of_kind(kind, fingerprint).get(text, 0.0)
            for kind, text in _components_of(setting)
        )

    def _of_kind(self, kind: str, fingerprint: str) -> dict[str, float]:
        if (kind, fingerprint) not in self._seconds:
            self._seconds[kind, fingerprint] = {
                text: part.seconds for _, text, part in self._store.parts([fingerprint], kind)
            }
        return self._seconds[kind, fingerprint]


@cache
def _components_of(setting: str) -> tuple[tuple[str, str], ...]:
    """Return parameter and text of the components that a selector shares with others."""
    if not setting:
        return ()
    selector: Selector = catalog.parse(setting, "selectors")
    return tuple((shared.parameter, shared.text) for shared in selector.shared_components())


def _components(study: Study, kind: str) -> set[str]:
    settings = [grid.settings[0] for grid in study.selector_grids]
    pairs = [pair for setting in settings for pair in _components_of(setting)]
    return {text for parameter, text in pairs if parameter == kind}
