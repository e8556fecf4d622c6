"""What `compare` shows: the plan, progress, and the results."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ranksieve.experiment import Forecast, Outcome, Results, Study


def run_study(
    study: Study,
    path: str,
    *,
    workers: int | None,
    cluster: str | None,
    retry_failed: bool,
    many: bool,
) -> Results:
    """Show the plan, do what is missing of it, and return the results."""
    from ranksieve.cli._data import on_cluster
    from ranksieve.cli._ending import plain_warnings
    from ranksieve.cli._progress import progress_bars
    from ranksieve.experiment import compare

    begun: list[Forecast] = []

    def on_plan(forecast: Forecast) -> None:
        _print_plan(forecast, processes)
        begun.append(forecast)

    try:
        with plain_warnings(), progress_bars(), on_cluster(cluster) as connected:
            processes = _processes(workers) if connected is None else len(connected.workers())
            return compare(
                study,
                path,
                workers=processes,
                retry_failed=retry_failed,
                many=many,
                command=_command_line(),
                on_plan=on_plan,
            )
    except KeyboardInterrupt:
        if begun:
            sys.stderr.write("What was finished is kept: the same command goes on from there.\n")
        raise


def print_plan(study: Study, path: str | None, *, workers: int | None, retry_failed: bool) -> None:
    """Show what `run_study` would do, and do nothing: a store that is not there is not made."""
    from ranksieve.cli._ending import plain_warnings
    from ranksieve.cli._progress import progress_bars
    from ranksieve.experiment import forecast

    with plain_warnings(), progress_bars():
        _print_plan(forecast(study, path, retry_failed=retry_failed), _processes(workers))


def _processes(workers: int | None) -> int:
    from ranksieve.threads import n_threads

    return workers if workers is not None else n_threads()


def _command_line() -> str:
    """Return the command as it would be typed again."""
    import shlex

    return shlex.join(["ranksieve", *sys.argv[1:]])


def _print_plan(forecast: Forecast, processes: int) -> None:
    """Say on standard error what will be done, and how long it will take."""
    from rich.console import Console

    say = Console(stderr=True, highlight=False, markup=False, soft_wrap=True).print
    plan, study = forecast.plan, forecast.plan.study
    for name in dict.fromkeys(fold.data for fold in plan.folds):
        folds = [fold for fold in plan.folds if fold.data == name]
        say(
            f"{name}: {sum(folds[0].n_queries):,} queries, {sum(folds[0].n_documents):,} "
            f"documents, {folds[0].n_features} features, in {len(folds)} "
            f"fold{'s' * (len(folds) > 1)}"
        )
    for family, grids in (("selectors", study.selector_grids), ("rankers", study.ranker_grids)):
        named = ", ".join(f"{grid.label} ({len(grid.settings)})" for grid in grids)
        say(f"{family} (settings): {named or 'none'}")
    numbers = ", ".join("all" if number < 0 else str(number) for number in study.counts)
    validated = all(fold.n_queries[1] for fold in plan.folds)
    chosen = f"chosen by {study.measures[0]} on validation" if validated else "no validation part"
    first = "; rankers first, with all features" if study.tune == "ranker-first" else ""
    say(f"numbers of features: {numbers}; {chosen}{first}")
    most = "" if plan.is_exact else "at most "
    say(f"{most}{plan.n_trials:,} trials, {_to_do(forecast, processes)}")


def _to_do(forecast: Forecast, processes: int) -> str:
    from ranksieve.cli._progress import duration

    plan, n_missing = forecast.plan, forecast.n_missing
    if n_missing == 0:
        return "all of them in the store."
    # Of trials whose ranker has no setting yet, some may turn out to be in the store.
    sure = not plan.later or n_missing == plan.n_trials
    least, most = ("", "") if sure else ("at least ", "at most ")
    n_done = plan.n_trials - n_missing
    done = f"{least}{n_done:,} of them in the store; " if n_done else ""
    time = duration(forecast.seconds(processes))
    workers = f"{processes} process{'es' * (processes > 1)}"
    return f"{done}{most}{n_missing:,} to do, about {time} on {workers}."


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
        "curves": [_outcome(outcome, results) for outcome in results.curves],
    }


def _chosen(results: Results) -> list[dict[str, Any]]:
    """Return what validation chose, in the order of the results, beside all features."""
    from ranksieve.cli._comparison_table import beside_all_features, beside_summary

    rows = [row for facts in results.data for row in beside_all_features(results, facts)]
    beside = {id(row.outcome): beside_summary(row, results.measures[0]) for row in rows}
    return [_outcome(outcome, results) | beside[id(outcome)] for outcome in results.chosen]


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
