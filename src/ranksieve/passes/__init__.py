"""Passes over blocks: a partial result of each, combined in a fixed order."""

from ranksieve.passes.base import Pass
from ranksieve.passes.run import pieces, run

__all__ = ["Pass", "pieces", "run"]
