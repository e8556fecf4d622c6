"""What can go wrong with a run, apart from a trial's own error, which is recorded."""

from __future__ import annotations

from ranksieve.errors import RanksieveError


class StoreError(RanksieveError, OSError):
    """The store cannot be written or read: nothing that was finished is lost."""


class RunError(RanksieveError, RuntimeError):
    """A run ended before everything was done: says why, and how to go on."""
