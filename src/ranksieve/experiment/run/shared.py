"""Parts that trials share: computed once in a store, by whichever process comes first."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ranksieve.data import RankingData
from ranksieve.experiment.store.claims import Claims
from ranksieve.experiment.store.store import Part, Store
from ranksieve.experiment.trials import digest
from ranksieve.importance import Importance, as_importance
from ranksieve.selectors import Selector
from ranksieve.selectors.filters.fsscpr import preference_scores
from ranksieve.similarity import Doubled, Similarity, as_similarity

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
                return Part({}, {"numbers": found}, cost.seconds, cost.peak_memory)

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


# Parameter of a selector to how it is computed.
COMPUTED: dict[str, Callable[[Any, RankingData], NDArray[np.float64]]] = {
    "importance": lambda spelled, data: as_importance(spelled).scores(data),
    "similarity": lambda spelled, data: as_similarity(spelled).matrix(data),
    "preference": lambda spelled, data: preference_scores(as_importance(spelled), data),
}
_TEXT: dict[str, Callable[[Any], str]] = {
    "importance": lambda spelled: repr(as_importance(spelled)),
    "similarity": lambda spelled: repr(as_similarity(spelled)),
    "preference": lambda spelled: repr(as_importance(spelled)),
}

# From a parameter's name, its text and its value to the numbers.
LookUp = Callable[[str, str, Any], NDArray[np.float64]]


@dataclass(frozen=True, eq=False)
class Known(Importance, Similarity):
    """Numbers that were computed before, in the place of what computes them.

    Of other data, such as the rest of the queries in cross-validation, they are computed.
    """

    numbers: NDArray[np.float64]
    spelled: Any
    train: RankingData

    def scores(self, data: RankingData) -> NDArray[np.float64]:
        """Return the importance of each feature."""
        return self.numbers if self._is_of(data) else as_importance(self.spelled).scores(data)

    def better_than_random(self, data: RankingData) -> NDArray[np.bool_]:
        """Return which features the importance itself finds better than a random order."""
        return as_importance(self.spelled).better_than_random(data)

    def matrix(self, data: RankingData) -> NDArray[np.float64]:
        """Return the similarity of features."""
        return self.numbers if self._is_of(data) else as_similarity(self.spelled).matrix(data)

    def _is_of(self, data: RankingData) -> bool:
        """Tell whether data is what the numbers were computed of, by its content."""
        if data is self.train:
            return True
        # Hashing reads all values, and few parts have as many documents.
        same_size = data.n_documents == self.train.n_documents
        return same_size and data.fingerprint == self.train.fingerprint

    def __sklearn_clone__(self) -> Self:
        # A value that never changes need not be copied, nor the data that it holds.
        return self

    def doubled(self, data: RankingData, matrix: NDArray[np.float64] | None = None) -> Doubled:
        """Return what the similarity itself says, which may have to be measured."""
        return as_similarity(self.spelled).doubled(
            data, self.matrix(data) if matrix is None else matrix
        )


def with_known(selector: Selector, look_up: LookUp, train: RankingData) -> Selector:
    """Return the selector with what `look_up` knows of `train` in the place of its components."""
    if getattr(selector, "orient", False):
        return selector  # it asks its importance for directions too, and turns the features
    parameters = selector.get_params(deep=False)
    given = {name: parameters[name] for name in COMPUTED if name in parameters}
    found = {
        name: Known(look_up(name, _TEXT[name](spelled), spelled), spelled, train)
        for name, spelled in given.items()
    }
    changed: Selector = selector.set_params(**found)
    return changed


def components(selector: Selector) -> set[tuple[str, str]]:
    """Return parameter and text of the components that a selector shares with others."""
    if getattr(selector, "orient", False):
        return set()
    parameters = selector.get_params(deep=False)
    return {(name, _TEXT[name](parameters[name])) for name in COMPUTED if name in parameters}


_PROCESS = Path("/proc/self")
# Fitted attributes that say how a fit ended.
_ENDINGS = ("C", "converged", "n_iter", "objective", "gap")


@dataclass
class Cost:
    """Seconds, the process's peak memory in bytes (None where it cannot be told), warnings."""

    seconds: float = 0.0
    peak_memory: int | None = None
    warnings: list[str] = field(default_factory=list)


@contextmanager
def watched() -> Iterator[Cost]:
    """Measure what happens inside; warnings are kept instead of shown.

    Examples
    --------
    >>> with watched() as cost:
    ...     _ = np.zeros(10)
    >>> cost.seconds > 0, cost.warnings
    (True, [])
    """
    cost = Cost()
    resets = _reset_peak()
    started = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            yield cost
        finally:
            cost.seconds = time.perf_counter() - started
            cost.peak_memory = _peak() if resets else None
            cost.warnings = list(dict.fromkeys(str(warning.message) for warning in caught))


def ending(fitted: Any, cost: Cost) -> dict[str, Any]:
    """Return how a fit ended, as far as the estimator says so, and what it warned of."""
    found: dict[str, Any] = {}
    for name in _ENDINGS:
        value = getattr(fitted, f"{name}_", None)
        if isinstance(value, bool | int | float | np.number | np.bool_):
            found[name] = value.item() if isinstance(value, np.generic) else value
    if cost.warnings:
        found["warnings"] = cost.warnings
    return found


def _reset_peak() -> bool:
    """Start the count of the process's peak memory anew, where the system can (Linux)."""
    try:
        (_PROCESS / "clear_refs").write_text("5", encoding="ascii")
    except OSError:
        return False
    return True


def _peak() -> int | None:
    for line in (_PROCESS / "status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return None
