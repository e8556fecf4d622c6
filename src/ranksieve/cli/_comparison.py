"""What `compare` shows: the plan, progress, and the results."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ranksieve.experiment import Outcome, Plan, Results, Study

# Seconds until processes of their own have started.
_START = 2.0


def run_study(
    study: Study,
    path: str,
    *,
    workers: int | None,
    retry_failed: bool,
    many: bool,
    only_plan: bool,
) -> Results | None:
    """Show the plan and do what is missing of it; None where only the plan was asked for."""
    from ranksieve.cli._ending import plain_warnings
    from ranksieve.cli._progress import progress_bars
    from ranksieve.experiment import Store, make_plan, read_results
    from ranksieve.experiment.comparison import missing, record, run
    from ranksieve.experiment.estimate import estimate
    from ranksieve.experiment.results.tuning import known_plan
    from ranksieve.progress import report
    from ranksieve.threads import n_threads

    processes = workers if workers is not None else n_threads()
    with plain_warnings(), progress_bars():
        plan = make_plan(study, report, many=many or only_plan)
        with _place(path, only_plan) as place, Store(place) as store:
            plan = known_plan(plan, store, retry_failed=retry_failed)
            counts = missing(plan, store, retry_failed=retry_failed)
            costs = estimate(plan, counts, store)
            seconds = costs.seconds / processes + (_START if processes > 1 else 0.0)
            _print_plan(plan, sum(counts.values()), seconds, processes)
            if only_plan:
                return None
            record(plan, store, _command_line())
            with _kept_if_interrupted():
                run(
                    plan,
                    store,
                    workers=processes,
                    retry_failed=retry_failed,
                    cost=costs.cost,
                )
        return read_results(path, study=study)


@contextmanager
def _place(path: str, only_plan: bool) -> Iterator[Path]:
    """Give the store's path; a passing one where a plan alone must not make the file."""
    from ranksieve.data.paths import exists

    if not only_plan or (path and exists(path)):
        yield Path(path)
        return
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder) / "runs.db"


@contextmanager
def _kept_if_interrupted() -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        sys.stderr.write("What was finished is kept: the same command goes on from there.\n")
        raise


def _command_line() -> str:
    """Return the command as it would be typed again."""
    import shlex

    return shlex.join(["ranksieve", *sys.argv[1:]])


def _print_plan(plan: Plan, n_missing: int, seconds: float, processes: int) -> None:
    """Say on standard error what will be done, and how long it will take."""
    from rich.console import Console

    say = Console(stderr=True, highlight=False, markup=False, soft_wrap=True).print
    for name in dict.fromkeys(fold.data for fold in plan.folds):
        own = [fold for fold in plan.folds if fold.data == name]
        queries = sum(own[0].n_queries)
        say(
            f"{name}: {queries:,} queries, {sum(own[0].n_documents):,} documents, "
            f"{own[0].n_features} features, in {len(own)} fold{'s' * (len(own) > 1)}"
        )
    study = plan.study
    for what, grids in (("selectors", study.selector_grids), ("rankers", study.ranker_grids)):
        named = ", ".join(f"{one.label} ({len(one.settings)})" for one in grids)
        say(f"{what} (settings): {named or 'none'}")
    numbers = ", ".join("all" if number < 0 else str(number) for number in study.counts)
    validated = all(fold.n_queries[1] for fold in plan.folds)
    chosen = f"chosen by {study.measures[0]} on validation" if validated else "no validation part"
    first = "; rankers first, with all features" if study.tune == "ranker-first" else ""
    say(f"numbers of features: {numbers}; {chosen}{first}")
    most = "" if plan.is_exact else "at most "
    # Of trials whose ranker has no setting yet, some may turn out to be in the store.
    sure = not plan.later or n_missing == plan.n_trials
    to_do = _to_do(plan.n_trials, n_missing, seconds, processes, sure=sure)
    say(f"{most}{plan.n_trials:,} trials, {to_do}")


def _to_do(n_trials: int, n_missing: int, seconds: float, processes: int, *, sure: bool) -> str:
    from ranksieve.cli._progress import duration

    if n_missing == 0:
        return "all of them in the store."
    least, most = ("", "") if sure else ("at least ", "at most ")
    n_done = n_trials - n_missing
    done = f"{least}{n_done:,} of them in the store; " if n_done else ""
    many = f"{processes} process{'es' * (processes > 1)}"
    return f"{done}{most}{n_missing:,} to do, about {duration(seconds)} on {many}."


def print_results(results: Results, path: str, *, as_json: bool) -> None:
    """Print what validation chose of each method, and how it did on test."""
    from ranksieve.cli._comparison_table import print_data
    from ranksieve.cli._output import console, print_json

    if as_json:
        print_json(_summary(results))
        return
    for facts in results.data:
        print_data(results, facts)
    if results.failures:
        first = results.failures[0]
        console().print(
            f"{len(results.failures):,} trials ended with an error, which the store keeps. The "
            f"first: {first.data}, {first.fold}, {first.method}: {first.error}"
        )
    console().print(f"Next: ranksieve report {path} -o report.html")


def _summary(results: Results) -> dict[str, Any]:
    return {
        "format": "ranksieve-comparison",
        "format_version": 1,
        "command": results.command,
        "versions": dict(results.versions),
        "trials": results.n_trials,
        "failures": [vars(failure) for failure in results.failures],
        "chosen": _chosen(results),
        "curves": [_outcome(one, results) for one in results.curves],
    }


def _chosen(results: Results) -> list[dict[str, Any]]:
    """Return what validation chose, in the order of the results, beside all features."""
    from ranksieve.cli._comparison_table import beside_all_features, beside_summary

    rows = [row for facts in results.data for row in beside_all_features(results, facts)]
    beside = {id(row.outcome): beside_summary(row, results.measures[0]) for row in rows}
    return [_outcome(one, results) | beside[id(one)] for one in results.chosen]


def _outcome(outcome: Outcome, results: Results) -> dict[str, Any]:
    return {
        "data": outcome.data,
        "method": outcome.method,
        "variant": outcome.variant,
        "ranker": outcome.ranker,
        "k": "all" if outcome.number is not None and outcome.number < 0 else outcome.number,
        "means": {measure: outcome.mean(measure) for measure in results.measures},
        "folds": [
            {
                "fold": fold.fold,
                "trial": fold.trial,
                "selector": fold.selector,
                "ranker": fold.ranker,
                "features": [int(feature) for feature in fold.features],
            }
            for fold in outcome.folds
        ],
    }
