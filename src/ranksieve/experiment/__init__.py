"""Experiments: selection methods compared under one protocol, in a store that survives."""

from __future__ import annotations

from ranksieve.experiment.comparison import compare
from ranksieve.experiment.failures import RunError, StoreError
from ranksieve.experiment.plan import Plan, make_plan
from ranksieve.experiment.results.outcomes import (
    ALL,
    Chosen,
    DataFacts,
    Failure,
    Outcome,
    Results,
    Trace,
)
from ranksieve.experiment.results.read import read_results, studies_in
from ranksieve.experiment.store.store import Store
from ranksieve.experiment.study import Study
from ranksieve.experiment.study_file import read_study, study_names

__all__ = [
    "ALL",
    "Chosen",
    "DataFacts",
    "Failure",
    "Outcome",
    "Plan",
    "Results",
    "RunError",
    "Store",
    "StoreError",
    "Study",
    "Trace",
    "compare",
    "make_plan",
    "read_results",
    "read_study",
    "studies_in",
    "study_names",
]
