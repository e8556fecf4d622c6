"""The best of many linear hypotheses, and their average."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


class Committee:
    """At most `size` weight vectors: the best that were offered, the earlier of equals.

    Examples
    --------
    >>> committee = Committee(2)
    >>> for value, weight in [(0.25, 8.0), (0.75, 1.0), (0.5, 4.0)]:
    ...     committee.offer(value, np.array([weight]))
    >>> committee.values
    [0.75, 0.5]
    >>> committee.average()  # (0.75 * 1 + 0.5 * 4) / 1.25
    array([2.2])
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self.values: list[float] = []
        self._members: list[NDArray[np.float64]] = []

    def offer(self, value: float, weights: NDArray[np.float64]) -> None:
        """Take in a hypothesis by its value, and drop the worst where there are too many."""
        position = len(self.values)
        while position and value > self.values[position - 1]:
            position -= 1
        if position < self._size:
            self.values.insert(position, value)
            self._members.insert(position, weights)
            del self.values[self._size :], self._members[self._size :]

    def average(self) -> NDArray[np.float64]:
        """Return the mean of the members by value; of all alike where no value is above 0."""
        votes = np.maximum(self.values, 0.0)
        if not votes.any():
            votes = np.ones(len(votes))
        mean: NDArray[np.float64] = (votes / votes.sum()) @ np.stack(self._members)
        return mean

    def __len__(self) -> int:
        return len(self.values)
