"""Parts that trials share, computed once in a store, and what a computation costs."""

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
from ranksieve.importance import Importance
from ranksieve.selectors import Selector, SharedComponent
from ranksieve.similarity import Doubled, Similarity

# Seconds between two looks at what another process is at.
PAUSE = 0.05
_PROCESS = Path("/proc/self")

# From a component of a selector to its numbers.
LookUp = Callable[[SharedComponent], NDArray[np.float64]]


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
            self._seen[key] = self._from_store(key, kind, component, compute)
        return self._seen[key]

    def numbers(self, train: RankingData) -> LookUp:
        """Return what looks up importances and similarities of the train part."""

        def look_up(shared: SharedComponent) -> NDArray[np.float64]:
            def compute() -> Part:
                with watched() as cost:
                    numbers = shared.numbers(train)
                # For charts, so that no trial pays for it.
                random = _random_order(shared, train)
                about = {"random_order": random} if np.isfinite(random) else {}
                return Part(about, {"numbers": numbers}, cost.seconds, cost.peak_memory)

            return self.part(shared.parameter, shared.text, compute).arrays["numbers"]

        return look_up

    def _from_store(self, key: str, kind: str, component: str, compute: Callable[[], Part]) -> Part:
        while (part := self._store.part(key)) is None:
            if not self._claims.take(key):
                time.sleep(PAUSE)
                continue
            try:
                # It may have been finished between the two looks.
                if self._store.part(key) is None:
                    self._store.add_part(key, self._fingerprint, kind, component, compute())
            finally:
                self._claims.release(key)
        return part


def _random_order(shared: SharedComponent, data: RankingData) -> float:
    """Return the importance of a feature that orders documents at random; NaN for others."""
    if shared.parameter == "importance" and isinstance(shared.component, Importance):
        return shared.component.random_order(data)
    return np.nan


@dataclass(frozen=True, eq=False)
class Precomputed(Importance, Similarity):
    """Numbers that were computed before, in the place of what computes them.

    Of other data, such as the remaining queries in cross-validation, they are computed.
    """

    computed: NDArray[np.float64]
    component: Any
    train: RankingData

    def __post_init__(self) -> None:
        # What a similarity says of its numbers holds of them here, too.
        for name in ("range", "ignores_sign"):
            if hasattr(self.component, name):
                object.__setattr__(self, name, getattr(self.component, name))

    def scores(self, data: RankingData) -> NDArray[np.float64]:
        """Return the importance of each feature."""
        if self._is_of(data):
            return self.computed
        scores: NDArray[np.float64] = self.component.scores(data)
        return scores

    def better_than_random(self, data: RankingData) -> NDArray[np.bool_]:
        """Return which features the importance itself finds better than a random order."""
        better: NDArray[np.bool_] = self.component.better_than_random(data)
        return better

    def matrix(self, data: RankingData) -> NDArray[np.float64]:
        """Return the similarity of features."""
        if self._is_of(data):
            return self.computed
        matrix: NDArray[np.float64] = self.component.matrix(data)
        return matrix

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
        doubled: Doubled = self.component.doubled(
            data, self.matrix(data) if matrix is None else matrix
        )
        return doubled


def with_computed(selector: Selector, look_up: LookUp, train: RankingData) -> Selector:
    """Return the selector whose components are replaced by their numbers of `train`."""
    components = {
        shared.parameter: Precomputed(look_up(shared), shared.component, train)
        for shared in selector.shared_components()
    }
    changed: Selector = selector.set_params(**components)
    return changed


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


def ending_of(fitted: Any, cost: Cost) -> dict[str, Any]:
    """Return how a fit ended, as far as the estimator says so, and what it warned of."""
    ending = fitted.ending()
    numbers = {
        "C": ending.settled.get("C"),
        "converged": ending.converged,
        "n_iter": ending.n_iter,
        "objective": ending.objective,
        "gap": ending.gap,
        "warnings": cost.warnings or None,
    }
    return {name: number for name, number in numbers.items() if number is not None}


def _reset_peak() -> bool:
    """Start the count of the process's peak memory again, where the system can (Linux)."""
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
