"""ranksieve train: a ranker on chosen features, written to a file."""

from __future__ import annotations

import time
import warnings
from typing import TYPE_CHECKING, Any

import click

from ranksieve.cli._data import (
    cluster_option,
    on_cluster,
    read_parts,
    reading_options,
    to_workers,
    validation_options,
)

if TYPE_CHECKING:
    from ranksieve.data import RankingData
    from ranksieve.rankers import Ranker

_EXAMPLES = """\b
Examples:
  ranksieve train train.txt --ranker 'RankSVM(C=0.01)' -o model.json
  ranksieve train train.txt --ranker LightGBMRanker --validation vali.txt -o model.txt
  ranksieve train train.txt --features features.json -o model.json
  ranksieve train train.csv --grade label --query query_id --exclude 'url*' -o model.json
"""
_MEASURES = ("ndcg@10", "map")


class _NamingRankers(click.Command):
    """A command whose help ends with the names of all rankers."""

    def format_epilog(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        from ranksieve.catalog import entries

        super().format_epilog(context, formatter)
        formatter.write_paragraph()
        formatter.write_text(
            f"Rankers: {', '.join(each.class_name for each in entries('rankers'))}."
        )


@click.command(cls=_NamingRankers, no_args_is_help=True, epilog=_EXAMPLES)
@click.argument("data")
@click.option(
    "-r",
    "--ranker",
    default="RankSVM",
    show_default=True,
    help="A ranker as you would write it in Python: 'RankSVM(C=0.01)'.",
)
@click.option("-o", "--out", metavar="MODEL", required=True, help="The file to write.")
@click.option("-f", "--force", is_flag=True, help="Replace MODEL if it exists.")
@click.option(
    "--scale",
    "scaling",
    type=click.Choice(["minmax", "zscore"]),
    help="Scale each feature inside its query; `predict` then does the same.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
@validation_options
@cluster_option
@reading_options()
def command(
    data: str,
    ranker: str,
    out: str,
    force: bool,
    validation: str | None,
    validation_share: float | None,
    scaling: str | None,
    as_json: bool,
    cluster: str | None,
    **reading: Any,
) -> None:
    """Train a ranker on DATA and write the model to a file.

    DATA is LETOR text or CSV (also .gz, .xz, .zst), or a Parquet file or folder. The file is JSON,
    or the library's own format for LightGBM, XGBoost and CatBoost. On validation queries rankers
    that train in rounds choose their number, and all are measured.
    """
    from ranksieve.cli._ending import plain_warnings
    from ranksieve.cli._output import check_out, print_json
    from ranksieve.cli._progress import progress_bars

    for source in (data, reading["features"], validation):
        if source is not None:
            check_out(out, source=source, force=force)
    with plain_warnings(), progress_bars(), on_cluster(cluster):
        # Here, where a terminal is told after two seconds that something is under way.
        from ranksieve.rankers import parse_ranker

        model = parse_ranker(ranker)
        model.check_installed()
        part, aside = read_parts(data, validation, validation_share, **reading)
        training = _scaled(part, scaling)
        _warn_of_same(data, validation)
        model.check_savable(training)
        started = time.perf_counter()
        _fit(model, to_workers(training), aside)
        seconds = time.perf_counter() - started
        model.save(out)
        summary = _summary(model, training, aside, seconds, out)
    if as_json:
        print_json(summary)
    else:
        _print(model, summary)


def _warn_of_same(data: str, validation: str | None) -> None:
    from pathlib import Path

    if validation is not None and Path(validation).samefile(data):
        warnings.warn(
            "the validation queries are the training queries: what they say of the model is "
            "too good, and they stop no training. Give others.",
            UserWarning,
            stacklevel=2,
        )


def _scaled(data: RankingData, scaling: Any) -> RankingData:
    from ranksieve.data import scale

    return data if scaling is None else scale(data, scaling)


def _fit(model: Any, training: RankingData, aside: RankingData | None) -> None:
    from ranksieve.rankers import StoppingRanker

    if aside is not None and isinstance(model, StoppingRanker):
        model.fit(training, validation=aside)
    else:
        model.fit(training)


def _summary(
    model: Ranker, training: RankingData, aside: RankingData | None, seconds: float, out: str
) -> dict[str, Any]:
    ending = model.ending()
    numbers = {
        "C": ending.settled.get("C"),
        "n_iter": ending.n_iter,
        "converged": ending.converged,
        "objective": ending.objective,
        "gap": ending.gap,
    }
    return {
        "ranker": repr(model),
        "model": out,
        "features": training.n_features,
        "scaling": training.scaling,
        "seconds": seconds,
        **{name: number for name, number in numbers.items() if number is not None},
        **_stopped_by(model),
        **_chosen_by(model),
        "training": _measured(model, training),
        **({} if aside is None else {"validation": _measured(model, aside)}),
    }


def _stopped_by(model: Ranker) -> dict[str, Any]:
    """Return the measure that chose the number of rounds on validation queries, if one did."""
    from ranksieve.measures import parse_measure

    if getattr(model, "validation_values_", None) is None:
        return {}
    return {"stopped_by": str(parse_measure(model.measure))}


def _chosen_by(model: Ranker) -> dict[str, Any]:
    """Return the measure by which folds of the training queries chose C, if they did."""
    curve = getattr(model, "cross_validation_", None)
    return {} if curve is None or not hasattr(model, "C_") else {"C_chosen_by": curve.measure}


def _measured(model: Ranker, data: RankingData) -> dict[str, Any]:
    from ranksieve.measures import parse_measure

    scores = model.predict(data)
    means = {
        text: parse_measure(text)(data.y, scores, qid=data.qid)
        for text in _MEASURES
        if _suits(text, data)
    }
    return {"documents": data.n_documents, "queries": data.n_queries, **means}


def _suits(text: str, data: RankingData) -> bool:
    """Tell whether a measure takes the grades: NDCG's gain needs whole, not huge numbers."""
    from ranksieve.errors import DataError
    from ranksieve.measures import parse_measure

    try:
        parse_measure(text).check_grades(data.y)
    except DataError:
        return False
    return True


def _print(model: Ranker, summary: dict[str, Any]) -> None:
    from rich.table import Table

    from ranksieve.cli._output import console, number, print_table

    table = Table(box=None)
    table.add_column("measured on")
    for heading in ("documents", "queries", *_MEASURES):
        table.add_column(heading, justify="right")
    for part in ("training", "validation"):
        measured = summary.get(part)
        if measured is not None:
            counts = (f"{measured[name]:,}" for name in ("documents", "queries"))
            means = (number(measured.get(text, float("nan"))) for text in _MEASURES)
            table.add_row(part, *counts, *means)
    console().print(repr(model), style="bold")
    print_table(table)
    console().print(f"{_ended(summary)} Written to {summary['model']}.")


def _ended(summary: dict[str, Any]) -> str:
    """Return how the fit ended, in a sentence.

    Examples
    --------
    >>> _ended({"seconds": 0.25, "features": 8, "n_iter": 12, "gap": 1e-7})
    '8 features, 0.25 s, 12 rounds, gap 1e-07.'
    >>> _ended({"seconds": 0.25, "features": 8, "C": 0.001, "C_chosen_by": "ndcg@10"})
    '8 features, 0.25 s, C 0.001 by ndcg@10 on folds of the queries.'
    >>> _ended({"seconds": 0.25, "features": 1, "n_iter": 1, "stopped_by": "map"})
    '1 feature, 0.25 s, 1 round by map on validation.'
    """
    parts = [_counted(summary["features"], "feature"), f"{summary['seconds']:.2f} s"]
    if "C_chosen_by" in summary:
        parts.append(f"C {summary['C']:g} by {summary['C_chosen_by']} on folds of the queries")
    if "n_iter" in summary:
        by = f" by {summary['stopped_by']} on validation" if "stopped_by" in summary else ""
        parts.append(_counted(summary["n_iter"], "round") + by)
    if "gap" in summary:
        parts.append(f"gap {summary['gap']:.0e}")
    return ", ".join(parts) + "."


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
