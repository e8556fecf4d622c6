"""Passes: over blocks, whose partial results are combined in a fixed order, or over columns."""

from __future__ import annotations

from typing import Any

from ranksieve.errors import warn_caller
from ranksieve.passes.base import Pass, SumPass
from ranksieve.passes.blocks import pieces, run
from ranksieve.passes.columns import by_column
from ranksieve.passes.notes import PieceNotes

__all__ = ["Pass", "PieceNotes", "SumPass", "by_column", "pieces", "run"]


def __getattr__(name: str) -> Any:
    if name in ("Sum", "Sums"):
        warn_caller(f"ranksieve.passes.{name} is SumPass now", DeprecationWarning)
        return SumPass
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
