"""ranksieve evaluate: measures of given scores, and the difference of two."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ranksieve.cli._data import read, reading_options
from ranksieve.errors import DataError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ranksieve.cli._difference import Measured
    from ranksieve.data import RankingData
    from ranksieve.measures import Measure

_EXAMPLES = """\b
Examples:
  ranksieve evaluate test.txt scores.txt
  ranksieve evaluate test.txt scores.txt -m ndcg@5 -m map --convention letor --json
  ranksieve evaluate test.txt model.json
  ranksieve evaluate test.txt all.json few.json
"""


_DEFAULT = ("ndcg@10", "map")


@click.command(no_args_is_help=True, epilog=_EXAMPLES)
@click.argument("data")
@click.argument("scores", nargs=-1, required=True, metavar="SCORES [OTHER]")
@click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    metavar="MEASURE",
    help="ndcg@10, map, precision@5, ... Repeat for several. Default: ndcg@10 and map.",
)
@click.option(
    "--convention",
    type=click.Choice(["standard", "letor"]),
    help="letor: what LETOR's own evaluation tool computes.",
)
@click.option(
    "--test",
    type=click.Choice(["t", "randomisation", "wilcoxon"]),
    help="Of the difference of two, over queries.  [default: t]",
)
@click.option("--per-query", is_flag=True, help="One line per query.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, unrounded, instead of a table.")
@reading_options(order_stays=True)
def command(
    data: str,
    scores: tuple[str, ...],
    measures: tuple[str, ...],
    convention: str | None,
    test: str | None,
    per_query: bool,
    as_json: bool,
    **reading: Any,
) -> None:
    """Measure how well SCORES rank the documents of DATA.

    SCORES has one number per line, in the order of DATA's documents ('-' is standard input), or
    is a model of `ranksieve train`, whose scores are measured. With OTHER, scores or a model too,
    both are measured, and their difference is tested query by query.
    """
    from ranksieve.cli._difference import differences, print_differences
    from ranksieve.cli._ending import plain_warnings
    from ranksieve.cli._progress import progress_bars
    from ranksieve.measures import parse_measure

    _check_scores(scores, test)
    chosen = [_with_convention(parse_measure(text), convention) for text in measures or _DEFAULT]
    with plain_warnings(), progress_bars():
        measured = [_measured(data, each, chosen, **reading) for each in scores]
        means = {measure: measure.mean(measured[0].values[measure]) for measure in chosen}
        rows = differences(*measured, test=test or "t") if len(measured) == 2 else []
    if rows:
        print_differences(measured, rows, test=test or "t", per_query=per_query, as_json=as_json)
    else:
        _print_measured(measured[0], means, per_query=per_query, as_json=as_json)


def _print_measured(
    measured: Measured, means: dict[Measure, float], *, per_query: bool, as_json: bool
) -> None:
    from ranksieve.cli._output import console, print_json

    if as_json:
        by_model = {} if measured.ranker is None else {"ranker": measured.ranker}
        print_json({**by_model, **_as_json(measured.data, measured.values, means, per_query)})
    else:
        if measured.ranker is not None:
            console().print(measured.ranker, style="bold")
        _print_tables(measured.data, measured.values, means, per_query)


def _check_scores(scores: tuple[str, ...], test: str | None) -> None:
    if len(scores) > 2:
        raise click.UsageError(
            f"one SCORES, or two to compare, but there are {len(scores)}: compare them in pairs."
        )
    if len(scores) == 2 and scores[0] == scores[1] == "-":
        raise click.UsageError("standard input ('-') has one of the two SCORES; name a file.")
    if len(scores) == 1 and test is not None:
        raise click.UsageError("--test is of the difference of two: give SCORES and OTHER.")


def _measured(data: str, scores: str, measures: list[Measure], **reading: Any) -> Measured:
    """Return every measure of each query, by the scores of a file or of a model."""
    from ranksieve.cli._difference import Measured

    ranking, values, ranker = _scored(data, scores, **reading)
    by_measure = {
        measure: measure.per_query(ranking.y, values, qid=ranking.qid) for measure in measures
    }
    return Measured(scores, ranker, ranking, by_measure)


def _scored(
    data: str, scores: str, **reading: Any
) -> tuple[RankingData, NDArray[np.float64], str | None]:
    """Return DATA, its scores, from a file or by a model, and the model's text."""
    from ranksieve.data.model_marks import is_model_file
    from ranksieve.data.scores import read_scores

    if is_model_file(scores):
        from ranksieve.cli.predict import predicted
        from ranksieve.rankers import load_ranker

        ranker = load_ranker(scores)
        return *predicted(ranker, data, **reading), repr(ranker)
    ranking = _read_in_order(data, **reading)
    return ranking, read_scores(scores, ranking.n_documents), None


def _read_in_order(data: str, **reading: Any) -> RankingData:
    """Load DATA in its order: sorted, its documents would no longer be those of SCORES."""
    try:
        return read(data, **reading)
    except DataError as error:
        remedy = "Sort DATA and SCORES by query, together,"
        raise DataError(str(error).replace("Pass sort=True", remedy)) from None


def _with_convention(measure: Measure, convention: Any) -> Measure:
    return measure if convention is None else measure.with_convention(convention)


def _as_json(
    data: RankingData,
    results: dict[Measure, NDArray[np.float64]],
    means: dict[Measure, float],
    per_query: bool,
) -> dict[str, Any]:
    content: dict[str, Any] = {
        "documents": data.n_documents,
        "queries": data.n_queries,
        "measures": [
            {"measure": str(measure), "mean": means[measure], "parameters": measure.parameters}
            for measure in results
        ],
    }
    if per_query:
        content["per_query"] = [
            {"qid": qid, **{str(measure): float(results[measure][row]) for measure in results}}
            for row, qid in enumerate(data.query_ids.tolist())
        ]
    return content


def _print_tables(
    data: RankingData,
    results: dict[Measure, NDArray[np.float64]],
    means: dict[Measure, float],
    per_query: bool,
) -> None:
    from rich.table import Table

    from ranksieve.cli._output import console, number, print_table

    if per_query:
        table = Table(box=None)
        table.add_column("qid")
        for measure in results:
            table.add_column(str(measure), justify="right")
        for row, qid in enumerate(data.query_ids):
            table.add_row(str(qid), *(number(values[row]) for values in results.values()))
        print_table(table)
    table = Table(box=None)
    table.add_column("measure")
    table.add_column("mean", justify="right")
    table.add_column("queries", justify="right")
    for measure, values in results.items():
        counted = int((values == values).sum())
        table.add_row(str(measure), number(means[measure]), f"{counted:,}")
    print_table(table)
    for measure in results:
        console().print(f"{measure.describe()}", style="dim")
