"""The one interface of whatever reads rows."""

from __future__ import annotations

import operator
from typing import Any, Protocol, TypeVar, cast

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


class SumPass:
    """A pass whose results are added; subclasses write `partial`.

    Results are numbers, arrays or anything else with a `+`, or tuples of them, which are added
    part by part.
    """

    def combine(self, left: Partial, right: Partial) -> Partial:
        """Return the sum."""
        if isinstance(left, tuple):
            parts: Any = zip(left, cast(tuple[Any, ...], right), strict=True)
            return cast(Partial, tuple(ours + theirs for ours, theirs in parts))
        total: Partial = operator.add(left, right)
        return total
