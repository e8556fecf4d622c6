"""Parts that trials share: computed once in a store, by whichever process comes first."""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import RankingData
from ranksieve.experiment.claims import Claims
from ranksieve.experiment.known import COMPUTED, LookUp
from ranksieve.experiment.plan import digest
from ranksieve.experiment.store import Part, Store
from ranksieve.experiment.watching import watched
from ranksieve.importance import as_importance

# Seconds between two looks at what another process is at.
PAUSE = 0.05


class Shared:
    """The parts of one fold."""

    def __init__(self, store: Store, claims: Claims, fingerprint: str) -> None:
        self._store, self._claims, self._fingerprint = store, claims, fingerprint
        self._version = import_module("ranksieve").__version__
        self._seen: dict[str, Part] = {}

    def part(self, kind: str, component: str, compute: Callable[[], Part]) -> Part:
        """Return a part: from memory, from the store, or computed now, and kept in both."""
        key = digest("part", self._fingerprint, kind, component, self._version)
        if key not in self._seen:
            self._seen[key] = self._found(key, kind, component, compute)
        return self._seen[key]

    def numbers(self, train: RankingData) -> LookUp:
        """Return what looks up importances and similarities of the train part."""

        def look_up(name: str, text: str, spelled: Any) -> NDArray[np.float64]:
            def compute() -> Part:
                with watched() as cost:
                    found = COMPUTED[name](spelled, train)
                # For charts, so that no trial pays for it.
                is_importance = name == "importance"
                random = as_importance(spelled).random_order(train) if is_importance else np.nan
                about = {"random_order": random} if np.isfinite(random) else {}
                return Part(about, {"numbers": found}, cost.seconds, cost.peak_memory)

            return self.part(name, text, compute).arrays["numbers"]

        return look_up

    def _found(self, key: str, kind: str, component: str, compute: Callable[[], Part]) -> Part:
        while (found := self._store.part(key)) is None:
            if not self._claims.take(key):
                time.sleep(PAUSE)
                continue
            try:
                # It may have been finished between the two looks.
                if self._store.part(key) is None:
                    self._store.add_part(key, self._fingerprint, kind, component, compute())
            finally:
                self._claims.release(key)
        return found
