"""Experiments: selection methods compared under one protocol, in a store that survives.

The stations of a comparison, in the order in which the data passes them:

    grids        a component with the settings that are tried
    study        what is compared with what, on which data; studies in files
    folds        the folds of the data, and what is known of each
    trials       a job, and the trials that it makes
    plan         the jobs of a study
    estimate     how long a plan will take
    run/         does the jobs: selects, trains and measures
    store/       keeps every trial as soon as it is finished
    results/     chooses on validation, and makes the tables of a report
    comparison   `compare`, which goes through all of these
    published/   figures of papers, to stand beside results
"""

from __future__ import annotations

from ranksieve.errors import RunError, StoreError
from ranksieve.experiment.comparison import Forecast, compare, forecast
from ranksieve.experiment.plan import Plan, make_plan
from ranksieve.experiment.results.outcomes import (
    Chosen,
    DataFacts,
    Failure,
    Outcome,
    Results,
    Trace,
)
from ranksieve.experiment.results.read import read_results, studies_in
from ranksieve.experiment.store.store import Store
from ranksieve.experiment.study import ALL, Study, read_study, study_names

__all__ = [
    "ALL",
    "Chosen",
    "DataFacts",
    "Failure",
    "Forecast",
    "Outcome",
    "Plan",
    "Results",
    "RunError",
    "Store",
    "StoreError",
    "Study",
    "Trace",
    "compare",
    "forecast",
    "make_plan",
    "read_results",
    "read_study",
    "studies_in",
    "study_names",
]
