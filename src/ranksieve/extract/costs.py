"""What features cost, measured while they are computed.

Time is that of this thread's processor, so that other work on the machine does not count.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import thread_time

from ranksieve.data.atomic import replacing
from ranksieve.extract.features.families import FeatureGroup


@dataclass
class Stopwatch:
    """Adds up seconds by what they were spent on.

    Examples
    --------
    >>> watch = Stopwatch()
    >>> with watch.on("title.counts"):
    ...     total = sum(range(1000))
    >>> watch.seconds["title.counts"] > 0
    True
    """

    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def on(self, *keys: str) -> Iterator[None]:
        """Count the time inside the `with`, in equal shares where there are several keys."""
        start = thread_time()
        try:
            yield
        finally:
            share = (thread_time() - start) / len(keys)
            for key in keys:
                self.seconds[key] = self.seconds.get(key, 0.0) + share


@dataclass(frozen=True)
class FeatureTimes:
    """What each feature costs, in microseconds per document of a query.

    A feature's group is what it reads: the posting lists of a field, the positions in it, its
    lengths, or the links. The sieve pays for a group once, whichever of its features stay. Its
    price is therefore all that was spent on the group: reading, and the arithmetic of all its
    features. `arithmetic` says how much of it a feature alone is: the price of a group falls by
    about that with each feature that goes, which the sieve does not know.

    Attributes
    ----------
    groups : features and their groups, in the order of the columns
    prices : of each group
    arithmetic : of each feature; features that are computed together share their time equally
    n_documents : documents of queries over which the time is the mean
    """

    groups: Sequence[FeatureGroup]
    prices: dict[str, float]
    arithmetic: dict[str, float]
    n_documents: int

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write a CSV of feature, cost, group and arithmetic, whole or not at all."""
        with (
            replacing(path) as temporary,
            temporary.open("w", encoding="utf-8", newline="") as file,
        ):
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(("feature", "cost", "group", "arithmetic"))
            for entry in self.groups:
                price, share = self.prices[entry.group], self.arithmetic[entry.feature]
                writer.writerow((entry.feature, f"{price:.4g}", entry.group, f"{share:.4g}"))


def feature_times(
    groups: Sequence[FeatureGroup], watch: Stopwatch, n_documents: int
) -> FeatureTimes:
    """Return the costs from what a stopwatch counted for groups and for features."""
    unit = 1e6 / max(n_documents, 1)
    arithmetic = {entry.feature: watch.seconds.get(entry.feature, 0.0) * unit for entry in groups}
    prices = {
        group: watch.seconds.get(group, 0.0) * unit
        + sum(arithmetic[entry.feature] for entry in groups if entry.group == group)
        for group in dict.fromkeys(entry.group for entry in groups)
    }
    return FeatureTimes(groups, prices, arithmetic, n_documents)
