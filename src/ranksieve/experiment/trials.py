"""Jobs, and the trials that each of them makes.

A job is what one process does in one go: on one fold, one setting of a selector with every number
of features and every ranker, or all models of an embedded method. A trial is one model that is
measured: its identity says what it is made from, and nothing about the study that asked for it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from typing import Any

from ranksieve.experiment.grids import Grid

# What a job does: all features, a selector in front of rankers, or a model that selects.
PLAIN, SELECTED, EMBEDDED = "all", "selector", "embedded"


@dataclass(frozen=True)
class Trial:
    """What a trial is made from.

    Attributes
    ----------
    fingerprint : of the fold's three parts
    variant : "", "weights" or "refit"
    selector : text of the setting; with its grid for "refit", where validation chooses one of it
    number : features asked for, or ALL
    ranker : text of the setting; "" for "weights"
    among : for "weights" the whole grid, whose models start from each other; else ""
    measures, seed, version
    """

    fingerprint: str
    variant: str
    selector: str
    number: int
    ranker: str
    among: str
    measures: tuple[str, ...]
    seed: int
    version: str

    @cached_property
    def key(self) -> str:
        """The identity of the trial as text: equal for trials made from the same things."""
        return digest("trial", *(getattr(self, part.name) for part in fields(self)))


@dataclass(frozen=True)
class Job:
    """What one process does in one go on one fold, whose position in its source is kept."""

    data: str
    source: str
    position: int
    fold: str
    fingerprint: str
    kind: str
    method: Grid
    rankers: tuple[Grid, ...]
    numbers: tuple[int, ...]
    variants: tuple[str, ...]
    measures: tuple[str, ...]
    seed: int
    version: str

    @cached_property
    def key(self) -> str:
        """The identity of the job as text: what its trials are made from.

        Not from their keys: a plan may have millions.
        """
        method = [self.method.text if self.kind == EMBEDDED else "", self.method.settings]
        settings = [ranker.settings for ranker in self.rankers]
        common = [self.fingerprint, self.numbers, self.measures, self.seed, self.version]
        return digest("job", self.kind, self.variants, *method, settings, *common)

    @property
    def n_trials(self) -> int:
        """How many trials the job has, counted without making them."""
        return len(self.numbers) * (self._n_weights + self._n_trained)

    @property
    def _n_weights(self) -> int:
        return len(self.method.settings) if "weights" in self.variants else 0

    @property
    def _n_trained(self) -> int:
        if self.kind == EMBEDDED and "refit" not in self.variants:
            return 0
        return sum(len(ranker.settings) for ranker in self.rankers)

    @cached_property
    def trials(self) -> tuple[Trial, ...]:
        """All trials of the job, in the order in which equal ones are preferred."""
        return tuple(trial for _, trial in self.labelled_trials)

    @cached_property
    def labelled_trials(self) -> tuple[tuple[str, Trial], ...]:
        """The same, each with the label of its ranker, "" where it has none.

        Rankers with settings in common have trials in common.
        """
        return tuple(self._trials())

    def trial(self, variant: str, selector: str, number: int, ranker: str) -> Trial:
        """Return the identity of one trial."""
        return Trial(
            self.fingerprint,
            variant,
            selector,
            number,
            ranker,
            self.method.text if variant == "weights" else "",
            self.measures,
            self.seed,
            self.version,
        )

    def _trials(self) -> Iterator[tuple[str, Trial]]:
        if "weights" in self.variants:
            for number in self.numbers:
                for setting in self.method.settings:
                    yield "", self.trial("weights", setting, number, "")
        if self.kind == EMBEDDED and "refit" not in self.variants:
            return
        variant, selector = self._behind_rankers
        for number in self.numbers:
            for ranker in self.rankers:
                for setting in ranker.settings:
                    yield ranker.label, self.trial(variant, selector, number, setting)

    @property
    def _behind_rankers(self) -> tuple[str, str]:
        """The variant and the selector of trials with a ranker."""
        if self.kind == EMBEDDED:
            return "refit", self.method.text
        return "", self.method.settings[0]

    def to_json(self) -> str:
        """Return the job as text."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Job:
        """Return the job that `to_json` wrote."""
        content = json.loads(text)
        for name in ("numbers", "variants", "measures"):
            content[name] = tuple(content[name])
        content["method"] = _grid(content["method"])
        content["rankers"] = tuple(_grid(ranker) for ranker in content["rankers"])
        return cls(**content)


def digest(*parts: Any) -> str:
    """Return a short text that stands for its parts."""
    text = json.dumps(parts, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _grid(content: dict[str, Any]) -> Grid:
    return Grid(content["label"], content["text"], tuple(content["settings"]))
