"""Two rankings of the same queries side by side: what `evaluate` shows of two models."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ranksieve.cli._output import console, number, print_json, print_table
from ranksieve.errors import DataError

if TYPE_CHECKING:
    from ranksieve.data import RankingData
    from ranksieve.measures import Measure

_TESTS = {
    "t": "Student's paired t-test",
    "randomisation": "Fisher's randomisation test",
    "wilcoxon": "Wilcoxon's signed-rank test",
}


@dataclass(frozen=True, eq=False)
class Measured:
    """The measures of a ranking, query by query.

    Attributes
    ----------
    source : str, the file that the scores or the model are from
    ranker : str or None, the model's text; None for scores
    data : RankingData
    values : measure to one value for each query, NaN where it does not count
    """

    source: str
    ranker: str | None
    data: RankingData
    values: dict[Measure, NDArray[np.float64]]


def differences(first: Measured, second: Measured, *, test: str) -> list[dict[str, Any]]:
    """Return both means by each measure, and the difference: the second minus the first."""
    _check_same_queries(first, second)
    return [_difference(measure, first, second, test) for measure in first.values]


def print_differences(
    pair: list[Measured],
    rows: list[dict[str, Any]],
    *,
    test: str,
    per_query: bool,
    as_json: bool,
) -> None:
    """Print what `differences` found of two rankings, as a table or as JSON."""
    names = _names(pair)
    if as_json:
        print_json(_as_json(pair, names, rows, test, per_query))
        return
    for name, each in zip(names, pair, strict=True):
        if each.ranker is not None:
            console().print(f"{name}: {each.ranker}", style="bold")
    if per_query:
        _print_queries(pair, names)
    _print_table(rows, names)
    console().print(
        f"difference: {names[1]} minus {names[0]}, on the same queries. Interval: bootstrap over "
        f"queries. p: {_TESTS[test]}, two-sided, of each measure by itself.",
        style="dim",
    )
    for measure in pair[0].values:
        console().print(measure.describe(), style="dim")


def _check_same_queries(first: Measured, second: Measured) -> None:
    if not np.array_equal(first.data.query_ids, second.data.query_ids):
        raise DataError(
            f"{first.source} and {second.source} rank different queries, so they have no "
            "differences by query. Read DATA once, in the order of its file."
        )


def _difference(measure: Measure, first: Measured, second: Measured, test: str) -> dict[str, Any]:
    """Return both means, and the paired difference with its interval and its test."""
    from ranksieve.evaluate import bootstrap_difference, win_tie_loss

    old, new = first.values[measure], second.values[measure]
    interval = bootstrap_difference(new, old)
    wins, ties, losses = win_tie_loss(new, old)
    return {
        "measure": str(measure),
        "parameters": measure.parameters,
        "queries": interval.n,
        "means": [measure.mean(old), measure.mean(new)],
        "difference": interval.mean,
        "low": interval.low,
        "high": interval.high,
        "p": _p_value(test, new, old) if interval.n > 1 else math.nan,
        "wins": int(wins),
        "ties": int(ties),
        "losses": int(losses),
    }


def _p_value(test: str, new: NDArray[np.float64], old: NDArray[np.float64]) -> float:
    from ranksieve.evaluate import paired_t, randomisation_test, wilcoxon_test

    tests = {"t": paired_t, "randomisation": randomisation_test, "wilcoxon": wilcoxon_test}
    return float(tests[test](new, old).p_value)


def _names(pair: list[Measured]) -> list[str]:
    """Return what to call both: the names of their files, with folders where these are alike.

    Examples
    --------
    >>> pair = [Measured(path, None, None, {}) for path in ("a/model.json", "b/model.json")]
    >>> _names(pair)
    ['a/model.json', 'b/model.json']
    """
    short = [Path(each.source).name for each in pair]
    if short[0] != short[1]:
        return short
    paths = [each.source for each in pair]
    return paths if paths[0] != paths[1] else [f"{paths[0]} (first)", f"{paths[1]} (second)"]


def _print_table(rows: list[dict[str, Any]], names: list[str]) -> None:
    from rich.table import Table

    table = Table(box=None)
    table.add_column("measure")
    for name in (*names, "difference", "95 % interval", "p", "better / equal / worse", "queries"):
        table.add_column(name, justify="right")
    for row in rows:
        table.add_row(
            row["measure"],
            *(number(mean) for mean in row["means"]),
            signed(row["difference"]),
            f"{signed(row['low'])} to {signed(row['high'])}",
            number(row["p"]) if not row["p"] < 0.0001 else "<0.0001",
            f"{row['wins']:,} / {row['ties']:,} / {row['losses']:,}",
            f"{row['queries']:,}",
        )
    print_table(table)


def signed(value: float) -> str:
    """Return a difference for a table, with its sign; a dash where there is none.

    Examples
    --------
    >>> signed(0.01), signed(-0.00001), signed(float("nan"))
    ('+0.0100', '+0.0000', '-')
    """
    return f"{value:+z.4f}" if math.isfinite(value) else "-"


def _print_queries(pair: list[Measured], names: list[str]) -> None:
    from rich.table import Table

    table = Table(box=None)
    table.add_column("qid")
    columns = [
        (f"{measure}, {name}", each.values[measure])
        for measure in pair[0].values
        for name, each in zip(names, pair, strict=True)
    ]
    for name, _ in columns:
        table.add_column(name, justify="right")
    for row, qid in enumerate(pair[0].data.query_ids):
        table.add_row(str(qid), *(number(values[row]) for _, values in columns))
    print_table(table)


def _as_json(
    pair: list[Measured], names: list[str], rows: list[dict[str, Any]], test: str, per_query: bool
) -> dict[str, Any]:
    data = pair[0].data
    content: dict[str, Any] = {
        "documents": data.n_documents,
        "queries": data.n_queries,
        "scores": [{"source": each.source, "ranker": each.ranker} for each in pair],
        "difference": f"{names[1]} minus {names[0]}",
        "level": 0.95,
        "test": test,
        "measures": rows,
    }
    if per_query:
        content["per_query"] = [
            {
                "qid": qid,
                **{
                    str(measure): [float(each.values[measure][row]) for each in pair]
                    for measure in pair[0].values
                },
            }
            for row, qid in enumerate(data.query_ids.tolist())
        ]
    return content
