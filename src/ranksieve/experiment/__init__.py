"""Experiments: selection methods compared under one protocol, in a store that survives."""

from __future__ import annotations

from ranksieve.experiment.outcomes import (
    ALL,
    Chosen,
    DataFacts,
    Failure,
    Outcome,
    Results,
    Trace,
)

__all__ = [
    "ALL",
    "Chosen",
    "DataFacts",
    "Failure",
    "Outcome",
    "Results",
    "Trace",
]
