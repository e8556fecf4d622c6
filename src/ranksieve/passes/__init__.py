"""Passes over blocks: a partial result of each, combined in a fixed order."""

from ranksieve.passes.base import Pass
from ranksieve.passes.run import run
from ranksieve.passes.threads import n_threads, threads

__all__ = ["Pass", "n_threads", "run", "threads"]
