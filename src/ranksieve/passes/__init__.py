"""Passes: over blocks, whose partial results are combined in a fixed order, or over columns."""

from ranksieve.passes.base import Pass, Sum, Sums
from ranksieve.passes.blocks import pieces, run
from ranksieve.passes.columns import by_column

__all__ = ["Pass", "Sum", "Sums", "by_column", "pieces", "run"]
