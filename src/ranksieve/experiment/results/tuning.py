"""Tuning in two stages: the setting of each ranker first, with all features."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ranksieve.experiment.plan import PLAIN, Job, Plan, plan_of
from ranksieve.experiment.results.choose import best, candidate
from ranksieve.experiment.store.store import Store
from ranksieve.experiment.study import RANKER_FIRST

Rows = Mapping[str, dict[str, Any]]


def known_plan(plan: Plan, store: Store, *, retry_failed: bool = False) -> Plan:
    """Return the plan with the rankers' settings fixed on the folds whose first stage is done.

    Parameters
    ----------
    plan : Plan
    store : where the trials with all features are looked up
    retry_failed : bool, whether one that ended with an error is still to be done
    """
    study = plan.study
    if study.tune != RANKER_FIRST:
        return plan
    first_stage = {job.fingerprint: job for job in plan.jobs if job.kind == PLAIN}
    fixed = {}
    for fingerprint, job in first_stage.items():
        rows = store.rows_of(trial.key for trial in job.trials)
        if retry_failed:
            rows = {key: row for key, row in rows.items() if row["error"] is None}
        if all(trial.key in rows for trial in job.trials):
            fixed[fingerprint] = _best_settings(job, rows)
    return plan_of(study, plan.folds, fixed)


def _best_settings(job: Job, rows: Rows) -> dict[str, str]:
    """Return ranker to the setting that validation chooses; without those that always failed."""
    settings = {}
    for ranker in job.rankers:
        if len(ranker.settings) == 1:
            settings[ranker.label] = ranker.settings[0]
            continue
        trials = [trial for label, trial in job.labelled_trials if label == ranker.label]
        done = [(trial, rows[trial.key]) for trial in trials if rows[trial.key]["error"] is None]
        chosen = best(candidate(row, trial.number) for trial, row in done)
        if chosen is not None:
            settings[ranker.label] = str(chosen.row["ranker"])
    return settings
