"""The one interface of whatever reads rows."""

from __future__ import annotations

import operator
from typing import Any, Protocol, TypeVar

from ranksieve.data import Block

Partial = TypeVar("Partial")


class Pass(Protocol[Partial]):
    """A partial result of a block, and an associative combination of two.

    `partial` runs in several threads at once and must not change the pass. `combine` may
    change and return `left`; it is called in the order of the blocks.
    """

    def partial(self, block: Block) -> Partial:
        """Return what the block contributes."""
        ...

    def combine(self, left: Partial, right: Partial) -> Partial:
        """Return the contribution of left's and right's blocks together."""
        ...


class Sum:
    """A pass whose results are numbers or arrays that add up; subclasses write `partial`."""

    def combine(self, left: Partial, right: Partial) -> Partial:
        """Return the sum."""
        total: Partial = operator.add(left, right)
        return total


class Sums:
    """A pass whose results are tuples that add up part by part; subclasses write `partial`."""

    def combine(self, left: Any, right: Any) -> Any:
        """Return the sums."""
        return tuple(ours + theirs for ours, theirs in zip(left, right, strict=True))
